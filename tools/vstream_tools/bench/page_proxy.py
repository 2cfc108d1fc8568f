"""A proxy before vstream-serve that serves another page, so that a changed page is measured without building the server."""

from __future__ import annotations

import shutil
import socket
import threading
from pathlib import Path


class PageProxy:
    """Answers `GET /` with a file, and passes on everything else."""

    def __init__(self, page: Path, address: str) -> None:
        self.page, self.server = page, address.split(":")
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "{}:{}".format(*self.listener.getsockname())
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=[connection], daemon=True).start()

    def serve(self, connection: socket.socket) -> None:
        """Serves a connection: what follows its first request goes where that goes."""
        head = connection.recv(65536)
        if head.startswith(b"GET / "):
            body = self.page.read_bytes()
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n"
                               + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
            connection.close()
            return
        server = socket.create_connection((self.server[0], int(self.server[1])))
        server.sendall(head)
        threading.Thread(target=pump, args=[connection, server], daemon=True).start()
        pump(server, connection)


def pump(source: socket.socket, target: socket.socket) -> None:
    """Passes on what comes, until either side closes."""
    try:
        shutil.copyfileobj(source.makefile("rb", buffering=0), target.makefile("wb", buffering=0), 65536)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        source.close()
