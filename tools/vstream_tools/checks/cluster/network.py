"""Runs vstream-cluster on three machines of a network, whose processes are killed, and compares the result with a single run's.

    scripts/checks/cluster/network        as root

The machines are network namespaces that are joined by a bridge, and share a folder: one has the driver and the scheduler, two
have a worker each. All connections are TLS, with certificates of both sides. A worker is killed five times (SIGKILL), the
scheduler once; both are then started again, and so is the driver. Checked are: the driver's message for a lost scheduler; that no
finished part is done again; that a killed worker leaves no process; records (bytes) and pictures of the result; and that a
program without a certificate is refused. Takes some two minutes on two cores.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path

from ...common import fail, log, parser, vstream_path
from ...environments import CLUSTER
from ...serving import children
from .bench import (
    DRIVER,
    OPTIONS,
    Servers,
    certificate,
    make_clip,
    require,
    require_equal,
    run_once,
    stop_servers_when_terminated,
    wait_until,
)

PORT = 8786
ADDRESSES = {"scheduler": "10.77.0.1", "one": "10.77.0.2", "two": "10.77.0.3"}
# Worker "one" is killed once as many parts are finished, and the scheduler; the parts have two steps.
KILL_WORKER_AT, KILL_SCHEDULER_AT, KILL_WORKER_AGAIN_AT = (1, 2, 4), 6, (8, 10)

CLIENT_WITHOUT_CERTIFICATE = """
import socket, ssl, sys
context = ssl.create_default_context(cafile=sys.argv[3])
context.check_hostname = False
with context.wrap_socket(socket.create_connection((sys.argv[1], int(sys.argv[2])))) as connection:
    print(connection.recv(1))
"""


def namespace(machine: str) -> str:
    return f"vstream-{os.getpid()}-{machine}"


def on(machine: str, *words: object) -> list:
    return ["ip", "netns", "exec", namespace(machine), *words]


def make_network(stack: ExitStack) -> None:
    """A namespace for each machine, and one with the bridge."""
    def ip(machine: str, *words: str) -> None:
        subprocess.run(["ip", "-n", namespace(machine), *words], check=True)

    for machine in ("switch", *ADDRESSES):
        subprocess.run(["ip", "netns", "add", namespace(machine)], check=True)
        stack.callback(subprocess.run, ["ip", "netns", "delete", namespace(machine)])
    ip("switch", "link", "add", "bridge", "type", "bridge")
    ip("switch", "link", "set", "bridge", "up")
    for machine, address in ADDRESSES.items():
        ip("switch", "link", "add", machine, "type", "veth", "peer", "name", "eth0", "netns", namespace(machine))
        ip("switch", "link", "set", machine, "master", "bridge", "up")
        ip(machine, "address", "add", f"{address}/24", "dev", "eth0")
        for link in ("lo", "eth0"):
            ip(machine, "link", "set", link, "up")


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Check:
    """One video on the cluster, and the parts that were finished when something was killed."""

    def __init__(self, folder: Path, servers: Servers, tls: list[str]) -> None:
        self.folder, self.servers, self.tls = folder, servers, tls
        self.finished: dict[Path, tuple[int, int]] = {}

    def drive(self, kills: list[tuple[str, int]], status: int, says: str) -> None:
        """Runs the driver, during which servers are killed once so many parts are finished; workers are started again."""
        driver = subprocess.Popen(on(
            "scheduler", DRIVER, "clip.mp4", "-o", "parts.mkv", "--records", "parts.jsonl", *OPTIONS, "--part-duration", "30", "--keep",
            "--scheduler", self.servers.url, "--tls-ca", self.folder / "authority.pem", "--vstream", vstream_path(), *self.tls),
            cwd=self.folder, stderr=subprocess.PIPE, text=True)
        for name, count in kills:
            # While another part is in progress on worker "one".
            wait_until(lambda count=count: driver.poll() is not None or (len(self.parts()) >= count and children(
                self.servers.running["one"].pid)), f"{count} parts are finished", 300)
            require(driver.poll() is None, f"the driver ended early: {driver.poll()}")
            self.require_kept()
            self.finished = self.parts()
            process = self.servers.running[name]
            programs = children(process.pid)
            process.kill()
            process.wait()
            wait_until(lambda programs=programs: not any(map(is_running, programs)), f"the programs of '{name}' have ended", 10)
            log(f"{name} killed after {len(self.finished)} parts")
            if name != "scheduler":
                self.servers.start_worker(name, {}, ADDRESSES[name])
        _, messages = driver.communicate(timeout=300)
        require(driver.returncode == status and messages.startswith(says), messages)
        self.require_kept()
        log(f"driver ended with exit code {driver.returncode}: {messages.strip()}")

    def start(self) -> None:
        self.servers.start_scheduler(str(PORT), ADDRESSES["scheduler"])
        for machine in ("one", "two"):
            self.servers.start_worker(machine, {}, ADDRESSES[machine])

    def parts(self) -> dict[Path, tuple[int, int]]:
        """Parts that are finished, with their times and inodes."""
        paths = [path for pattern in ("part-*.jsonl", "video-*.packets") for path in (self.folder / "parts.mkv.work").glob(f"*/{pattern}")]
        return {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in paths}

    def require_kept(self) -> None:
        now = self.parts()
        require(all(now.get(path) == facts for path, facts in self.finished.items()), "finished parts were done again")

    def run(self) -> None:
        self.start()
        client = subprocess.run([*map(str, on("two", CLUSTER.python, "-c", CLIENT_WITHOUT_CERTIFICATE, ADDRESSES["scheduler"], PORT,
                                              self.folder / "authority.pem"))], capture_output=True, text=True)
        require("CERTIFICATE_REQUIRED" in client.stderr, client)
        self.drive([*(("one", count) for count in KILL_WORKER_AT), ("scheduler", KILL_SCHEDULER_AT)], 69,
                   "vstream-cluster: the connection to the scheduler was lost")
        for machine in ("one", "two"):
            self.servers.running[machine].wait(timeout=60)
        log("both workers ended by themselves")
        self.start()
        self.drive([("one", count) for count in KILL_WORKER_AGAIN_AT], 0, "")


def main() -> None:
    parser(__doc__).parse_args()
    if os.geteuid() != 0:
        fail("network namespaces need root; run it as root", 77)
    stop_servers_when_terminated()
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        try:
            folder = Path(name)
            make_network(stack)
            make_clip(folder / "clip.mp4", 3)
            run_once(folder / "clip.mp4", "one")
            certificate(folder, "authority", None)
            tls = certificate(folder, "node", "authority")
            servers = stack.enter_context(Servers(folder, "--protocol", "tls", "--tls-ca-file", folder / "authority.pem", *tls, on=on))
            check = Check(folder, servers, tls)
            check.run()
            require_equal(folder, "one", "parts")
            log(f"{len(check.parts())} parts: none done again, records and pictures are those of one run")
        except (AssertionError, subprocess.SubprocessError) as error:
            fail(f"{error}")
