"""When a camera sends each frame of the numbered clip (moving_clock.py), measured by a client of its own."""

from __future__ import annotations

import socket
import struct
import threading
import time

import av

from ..common import fail
from .moving_clock import FRAMES, frame_number
from .serving import RATE, START_LIMIT, Sender, wait_for

# Ticks of RTP's clock for a frame.
FRAME_TICKS = 90000 // RATE
START_CODE = b"\0\0\0\1"
# Types of H.264's units, and of the RTP packet with a part of one.
KEY_SLICE, FRAGMENT = 5, 28


class SenderClock:
    """The times at which a sender sends its frames.

    Frames are sent at a constant rate. Their times are counted from the frame that arrived soonest, so that neither a sender nor a
    client that is late for a moment matters. Another client that starts to play starts the clip again for all, with the same
    times, which is noticed at the next key frame: it is not the one that follows the last.
    """

    def __init__(self, sender: Sender) -> None:
        self.sequence, self.session = 0, ""
        self.socket = socket.create_connection(("127.0.0.1", sender.port), timeout=START_LIMIT)
        self.stream = self.socket.makefile("rb")
        # Without a description before, the server takes the stream's address for that of another video, with times of its own.
        self.request("DESCRIBE", sender.url)
        self.request("SETUP", f"{sender.url}/stream=0", "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\n")
        self.request("PLAY", sender.url, f"Session: {self.session}\r\n")
        # Unix time at which frame 0 was sent, and RTP's.
        self.start, self.first_ticks = float("inf"), 0
        # The number of the next key frame, unless the clip is started again.
        self.next_key = -1
        threading.Thread(target=self.read, daemon=True).start()
        wait_for("the camera's first key frame", lambda: self.start < float("inf"))

    def request(self, method: str, url: str, header: str = "") -> None:
        self.sequence += 1
        self.socket.sendall(f"{method} {url} RTSP/1.0\r\nCSeq: {self.sequence}\r\n{header}\r\n".encode())
        lines = [line.decode().strip() for line in iter(self.stream.readline, b"\r\n")]
        if "200" not in lines[0]:
            fail(f"the camera answers {method} with {lines[0]}")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        self.session = headers.get("session", "").partition(";")[0]
        self.stream.read(int(headers.get("content-length", 0)))

    def read(self) -> None:
        units: list[bytes] = []
        while header := self.stream.read(4):
            packet = self.stream.read(struct.unpack(">H", header[2:])[0])
            if header[1] != 0:
                continue
            add(packet[12:], units)
            if packet[1] >> 7:
                self.note(struct.unpack(">I", packet[4:8])[0], units, time.time())
                units = []

    def note(self, ticks: int, units: list[bytes], now: float) -> None:
        """Notes a frame that has arrived."""
        if any(unit[0] & 31 == KEY_SLICE for unit in units):
            number = decoded_number(units)
            if number != self.next_key:
                self.start, self.first_ticks = float("inf"), ticks - number * FRAME_TICKS
            self.next_key = (number + RATE) % FRAMES
        self.start = min(self.start, now - (ticks - self.first_ticks) % 2**32 / (FRAME_TICKS * RATE))

    def age(self, number: int, moment: float) -> float:
        """Seconds from the last sending of the frame with a number to a moment."""
        return (moment - self.start - number / RATE) % (FRAMES / RATE)


def add(payload: bytes, units: list[bytes]) -> None:
    """Adds a packet's payload to the units of a frame."""
    if payload[0] & 31 != FRAGMENT:
        units.append(payload)
        return
    if payload[1] >> 7:
        units.append(bytes([payload[0] & 0xE0 | payload[1] & 31]))
    if units:
        units[-1] += payload[2:]


def decoded_number(units: list[bytes]) -> int:
    decoder = av.CodecContext.create("h264", "r")
    data = b"".join(START_CODE + unit for unit in units)
    [frame] = [*decoder.decode(av.Packet(data)), *decoder.decode(None)]
    return frame_number(frame.to_ndarray(format="bgr24"))
