"""Measures what the network carries for each part of a video that is read in place over HTTP, as from object storage.

    scripts/evaluate/cluster-traffic [--parts N]

`street.avi` four times over, at 1280×720, is served with byte ranges by this machine; vstream plans its parts, and detects in the
first N (all). Prints the bytes sent for the plan and for each part, beside the bytes of the file, and those of the part's records.
"""

from __future__ import annotations

import argparse
import http.server
import json
import re
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path


from ..common import VIDEOS, prepare_vstream, run_vstream

CHUNK = 1 << 16


class Handler(http.server.BaseHTTPRequestHandler):
    """Sends byte ranges of the server's file, and counts them."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        size = self.server.video.stat().st_size
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "bytes=0-"))
        first, last = int(asked[1]), min(int(asked[2] or size), size - 1)
        self.send_response(206)
        for name, value in (("Content-Range", f"bytes {first}-{last}/{size}"), ("Content-Length", last + 1 - first),
                            ("Accept-Ranges", "bytes")):
            self.send_header(name, str(value))
        self.end_headers()
        self.server.requests += 1
        with open(self.server.video, "rb") as file:
            file.seek(first)
            while (left := last + 1 - file.tell()) > 0:
                data = file.read(min(CHUNK, left))
                try:
                    self.wfile.write(data)
                except OSError:  # vstream has what it needs
                    return
                self.server.sent += len(data)

    def log_message(self, *_: object) -> None:
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, video: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.video, self.sent, self.requests = video, 0, 0
        # Without it, megabytes are sent that nobody reads.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, CHUNK)

    def count(self, *arguments: object) -> tuple[int, int]:
        """Runs vstream; returns bytes and requests."""
        self.sent = self.requests = 0
        run_vstream(*arguments)
        return self.sent, self.requests


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", type=int)
    options = parser.parse_args()
    prepare_vstream()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        video, plan = folder / "street.mp4", folder / "plan.json"
        subprocess.run(["ffmpeg", "-v", "error", "-stream_loop", "3", "-i", VIDEOS / "street.avi", "-vf", "scale=1280:720", "-c:v",
                        "libx264", "-preset", "veryfast", "-g", "50", "-movflags", "+faststart", video], check=True)
        server = Server(video)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/street.mp4"
        sent, requests = server.count("split", url, "-o", plan, "--part-duration", "60")
        print(f"file: {video.stat().st_size:,} bytes; plan: {sent:,} bytes in {requests} requests")
        for part in json.loads(plan.read_text())["parts"][:options.parts]:
            records = folder / "part.jsonl"
            sent, requests = server.count(url, "-o", "null", "--part", f"{plan}:{part['number']}", "--record-detections",
                                          "--records", records, "--quiet", "-y")
            print(f"part {part['number']}: {part['packets']} frames, {sent:,} bytes in {requests} requests, records "
                  f"{records.stat().st_size:,} bytes", flush=True)
