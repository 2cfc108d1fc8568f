"""Measures the network traffic for each part of a video that is read in place over HTTP, as from object storage.

    scripts/evaluate/cluster-traffic [--parts N]

`street.avi` four times over, at 1280×720, is served with byte ranges by this machine; vstream plans its parts, and detects in the
first N (all). Prints the bytes sent for the plan and for each part, beside the bytes of the file, and those of the part's records.
"""

from __future__ import annotations

import json
import re
import socket
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from ..common import VIDEOS, parser, prepare_vstream, run_vstream
from ..measuring import ffmpeg

CHUNK = 1 << 16


class Handler(BaseHTTPRequestHandler):
    """Sends byte ranges of a file, and counts them."""

    protocol_version = "HTTP/1.1"
    video: Path
    sent = requests = 0

    def do_GET(self) -> None:
        size = self.video.stat().st_size
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "bytes=0-"))
        first, last = int(asked[1]), min(int(asked[2] or size), size - 1)
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        self.send_header("Content-Length", str(last + 1 - first))
        self.send_header("Accept-Ranges", "bytes")
        self.end_headers()
        Handler.requests += 1
        # A small buffer: otherwise megabytes are sent that nobody reads.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, CHUNK)
        with open(self.video, "rb") as file:
            file.seek(first)
            while data := file.read(min(CHUNK, last + 1 - file.tell())):
                try:
                    self.wfile.write(data)
                except OSError:  # vstream needs no more
                    return
                Handler.sent += len(data)

    def log_message(self, *_: object) -> None:
        pass


def counted(*arguments: object) -> str:
    """Runs vstream; the bytes and requests that it took."""
    Handler.sent = Handler.requests = 0
    run_vstream(*arguments)
    return f"{Handler.sent:,} bytes in {Handler.requests} requests"


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--parts", type=int, metavar="N")
    arguments = options.parse_args()
    prepare_vstream()
    with tempfile.TemporaryDirectory() as name:
        plan, records = Path(name) / "plan.json", Path(name) / "part.jsonl"
        Handler.video = Path(name) / "street.mp4"
        ffmpeg("-stream_loop", 3, "-i", VIDEOS / "street.avi", "-vf", "scale=1280:720", "-c:v", "libx264", "-preset", "veryfast", "-g", 50,
               "-movflags", "+faststart", Handler.video)
        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/street.mp4"
        print(f"file: {Handler.video.stat().st_size:,} bytes; plan: {counted('split', url, '-o', plan, '--part-duration', '60')}")
        for part in json.loads(plan.read_text())["parts"][:arguments.parts]:
            traffic = counted(url, "-o", "null", "--part", f"{plan}:{part['number']}", "--record-detections", "--records", records,
                              "--quiet", "-y")
            print(f"part {part['number']}: {part['packets']} frames, {traffic}, records {records.stat().st_size:,} bytes", flush=True)
