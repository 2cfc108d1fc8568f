"""Runs a video with `vstream-cluster --slurm` on a Slurm cluster of one node, and compares the result with a single run's.

    scripts/checks/cluster/slurm        as root; needs Debian's slurm-wlm and munge

The cluster is this machine: munged, slurmctld and slurmd run with a configuration, a key and ports of their own in a temporary
folder, without cgroups, and are stopped in the end. Prints the queue once parts are running, and the outcome of each task; then
submits a job that fails, whose later steps must leave the queue, and one with more parts than an array may have, which is cancelled.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
from datetime import datetime
from pathlib import Path

from ...common import MISSING_DEPENDENCY, fail, log, parser, vstream_path
from ...measuring import ffmpeg
from ...serving import free_port
from .bench import DRIVER, OPTIONS, make_clip, require, require_equal, run_once, stop_servers_when_terminated, wait_until

CONFIGURATION = """
ClusterName=vstream
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={controller_port}
SlurmdPort={node_port}
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/completed
SchedulerParameters=batch_sched_delay=0,sched_interval=1
NodeName={host} NodeAddr=127.0.0.1 CPUs=2
PartitionName=main Nodes={host} Default=YES State=UP
"""


class Slurm:
    """The daemons of a cluster of one node."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: list[subprocess.Popen] = []
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}

    def __enter__(self) -> Slurm:
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            folder=self.folder, host=socket.gethostname(), controller_port=free_port(), node_port=free_port()))
        key = self.folder / "munge.key"
        key.touch(mode=0o400)
        key.write_bytes(os.urandom(128))
        files = [f"--{name}-file={self.folder}/munge.{name}" for name in ("key", "pid", "log", "seed")]
        self.start("munged", "--foreground", "--force", f"--socket={self.folder}/munge.socket", *files)
        wait_until((self.folder / "munge.socket").exists, "munged runs", 20)
        self.start("slurmctld", "-D")
        self.start("slurmd", "-D")
        wait_until(lambda: "idle" in self.output("sinfo", "--noheader"), "the node is idle", 60)
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self.running):
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=30)

    def start(self, *words: str) -> None:
        with open(self.folder / f"{words[0]}.messages", "w") as messages:
            self.running.append(subprocess.Popen(words, env=self.environment, stdout=messages, stderr=messages))

    def output(self, *words: str) -> str:
        return subprocess.run(words, env=self.environment, capture_output=True, text=True).stdout

    def queue(self) -> str:
        return self.output("squeue", "--format=%.12i %.24j %.8T %.24E %r")

    def wait_until_empty(self, seconds: float) -> None:
        wait_until(lambda: not self.output("squeue", "--noheader").strip(), f"the queue is empty: {self.queue()}", seconds)

    def submit(self, *words: object) -> str:
        done = subprocess.run([DRIVER, *words, "--slurm", "--vstream", vstream_path()], cwd=self.folder, env=self.environment, text=True,
                              capture_output=True)
        require(done.returncode == 0, done.stderr)
        return done.stdout


def a_video(slurm: Slurm) -> None:
    """Parts are detected and painted by arrays; the result is that of one run."""
    make_clip(slurm.folder / "clip.mp4", 2)
    run_once(slurm.folder / "clip.mp4", "one")
    words = ["clip.mp4", "-o", "parts.mkv", "--records", "parts.jsonl", *OPTIONS, "--part-duration", "30"]
    print(slurm.submit(*words))
    wait_until(lambda: slurm.queue().count("RUNNING") == 2, "two tasks run", 60)
    print(slurm.queue())
    slurm.wait_until_empty(400)
    completed = [dict(word.partition("=")[::2] for word in line.split()) for line in (slurm.folder / "completed").read_text().splitlines()]
    for job in completed:
        print(*(f"{name}={job.get(name, '')}" for name in ("JobId", "JobState", "StartTime", "EndTime", "NodeList", "ExitCode")))
    require(len(completed) == 14 and all(job["JobState"] == "COMPLETED" for job in completed), completed)
    require_equal(slurm.folder, "one", "parts")
    first, last = min(job["StartTime"] for job in completed), max(job["EndTime"] for job in completed)
    log(f"{len(completed)} tasks completed in {(datetime.fromisoformat(last) - datetime.fromisoformat(first)).seconds} s; "
        "records and pictures are those of one run")
    again = slurm.submit(*words)
    require(not again and not slurm.output("squeue", "--noheader").strip(), again)
    log("submitted again: nothing is left to do")


def a_job_that_fails(slurm: Slurm) -> None:
    slurm.submit("clip.mp4", "-o", "fails.mkv", "--passes", "99", "--part-duration", "30")
    slurm.wait_until_empty(120)
    messages = "".join(path.read_text() for path in (slurm.folder / "fails.mkv.work").glob("*/*.log"))
    require("--passes" in messages and not (slurm.folder / "fails.mkv").exists(), messages)
    log(f"a job that fails: {messages.splitlines()[0]}")


def a_large_array(slurm: Slurm) -> None:
    """Slurm accepts the arrays of 1,200 parts; they are cancelled."""
    clip = slurm.folder / "large.mkv"
    ffmpeg("-f", "lavfi", "-i", "color=size=32x32:rate=1/5:duration=36000", clip)
    printed = slurm.submit(clip, "-o", "null", "--records", "large.jsonl", "--part-duration", "30", "--slurm-option=--hold")
    require(printed.count("--array=0-999 ") == 1 and printed.count("--array=0-199 ") == 1, printed)
    log(f"1,200 parts: {len(printed.splitlines())} arrays")
    slurm.output("scancel", "--user=root")
    slurm.wait_until_empty(60)


def main() -> None:
    parser(__doc__).parse_args()
    if missing := [name for name in ("munged", "slurmctld", "slurmd", "sbatch", "squeue") if shutil.which(name) is None]:
        fail(f"{', '.join(missing)} not found; install them: apt-get install slurm-wlm munge", MISSING_DEPENDENCY)
    if os.geteuid() != 0:
        fail("slurmd needs root; run it as root", 77)
    stop_servers_when_terminated()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        try:
            with Slurm(folder) as slurm:
                a_video(slurm)
                a_job_that_fails(slurm)
                a_large_array(slurm)
        except (AssertionError, subprocess.SubprocessError) as error:
            for path in folder.glob("*.messages"):
                log(f"{path.name}: {path.read_text()[-1000:]}")
            fail(f"{error}")
