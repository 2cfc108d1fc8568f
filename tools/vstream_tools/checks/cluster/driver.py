"""Tests scripts/cluster/vstream-cluster: results of one run, and what becomes of failures.

    [INPUTS=N] scripts/checks/cluster/driver [NAME…]

Runs the tests of those names, or all. Failures are those of a stand-in for vstream; one test runs the program itself.
INPUTS is the number of inputs of the test `many-inputs` (300).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .shared import (CLUSTER, DASK, DRIVER, OPTIONS, VIDEOS, certificate, children, require, require_equal, run_once, vstream_path,
                    wait_until)
from ...common import fail, log

# Behaves like vstream as far as the driver knows it; FAULT decides what fails: `WORD:KIND`, where WORD is in the command.
STAND_IN = r'''#!/usr/bin/env python3
import json, os, pathlib, sys, time
words = sys.argv[1:]
if words == ["--experimental-dump-help"]:
    os.execv(os.environ["REAL"], [os.environ["REAL"], *words])
log = pathlib.Path(os.environ["LOG"])
with open(log, "a") as file:
    file.write(" ".join(words) + "\n")
def value(name): return words[words.index(name) + 1] if name in words else None
for fault in filter(None, os.environ.get("FAULT", "").split(";")):
    word, kind = fault.rsplit(":", 1)
    if word not in " ".join(words): continue
    seen = log.with_suffix(".seen-" + word.replace("/", "_"))
    count = int(seen.read_text()) if seen.exists() else 0
    seen.write_text(str(count + 1))
    if kind == "once" and count > 0: continue
    if kind == "full":
        pathlib.Path(value("--records") + ".part").write_text("half")
        sys.exit(print("vstream: writing failed: No space left on device; free some", file=sys.stderr) or 74)
    if kind == "usage": sys.exit(print("vstream: --passes 99: is not a number of passes; give 0.1 to 20", file=sys.stderr) or 64)
    if kind == "hang": time.sleep(60)
    sys.exit(print("vstream: reading the input failed; check the disk", file=sys.stderr) or 74)
time.sleep(float(os.environ.get("SLEEP", "0")))
if words[0] == "split":
    parts = [{"number": n, "packets": 10} for n in range({"short.mp4": 1, "large.mp4": 1500}.get(pathlib.Path(words[1]).name, 4))]
    pathlib.Path(value("-o")).write_text(json.dumps({"parts": parts}))
else:
    for name in ("--records", "--packets", "--stats", "--receipt", "-o"):
        if name == "-o" and ("--packets" in words or value("-o") in (None, "null")): continue
        if value(name): pathlib.Path(value(name)).write_text(" ".join(words))
        if name == "-o" and "--overlay-track" in words: pathlib.Path(value(name)).with_suffix(".ass").write_text("")
    if "--receipt" in words and "other.mp4" in words[0]: sys.exit(print("vstream: other.mp4: verified, 3 visible", file=sys.stderr) or 1)
'''


class Bench:
    """A folder with a stand-in for vstream, and inputs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.program = folder / "vstream"
        self.program.write_text(STAND_IN)
        self.program.chmod(0o755)
        for name in ("long.mp4", "other.mp4", "short.mp4", "large.mp4"):
            (folder / name).write_bytes(b"x" * len(name))

    def environment(self) -> dict[str, str]:
        return {**os.environ, "REAL": str(vstream_path()), "LOG": str(self.folder / "log")}

    def start(self, *words: str, fault: str = "", sleep: float = 0) -> subprocess.Popen:
        return subprocess.Popen([DRIVER, *words, "--vstream", self.program], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                                env={**self.environment(), "FAULT": fault, "SLEEP": str(sleep)}, stderr=subprocess.PIPE)

    def run(self, *words: str, fault: str = "", sleep: float = 0, seconds: float = 120) -> subprocess.CompletedProcess:
        process = self.start(*words, fault=fault, sleep=sleep)
        output, errors = process.communicate(timeout=seconds)
        return subprocess.CompletedProcess(words, process.returncode, output, errors)

    @property
    def commands(self) -> list[str]:
        path = self.folder / "log"
        return path.read_text().splitlines() if path.exists() else []


def a_long_video(bench: Bench) -> None:
    # As a worker that was killed would leave it.
    tag = f"long-{hashlib.sha256(str(bench.folder / 'long.mp4').encode()).hexdigest()[:8]}"
    (bench.folder / f".{tag}-0123456789ab").mkdir()
    done = bench.run("long.mp4", "-o", "out.mkv", "--records", "r.jsonl", "--crf", "30", "--classes", "car", "--workers", "2")
    require(done.returncode == 0, done.stderr)
    commands = bench.commands
    require(len(commands) == 11, commands)
    require(sum("--record-detections" in line for line in commands) == 4, commands)
    require(all(("--crf 30" in line) == ("-o null" not in line and "split" not in line and "--records" not in line)
                for line in commands), commands)
    require(all("--classes car" in line for line in commands[1:]), commands)
    require((bench.folder / "out.mkv").exists() and (bench.folder / "r.jsonl").exists(), "outputs")
    require(not (bench.folder / "out.mkv.work").exists(), "the work folder is left")
    require(not list(bench.folder.glob(".*")), "temporary folders are left")


def a_part_that_fails_once(bench: Bench) -> None:
    done = bench.run("long.mp4", "-o", "null", "--records", "r.jsonl", "--workers", "2", fault="plan.json:2 :once")
    require(done.returncode == 0, done.stderr)
    require(sum(".json:2" in line for line in bench.commands) == 2, bench.commands)


def a_part_that_fails_always(bench: Bench) -> None:
    done = bench.run("long.mp4", "-o", "null", "--records", "r.jsonl", "--workers", "2", fault="plan.json:2 :always")
    require(done.returncode == 74, done)
    require("part 2, detection" in done.stderr and "reading the input failed; check the disk" in done.stderr, done.stderr)
    require(sum(".json:2" in line for line in bench.commands) == 3, bench.commands)
    finished = {path: path.stat().st_mtime_ns for path in (bench.folder / "r.jsonl.work").glob("*/part-*.jsonl")}
    require(len(finished) == 3, finished)
    again = bench.run("long.mp4", "-o", "null", "--records", "r.jsonl", "--workers", "2", "--keep")
    require(again.returncode == 0, again.stderr)
    require(all(path.stat().st_mtime_ns == moment for path, moment in finished.items()), "finished parts were done again")


def a_wrong_option(bench: Bench) -> None:
    done = bench.run("long.mp4", "-o", "null", "--records", "r.jsonl", "--passes", "99", "--workers", "2", fault="--part :usage")
    require(done.returncode == 64 and "--passes 99: is not a number" in done.stderr, done)
    require(all(sum(f".json:{n} " in line for line in bench.commands) <= 1 for n in range(4)), bench.commands)


def workers_that_are_killed(bench: Bench) -> None:
    process = bench.start("long.mp4", "-o", "out.mkv", "--workers", "2", sleep=0.7)
    killed = 0
    while process.poll() is None and killed < 3:
        # Once another part is done, all workers have started.
        while process.poll() is None and len(list(bench.folder.glob("out.mkv.work/*/*-000*"))) <= killed:
            time.sleep(0.05)
        for pid in children(process.pid):
            command = Path(f"/proc/{pid}/cmdline").read_bytes() if Path(f"/proc/{pid}").exists() else b""
            if b"spawn_main" in command:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    killed += 1
                break
    _, errors = process.communicate(timeout=120)
    require(process.returncode == 0, errors)
    require(killed > 0 and (bench.folder / "out.mkv").exists(), killed)


def a_driver_that_is_killed(bench: Bench) -> None:
    process = bench.start("long.mp4", "-o", "out.mkv", "--workers", "2", sleep=0.5)
    while len(list((bench.folder).glob("out.mkv.work/*/part-*.jsonl"))) < 2:
        time.sleep(0.05)
    process.kill()
    process.communicate(timeout=60)
    before = len(bench.commands)
    finished = len(list(bench.folder.glob("out.mkv.work/*/part-*.jsonl")))
    done = bench.run("long.mp4", "-o", "out.mkv", "--workers", "2")
    require(done.returncode == 0, done.stderr)
    require(len(bench.commands) - before <= 10 - finished, (finished, bench.commands[before:]))


def two_jobs_in_one_folder(bench: Bench) -> None:
    first = bench.start("long.mp4", "-o", "out.mkv", "--workers", "1", "--work", "w", sleep=0.4)
    while not list(bench.folder.glob("w/*/plan.json")):
        time.sleep(0.05)
    second = bench.run("other.mp4", "-o", "two.mkv", "--workers", "1", "--work", "w")
    require(second.returncode == 73 and "is used by another vstream-cluster" in second.stderr, second)
    first.communicate(timeout=120)
    require(first.returncode == 0, "the first job")


def other_options_in_a_work_folder(bench: Bench) -> None:
    bench.run("long.mp4", "-o", "null", "--records", "r.jsonl", "--workers", "1", "--work", "w", "--keep")
    for words in (["-o", "null", "--classes", "car"], ["-o", "other.mkv"]):
        done = bench.run("long.mp4", *words, "--records", "r.jsonl", "--workers", "1", "--work", "w")
        require(done.returncode == 64 and "a job with other options" in done.stderr, done)


def many_files(bench: Bench) -> None:
    done = bench.run("long.mp4", "other.mp4", "short.mp4", "--output-dir", "out", "--records", "{name}.jsonl", "--workers", "2",
                     "--work", "w", fault="other.mp4:always")
    require(done.returncode == 74, done)
    require(sorted(path.name for path in (bench.folder / "out").iterdir()) == ["long.mp4", "short.mp4"], done.stderr)
    table = (bench.folder / "w/results.csv").read_text().splitlines()
    require(len(table) == 4 and sum(",0," in line for line in table) == 2, table)
    require(any("other.mp4" in line and ",74," in line and "reading the input failed" in line for line in table), table)
    whole = [line for line in bench.commands if "short.mp4" in line]
    require(len(whole) == 2 and "--part " not in whole[1], whole)
    before = len(bench.commands)
    again = bench.run("long.mp4", "other.mp4", "short.mp4", "--output-dir", "out", "--records", "{name}.jsonl", "--workers", "2",
                      "--work", "w", "--resume")
    require(again.returncode == 0, again.stderr)
    require(all("other" in line for line in bench.commands[before:]), bench.commands[before:])


def options_that_need_the_whole_file(bench: Bench) -> None:
    done = bench.run("long.mp4", "other.mp4", "--output-dir", "out", "--save-faces", "faces-{name}", "--workers", "2", "--work", "w")
    require(done.returncode == 0, done.stderr)
    whole = [line for line in bench.commands if line.split()[0] != "split"]
    require(len(whole) == 2 and all("--part " not in line and "--packets" not in line for line in whole), whole)
    require(any("--save-faces faces-other" in line for line in whole), whole)


def files_beside_an_output(bench: Bench) -> None:
    """The script of an overlay track comes with its video, and one that is there is not replaced unless it is asked for."""
    words = ["short.mp4", "-o", "out/a.mp4", "--overlay-track", "boxes", "--workers", "1", "--work", "w"]
    done = bench.run(*words)
    require(done.returncode == 74 and f"'{bench.folder}/out'" in done.stderr and "cannot be written" in done.stderr, done)
    (bench.folder / "out").mkdir()
    done = bench.run(*words)
    require(done.returncode == 0, done.stderr)
    require(sorted(path.name for path in (bench.folder / "out").iterdir()) == ["a.ass", "a.mp4"], "the script is missing")
    (bench.folder / "out/a.mp4").unlink()
    done = bench.run(*words)
    require(done.returncode == 73 and "a.ass' exists already" in done.stderr, done)
    require(bench.run(*words, "-y").returncode == 0, "it is replaced")


def receipts(bench: Bench) -> None:
    """Each file has one, with its output's own name; an output in which something is visible is kept, and not made again."""
    words = ["long.mp4", "other.mp4", "--output-dir", "out", "--redact", "fill", "--receipt", "out/{name}.json", "--workers", "2"]
    done = bench.run(*words)
    require(done.returncode == 1 and "other.mp4" in done.stderr and "3 visible" in done.stderr, done)
    whole = [line for line in bench.commands if line.split()[0] != "split"]
    require(len(whole) == 2, whole)
    outputs = sorted(path.name for path in (bench.folder / "out").iterdir())
    require(outputs == ["long.json", "long.mp4", "other.json", "other.mp4"], outputs)
    again = bench.run(*words)
    require(again.returncode == 1 and "3 visible" in again.stderr and len(bench.commands) == 4, again)
    require(bench.run(*words, "--resume").returncode == 64, "it is not known whether outputs that exist are redacted")

    clip = VIDEOS / "face-resizing.mp4"
    done = subprocess.run([DRIVER, clip, "-o", bench.folder / "safe.mp4", "--redact", "fill", "--receipt", bench.folder / "safe.json",
                           "--workers", "1", "--vstream", vstream_path()], capture_output=True, text=True)
    receipt = json.loads((bench.folder / "safe.json").read_text())
    require(done.returncode == (1 if receipt["residuals"] else 0), done.stderr)
    require(receipt["output"] == "safe.mp4" and receipt["framesRedacted"] > 0, receipt)
    require(receipt["outputSHA256"] == hashlib.sha256((bench.folder / "safe.mp4").read_bytes()).hexdigest(), "the output's hash")


def a_dry_run(bench: Bench) -> None:
    done = bench.run("long.mp4", "-o", "out.mkv", "--records", "r.jsonl", "--dry-run")
    require(done.returncode == 0 and len(done.stdout.splitlines()) == 10, done)
    require(len(bench.commands) == 1, bench.commands)


# Runs an array at once, in the manner of Slurm: each index by itself, with the dependencies noted.
SBATCH = r'''#!/usr/bin/env python3
import os, pathlib, subprocess, sys
count = next(int(word.rsplit("-", 1)[1]) + 1 for word in sys.argv if word.startswith("--array"))
log = pathlib.Path(os.environ["LOG"] + ".sbatch")
number = len(log.read_text().splitlines()) + 1 if log.exists() else 1
with open(log, "a") as file:
    file.write(" ".join(sys.argv[1:]) + "\n")
for index in range(count):
    subprocess.run(["sh", sys.argv[-1]], env={**os.environ, "SLURM_ARRAY_TASK_ID": str(index)}, check=True)
print(number)
'''


def slurm_arrays(bench: Bench) -> None:
    sbatch = bench.folder / "bin/sbatch"
    sbatch.parent.mkdir()
    sbatch.write_text(SBATCH)
    sbatch.chmod(0o755)
    path, os.environ["PATH"] = os.environ["PATH"], f"{sbatch.parent}:{os.environ['PATH']}"
    try:
        done = bench.run("long.mp4", "-o", "out.mkv", "--slurm", "--slurm-option=--mem=4G")
    finally:
        os.environ["PATH"] = path
    require(done.returncode == 0, done)
    require((bench.folder / "out.mkv").exists(), "the output")
    submitted = (bench.folder / "log.sbatch").read_text().splitlines()
    require(len(submitted) == 4 and all("--mem=4G" in line for line in submitted), submitted)
    require(all("--kill-on-invalid-dep=yes" in line for line in submitted[1:]), submitted)
    require(["afterok:1", "afterok:2", "afterok:3"] == [line.split("--dependency=")[1].split()[0] for line in submitted[1:]],
            submitted)
    require(submitted[0].split()[1] == "--array=0-3" and submitted[1].split()[1] == "--array=0-0", submitted)
    large = bench.run("large.mp4", "-o", "null", "--records", "r.jsonl", "--slurm", "--dry-run")
    require([line.split()[2] for line in large.stdout.splitlines()] == ["--array=0-999", "--array=0-499", "--array=0-0"], large)
    require("--dependency=afterok:STEP0:STEP0-1000" in large.stdout.splitlines()[-1], large)
    dry = bench.run("other.mp4", "-o", "two.mkv", "--slurm", "--dry-run")
    require(dry.returncode == 0 and dry.stdout.count("sbatch --parsable") == 4, dry)
    missing = run_without_sbatch(bench, "short.mp4", "-o", "three.mkv", "--slurm")
    require(missing.returncode == 69 and "there is no sbatch" in missing.stderr, missing)


def run_without_sbatch(bench: Bench, *words: str) -> subprocess.CompletedProcess:
    folder = bench.folder / "python"
    folder.mkdir()
    (folder / "python3").symlink_to(sys.executable)
    return subprocess.run([CLUSTER.python, DRIVER, *words, "--vstream", bench.program], cwd=bench.folder, capture_output=True,
                          text=True, env={**bench.environment(), "PATH": str(folder)})


USAGE_ERRORS = [
    (["long.mp4", "-o", "o.mkv"], "give one of --workers N, --scheduler URL and --slurm"),
    (["-o", "o.mkv", "--workers", "1"], "no input is given"),
    (["long.mp4", "--workers", "1"], "give either -o OUTPUT or --output-dir FOLDER"),
    (["long.mp4", "other.mp4", "-o", "o.mkv", "--workers", "1"], "2 inputs cannot have one output"),
    (["long.mp4", "-o", "o.mkv", "--workers", "0"], "--workers is not a number of workers"),
    (["long.mp4", "-o", "null", "--workers", "1"], "nothing is written"),
    (["long.mp4", "-o", "o.mkv", "--unheard", "--workers", "1"], "--unheard is no option"),
    (["long.mp4", "-o", "o-%04d.png", "--workers", "1"], "many files"),
    (["long.mp4", "-o", "o.m3u8", "--workers", "1"], "many files"),
    (["long.mp4", "-o", "o.mkv", "--receipt", "-", "--workers", "1"], "is not the name of a file"),
    (["long.mp4", "-o", "o.mkv", "--redact", "fill", "--resume", "--workers", "1"], "--resume does not know"),
    (["long.mp4", "other.mp4", "--output-dir", "o", "--redact", "fill", "--receipt", "r.json", "--workers", "1"], "the name of --receipt"),
    (["long.mp4", "-o", "o.mkv", "--records", "-", "--workers", "1"], "--records - cannot be used"),
    (["long.mp4", "other.mp4", "--output-dir", "d", "--records", "r.jsonl", "--workers", "1"], "put {name} in the name"),
    (["long.mp4", "long.mp4", "--output-dir", "d", "--workers", "1"], "two inputs would write the same file"),
    (["long.mp4", "-o", "o.mkv", "--part-duration", "0", "--workers", "1"], "--part-duration is not a duration"),
    (["long.mp4", "-o", "o.mkv", "--part-timeout", "0", "--workers", "1"], "--part-timeout is not a duration"),
    (["long.mp4", "-o", "o.mkv", "--scheduler", "tls://127.0.0.1:1", "--tls-ca", "ca.pem"], "tls:// needs certificates"),
    (["long.mp4", "-o", "o.mkv", "--workers", "many"], "argument --workers: invalid int value: 'many'"),
]


def wrong_command_lines(bench: Bench) -> None:
    for words, message in USAGE_ERRORS:
        done = bench.run(*words)
        require(done.returncode == 64 and message in done.stderr, (words, done))
    (bench.folder / "there.mkv").write_text("")
    done = bench.run("long.mp4", "-o", "there.mkv", "--workers", "1")
    require(done.returncode == 73 and "exists already; -y replaces it" in done.stderr, done)


def the_program_itself(bench: Bench) -> None:
    clip = bench.folder / "street.mp4"
    subprocess.run(["ffmpeg", "-v", "error", "-i", VIDEOS / "street.avi", "-vf",
                    "select=not(mod(n\\,13)),scale=192:144,setpts=4*N/TB,fps=1/4", "-fps_mode", "passthrough", "-c:v", "libx264",
                    "-g", "6", clip], check=True)
    run_once(clip, "one")
    done = subprocess.run([DRIVER, clip, "-o", bench.folder / "parts.mkv", "--records", bench.folder / "parts.jsonl", *OPTIONS,
                           "--part-duration", "30", "--workers", "2", "--vstream", vstream_path()], capture_output=True, text=True)
    require(done.returncode == 0, done.stderr)
    require_equal(bench.folder, "one", "parts")


class Servers:
    """A scheduler on this machine, and workers with an environment each; all are killed in the end."""

    def __init__(self, bench: Bench, *options: str) -> None:
        self.bench, self.options = bench, options
        self.running: list[subprocess.Popen] = []
        self.url = ""

    def __enter__(self) -> Servers:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self, *workers: dict[str, str], port: str = "0") -> None:
        address = self.bench.folder / "scheduler.json"
        address.unlink(missing_ok=True)
        self.run("scheduler", "--host", "127.0.0.1", "--port", port, "--scheduler-file", str(address))
        # The file exists before it is written.
        wait_until(lambda: address.exists() and address.read_text().endswith("}"), "the scheduler listens")
        self.url = json.loads(address.read_text())["address"]
        for environment in workers:
            self.start_worker(environment)

    def start_worker(self, environment: dict[str, str]) -> None:
        self.run("worker", self.url, "--nthreads", "1", "--no-nanny", environment=environment)

    def run(self, *words: str, environment: dict[str, str] | None = None) -> None:
        self.running.append(subprocess.Popen([DASK, *words, "--no-dashboard", *self.options], cwd=self.bench.folder,
                                             env={**self.bench.environment(), **(environment or {})}, stderr=subprocess.DEVNULL))

    def kill(self) -> None:
        for process in self.running:
            process.kill()
            process.wait()
        self.running = []


def mutual_tls(bench: Bench) -> None:
    certificate(bench.folder, "authority", None)
    node = certificate(bench.folder, "node", "authority")
    stranger = certificate(bench.folder, "stranger", None)
    ca = str(bench.folder / "authority.pem")
    with Servers(bench, "--tls-ca-file", ca, *node, "--protocol", "tls") as servers:
        servers.start({}, {})
        url = servers.url
        require(url.startswith("tls://"), url)
        done = bench.run("long.mp4", "-o", "out.mkv", "--scheduler", url, "--tls-ca", ca, *node)
        require(done.returncode == 0 and (bench.folder / "out.mkv").exists(), done.stderr)
        refused = bench.run("long.mp4", "-o", "two.mkv", "--scheduler", url, "--tls-ca", ca, *stranger)
        require(refused.returncode == 69 and "cannot be reached" in refused.stderr, refused)
        plain = bench.run("long.mp4", "-o", "two.mkv", "--scheduler", url.replace("tls", "tcp"), "--connect-timeout", "2")
        require(plain.returncode == 69, plain)


def a_scheduler_that_is_killed(bench: Bench) -> None:
    with Servers(bench) as servers:
        servers.start({"SLEEP": "0.5"}, {"SLEEP": "0.5"})
        words = ["long.mp4", "-o", "null", "--records", "r.jsonl", "--scheduler", servers.url]
        driver = bench.start(*words)
        wait_until(lambda: len(parts(bench)) >= 2, "two parts are finished")
        servers.running[0].kill()
        _, errors = driver.communicate(timeout=60)
        require(driver.returncode == 69 and len(errors.splitlines()) == 1, errors)
        require("connection to the scheduler was lost; start it and its workers again" in errors, errors)
        servers.kill()
        finished = parts(bench)
        servers.start({}, {}, port=servers.url.rpartition(":")[-1])
        again = bench.run(*words, "--keep")
        require(again.returncode == 0, again.stderr)
        require(all(parts(bench)[path] == moment for path, moment in finished.items()), "finished parts were done again")


def parts(bench: Bench) -> dict[Path, int]:
    """Finished parts of r.jsonl, and their times."""
    return {path: path.stat().st_mtime_ns for path in bench.folder.glob("r.jsonl.work/*/part-*.jsonl")}


WAIT_FOR_WORKERS = """
import sys, distributed
with distributed.Client(sys.argv[1]) as client:
    client.wait_for_workers(int(sys.argv[2]), timeout=60)
"""


def a_worker_that_fails(bench: Bench) -> None:
    for kind in ("always", "full"):
        with Servers(bench) as servers:
            bad = bench.folder / f"log-{kind}"
            servers.start({"FAULT": f"--part :{kind}", "LOG": str(bad)}, {"SLEEP": "0.3"})
            subprocess.run([CLUSTER.python, "-c", WAIT_FOR_WORKERS, servers.url, "2"], check=True)
            done = bench.run("long.mp4", "-o", "null", "--records", "r.jsonl", "--scheduler", servers.url, "--keep", "--work", kind)
            require(done.returncode == 0, done.stderr)
            failed = [line.partition(" --record-detections")[0] for line in bad.read_text().splitlines() if "--part " in line]
            require(0 < len(failed) == len(set(failed)), f"a part was tried twice on the worker that fails: {failed}")
            require(not list((bench.folder / kind).rglob(".*")), "temporary files are left")
            (bench.folder / "r.jsonl").unlink()


def a_worker_that_is_replaced(bench: Bench) -> None:
    """Parts that failed on the one worker wait for the other, which is killed when a third has joined."""
    with Servers(bench) as servers:
        bad = bench.folder / "log-bad"
        servers.start({"FAULT": "--part :always", "LOG": str(bad)}, {"SLEEP": "60"})
        subprocess.run([CLUSTER.python, "-c", WAIT_FOR_WORKERS, servers.url, "2"], check=True)
        # Makes the plan, which the slow worker would otherwise delay.
        planned = bench.run("long.mp4", "-o", "null", "--records", "r.jsonl", "--dry-run")
        require(planned.returncode == 0, planned.stderr)
        driver = bench.start("long.mp4", "-o", "null", "--records", "r.jsonl", "--scheduler", servers.url)
        wait_until(lambda: bad.exists() and bad.read_text().count("--part ") >= 3, "three parts have failed")
        servers.start_worker({})
        subprocess.run([CLUSTER.python, "-c", WAIT_FOR_WORKERS, servers.url, "3"], check=True)
        servers.running[2].kill()
        _, errors = driver.communicate(timeout=60)
        require(driver.returncode == 0, errors)


def a_part_that_hangs(bench: Bench) -> None:
    words = ["long.mp4", "-o", "null", "--records", "r.jsonl", "--workers", "2", "--part-timeout", "2"]
    done = bench.run(*words, fault="plan.json:2 :hang")
    require(done.returncode == 124 and "part 2, detection" in done.stderr and "did not end within 2 s" in done.stderr, done)
    require(sum(".json:2" in line for line in bench.commands) == 3, bench.commands)
    again = bench.run(*words)
    require(again.returncode == 0, again.stderr)


# As STAND_IN, for inputs that are not split, with as many packets as the input has bytes; starts faster.
CHEAP_STAND_IN = r"""#!/bin/sh
case $1 in
  --experimental-dump-help) exec "$REAL" "$@" ;;
esac
echo "$*" >> "$LOG"
case $* in
  split*) printf '{"parts": [{"number": 0, "packets": %d}]}' $(wc -c < "$2") > "$4" ;;
  *"${FAULT:-no fault}"*) echo "vstream: the input is no video; name one" >&2; exit 65 ;;
  *) echo "$1" > "$5" ;;
esac
"""


def many_inputs(bench: Bench) -> None:
    bench.program.write_text(CHEAP_STAND_IN)
    count = int(os.environ.get("INPUTS", "300"))
    names = [f"{number}.mp4" for number in range(count - 1)] + ["bad.mp4"]
    for number, name in enumerate(names):
        # Sizes in no order.
        (bench.folder / name).write_bytes(b"x" * (1 + number * 7919 % count))
    (bench.folder / "list.txt").write_text("\n".join(names))
    words = ["--list", "list.txt", "-o", "null", "--records", "{name}.jsonl", "--workers", "1", "--work", "w"]
    done = bench.run(*words, fault="bad.mp4 ", seconds=3600)
    require(done.returncode == 65 and "the input is no video" in done.stderr, done)
    require(len(list(bench.folder.glob("*.jsonl"))) == count - 1, "records are missing")
    table = (bench.folder / "w/results.csv").read_text().splitlines()
    require(len(table) == count + 1 and sum(",0," in line for line in table) == count - 1, len(table))
    for step in ("split", "--records"):
        sizes = [input_size(bench, line) for line in bench.commands if step in line and "bad.mp4" not in line]
        require(sizes == sorted(sizes, reverse=True) and len(sizes) == count - 1, f"not the biggest first: {sizes}")
    before = len(bench.commands)
    again = bench.run(*words, "--resume")
    require(again.returncode == 0, again.stderr)
    require([line for line in bench.commands[before:] if "bad.mp4" not in line] == [], bench.commands[before:])


def input_size(bench: Bench, command: str) -> int:
    return next(Path(word).stat().st_size for word in command.split() if word.endswith(".mp4"))


TESTS = [mutual_tls, slurm_arrays, a_long_video, a_part_that_fails_once, a_part_that_fails_always, a_part_that_hangs,
         a_worker_that_fails, a_worker_that_is_replaced, a_wrong_option, workers_that_are_killed, a_scheduler_that_is_killed,
         a_driver_that_is_killed, two_jobs_in_one_folder, other_options_in_a_work_folder, many_files, many_inputs,
         options_that_need_the_whole_file, files_beside_an_output, receipts, a_dry_run, wrong_command_lines, the_program_itself]


def main() -> None:
    CLUSTER.prepare()
    failed = 0
    for test in TESTS:
        name = test.__name__.replace("_", "-")
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(Bench(Path(folder)))
                log(f"{name}: passed")
            except (AssertionError, subprocess.SubprocessError) as error:
                failed += 1
                log(f"{name}: {error}")
    if failed:
        fail(f"{failed} tests failed", 1)
