"""Runs vstream-cluster on three machines of a network, whose processes are killed, and compares the result with a single run's.

    scripts/checks/cluster/network        as root

The machines are network namespaces that are joined by a bridge, and share a folder: one has the driver and the scheduler, two
have a worker each. All connections are TLS, with certificates of both sides. A worker is killed five times (SIGKILL), the
scheduler once; both are then started again, and so is the driver. Checked are: what the driver says of a lost scheduler; that no
finished part is done again; that a killed worker leaves no process; records (bytes) and pictures of the result; and that a
driver without a certificate is refused. Takes some two minutes on two cores.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path

from .shared import (CLUSTER, DASK, DRIVER, OPTIONS, certificate, children, make_clip, require, require_equal, run_once,
                    stop_servers_when_terminated, wait_until)
from ...common import fail, log, vstream_path

PORT = 8786
# Worker "one" is killed once as many parts are finished, and the scheduler; the parts have two steps.
KILL_WORKER_AT, KILL_SCHEDULER_AT, KILL_WORKER_AGAIN_AT = (1, 2, 4), 6, (8, 10)
PART_FILES = ("*/part-*.jsonl", "*/video-*.packets")

CLIENT_WITHOUT_CERTIFICATE = """
import socket, ssl, sys
context = ssl.create_default_context(cafile=sys.argv[3])
context.check_hostname = False
with context.wrap_socket(socket.create_connection((sys.argv[1], int(sys.argv[2])))) as connection:
    print(connection.recv(1))
"""


class Network:
    """Namespaces that are named by their role, with addresses 10.77.0.1 and so on."""

    def __init__(self, *machines: str) -> None:
        self.names = {machine: f"vstream-{os.getpid()}-{machine}" for machine in ("switch", *machines)}
        self.addresses = {machine: f"10.77.0.{number}" for number, machine in enumerate(machines, 1)}

    def __enter__(self) -> Network:
        for name in self.names.values():
            ip("netns", "add", name)
        self.ip("switch", "link", "add", "bridge", "type", "bridge")
        self.ip("switch", "link", "set", "bridge", "up")
        for machine, address in self.addresses.items():
            self.ip("switch", "link", "add", machine, "type", "veth", "peer", "name", "eth0", "netns", self.names[machine])
            self.ip("switch", "link", "set", machine, "master", "bridge", "up")
            self.ip(machine, "address", "add", f"{address}/24", "dev", "eth0")
            for link in ("lo", "eth0"):
                self.ip(machine, "link", "set", link, "up")
        return self

    def __exit__(self, *_: object) -> None:
        for name in self.names.values():
            subprocess.run(["ip", "netns", "delete", name])

    def ip(self, machine: str, *words: str) -> None:
        ip("-n", self.names[machine], *words)

    def command(self, machine: str, *words: object) -> list:
        return ["ip", "netns", "exec", self.names[machine], *words]


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


class Cluster:
    """A scheduler and two workers, by their machines."""

    def __init__(self, folder: Path, network: Network) -> None:
        self.folder, self.network = folder, network
        self.running: dict[str, subprocess.Popen] = {}
        certificate(folder, "authority", None)
        self.node = certificate(folder, "node", "authority")
        self.authority = folder / "authority.pem"
        self.url = f"tls://{network.addresses['driver']}:{PORT}"

    def start(self, machine: str) -> None:
        own = ["--host", self.network.addresses[machine], "--no-dashboard", "--tls-ca-file", self.authority, *self.node]
        words = ["scheduler", "--port", str(PORT), "--protocol", "tls"] if machine == "driver" else \
            ["worker", self.url, "--nthreads", "1", "--no-nanny", "--local-directory", self.folder / machine]
        with open(self.folder / f"{machine}.log", "a") as messages:
            self.running[machine] = subprocess.Popen(self.network.command(machine, DASK, *words, *own), stdout=messages, stderr=messages)

    def is_listening(self) -> bool:
        return "Scheduler at:" in (self.folder / "driver.log").read_text()

    def kill(self, machine: str) -> None:
        """Kills a machine's process, and waits until what it ran has ended too."""
        process = self.running[machine]
        programs = children(process.pid)
        process.kill()
        process.wait()
        wait_until(lambda: not any(is_running(program) for program in programs), f"the programs of '{machine}' have ended", 10)

    def stop(self) -> None:
        for process in self.running.values():
            process.kill()
            process.wait()

    def drive(self, *options: object) -> subprocess.Popen:
        return subprocess.Popen(self.network.command(
            "driver", DRIVER, "clip.mp4", "-o", "parts.mkv", "--records", "parts.jsonl", *OPTIONS, "--part-duration", "30", "--keep",
            "--scheduler", self.url, "--tls-ca", self.authority, "--vstream", vstream_path(), *options),
            cwd=self.folder, stderr=subprocess.PIPE, text=True)

    def finished(self) -> dict[Path, tuple[int, int]]:
        """Parts that are finished, with their times and inodes."""
        paths = [path for pattern in PART_FILES for path in (self.folder / "parts.mkv.work").glob(pattern)]
        return {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in paths}


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Check:
    """One video on the cluster; what was finished when something was killed."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.finished: dict[Path, tuple[int, int]] = {}

    def kill(self, driver: subprocess.Popen, machine: str, count: int) -> None:
        """Kills a machine's process once so many parts are finished, while another is in progress on worker "one"."""
        def is_due() -> bool:
            require(driver.poll() is None, f"the driver ended early: {driver.poll()}")
            return len(self.cluster.finished()) >= count and bool(children(self.cluster.running["one"].pid))

        wait_until(is_due, f"{count} parts are finished", 300)
        self.require_kept()
        self.finished = self.cluster.finished()
        self.cluster.kill(machine)
        log(f"{'scheduler' if machine == 'driver' else 'worker'} killed after {len(self.finished)} parts")

    def kill_worker(self, driver: subprocess.Popen, counts: tuple[int, ...]) -> None:
        for count in counts:
            self.kill(driver, "one", count)
            self.cluster.start("one")

    def require_kept(self) -> None:
        now = self.cluster.finished()
        require(all(now.get(path) == facts for path, facts in self.finished.items()), "finished parts were done again")

    def run_until_the_scheduler_is_lost(self) -> None:
        driver = self.cluster.drive(*self.cluster.node)
        self.kill_worker(driver, KILL_WORKER_AT)
        self.kill(driver, "driver", KILL_SCHEDULER_AT)
        start = time.monotonic()
        _, messages = driver.communicate(timeout=60)
        log(f"driver ended after {time.monotonic() - start:.1f} s with exit code {driver.returncode}: {messages.strip()}")
        require(driver.returncode == 69 and messages.startswith("vstream-cluster: the connection to the scheduler was lost"), messages)
        for machine in ("one", "two"):
            self.cluster.running[machine].wait(timeout=60)
        log("both workers ended by themselves")

    def run_again(self) -> None:
        for machine in ("driver", "one", "two"):
            self.cluster.start(machine)
        driver = self.cluster.drive(*self.cluster.node)
        self.kill_worker(driver, KILL_WORKER_AGAIN_AT)
        _, messages = driver.communicate(timeout=300)
        require(driver.returncode == 0, messages)
        self.require_kept()

    def require_strangers_refused(self) -> None:
        """A driver with a certificate of another authority, and a program without any."""
        driver = self.cluster.drive(*certificate(self.cluster.folder, "stranger", None))
        _, messages = driver.communicate(timeout=60)
        log(f"another certificate: exit code {driver.returncode}: {messages.strip()}")
        require(driver.returncode == 69 and "cannot be reached" in messages, messages)
        network = self.cluster.network
        client = subprocess.run(network.command("two", CLUSTER.python, "-c", CLIENT_WITHOUT_CERTIFICATE, network.addresses["driver"],
                                                str(PORT), self.cluster.authority), capture_output=True, text=True)
        log(f"no certificate: {client.stderr.strip().splitlines()[-1]}")
        require("CERTIFICATE_REQUIRED" in client.stderr, client)


def check(folder: Path, network: Network) -> None:
    make_clip(folder / "clip.mp4", 3)
    run_once(folder / "clip.mp4", "one")
    cluster = Cluster(folder, network)
    try:
        for machine in ("driver", "one", "two"):
            cluster.start(machine)
        checked = Check(cluster)
        wait_until(cluster.is_listening, "the scheduler listens")
        checked.require_strangers_refused()
        checked.run_until_the_scheduler_is_lost()
        checked.run_again()
        require_equal(folder, "one", "parts")
        log(f"{len(cluster.finished())} parts: none done again, records and pictures are those of one run")
    finally:
        cluster.stop()


def main() -> None:
    if os.geteuid() != 0:
        fail("network namespaces need root", 77)
    CLUSTER.prepare()
    stop_servers_when_terminated()
    with tempfile.TemporaryDirectory() as folder, Network("driver", "one", "two") as network:
        try:
            check(Path(folder), network)
        except (AssertionError, subprocess.SubprocessError) as error:
            fail(f"{error}")
