"""Tests scripts/cluster/vstream-cluster: the results of one run, and the outcomes of failures.

    scripts/checks/cluster/driver [NAME…]

Runs the tests of those names, or all. Failures are those of a stand-in for vstream; two tests run the program itself.
"""

from __future__ import annotations

import contextlib
import filecmp
import hashlib
import json
import os
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from ...common import ROOT, VIDEOS, fail, log, parser, vstream_path
from ...environments import CLUSTER
from ...measuring import ffmpeg

DRIVER = ROOT / "scripts/cluster/vstream-cluster"
DASK = CLUSTER.folder / "bin/dask"


def require(condition: object, what: object) -> None:
    if not condition:
        raise AssertionError(what)


def wait_until(condition: Callable[[], object], what: str, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        require(time.monotonic() < end, f"{what}: not within {seconds:.0f} s")
        time.sleep(0.05)


# Behaves like vstream as far as the driver knows it; FAULT decides its failures: `WORD:KIND`, where WORD is in the command.
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
RECORDS_ALONE = "long.mp4 -o null --records r.jsonl --workers 2"


class Bench:
    """A folder with a stand-in for vstream, and inputs."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.program = folder, folder / "vstream"
        self.program.write_text(STAND_IN)
        self.program.chmod(0o755)
        for name in ("long.mp4", "other.mp4", "short.mp4", "large.mp4"):
            (folder / name).write_bytes(b"x" * len(name))
        self.environment = {**os.environ, "REAL": str(vstream_path()), "LOG": str(folder / "log")}

    def start(self, words: str, fault: str = "", sleep: float = 0) -> subprocess.Popen:
        return subprocess.Popen([DRIVER, *shlex.split(words), "--vstream", self.program], cwd=self.folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env={**self.environment, "FAULT": fault, "SLEEP": str(sleep)})

    def run(self, words: str, status: int = 0, says: str = "", fault: str = "") -> str:
        """Runs the driver, which has to end with a status and a message; its standard output and its messages."""
        process = self.start(words, fault)
        output, errors = process.communicate(timeout=120)
        require(process.returncode == status and says in errors, f"{words}: exit code {process.returncode}: {errors}")
        return output + errors

    @property
    def commands(self) -> list[str]:
        path = self.folder / "log"
        return path.read_text().splitlines() if path.exists() else []

    def count(self, text: str) -> int:
        return sum(text in line for line in self.commands)

    def parts(self) -> dict[Path, int]:
        """Finished parts of all work folders, and their times."""
        return {path: path.stat().st_mtime_ns for path in self.folder.glob("*.work/*/part-*.jsonl")}

    def names(self, folder: str) -> list[str]:
        return sorted(path.name for path in (self.folder / folder).iterdir())

    def run_again(self, words: str, finished: dict[Path, int]) -> None:
        """Runs a job again, which must not do again the parts that are finished."""
        self.run(f"{words} --keep")
        require(finished and all(self.parts()[path] == moment for path, moment in finished.items()), "finished parts were done again")


# --- Parts, and their failures ---


def a_long_video(bench: Bench) -> None:
    # As a worker that was killed would leave it.
    tag = f"long-{hashlib.sha256(str(bench.folder / 'long.mp4').encode()).hexdigest()[:8]}"
    (bench.folder / f".{tag}-0123456789ab").mkdir()
    bench.run("long.mp4 -o out.mkv --records r.jsonl --crf 30 --classes car --workers 2")
    commands = bench.commands
    require(len(commands) == 11 and bench.count("--record-detections") == 4, commands)
    require(all(("--crf 30" in line) == ("-o null" not in line and "split" not in line and "--records" not in line)
                and "--classes car" in line for line in commands[1:]), commands)
    require({"out.mkv", "r.jsonl"} < set(bench.names(".")), "outputs are missing")
    require(not any(name.startswith(".") or name.endswith(".work") for name in bench.names(".")), f"left: {bench.names('.')}")


def a_part_that_fails_once(bench: Bench) -> None:
    bench.run(RECORDS_ALONE, fault="plan.json:2 :once")
    require(bench.count(".json:2") == 2, bench.commands)


def a_part_that_fails_always(bench: Bench) -> None:
    message = bench.run(RECORDS_ALONE, 74, "reading the input failed; check the disk", fault="plan.json:2 :always")
    require("part 2, detection" in message and bench.count(".json:2") == 3 and len(bench.parts()) == 3, message)
    bench.run_again(RECORDS_ALONE, bench.parts())


def a_part_that_hangs(bench: Bench) -> None:
    words = f"{RECORDS_ALONE} --part-timeout 2"
    require("part 2, detection" in bench.run(words, 124, "did not end within 2 s", fault="plan.json:2 :hang"), "the part")
    require(bench.count(".json:2") == 3, bench.commands)
    bench.run(words)


def a_wrong_option(bench: Bench) -> None:
    bench.run(f"{RECORDS_ALONE} --passes 99", 64, "--passes 99: is not a number", fault="--part :usage")
    require(all(bench.count(f".json:{number} ") <= 1 for number in range(4)), bench.commands)


def workers_that_are_killed(bench: Bench) -> None:
    process = bench.start("long.mp4 -o out.mkv --workers 2", sleep=0.7)
    files = "out.mkv.work/*/*-000*"
    for killed in range(3):
        # Once another part is done, all workers have started.
        wait_until(lambda killed=killed: process.poll() is not None or len(list(bench.folder.glob(files))) > killed, "a part is done")
        for path in Path(f"/proc/{process.pid}/task").glob("*/children"):
            with contextlib.suppress(OSError, StopIteration):
                workers = (pid for pid in path.read_text().split() if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes())
                os.kill(int(next(workers)), signal.SIGKILL)
                break
    _, errors = process.communicate(timeout=120)
    require(process.returncode == 0 and (bench.folder / "out.mkv").exists(), errors)


def a_driver_that_is_killed(bench: Bench) -> None:
    process = bench.start("long.mp4 -o out.mkv --workers 2", sleep=0.5)
    wait_until(lambda: len(bench.parts()) >= 2, "two parts are finished")
    process.kill()
    process.communicate(timeout=60)
    bench.run_again("long.mp4 -o out.mkv --workers 2", bench.parts())


def two_jobs_in_one_folder(bench: Bench) -> None:
    first = bench.start("long.mp4 -o out.mkv --workers 1 --work w", sleep=0.4)
    wait_until(lambda: list(bench.folder.glob("w/*/plan.json")), "the first job runs")
    bench.run("other.mp4 -o two.mkv --workers 1 --work w", 73, "is used by another vstream-cluster")
    first.communicate(timeout=120)
    require(first.returncode == 0, "the first job fails")


def other_options_in_a_work_folder(bench: Bench) -> None:
    bench.run("long.mp4 -o null --records r.jsonl --workers 1 --work w --keep")
    for words in ("-o null --classes car", "-o other.mkv"):
        bench.run(f"long.mp4 {words} --records r.jsonl --workers 1 --work w", 64, "a job with other options")


# --- Many files, and whole files ---


def many_files(bench: Bench) -> None:
    words = "long.mp4 other.mp4 short.mp4 --output-dir out --records {name}.jsonl --workers 2 --work w"
    bench.run(words, 74, fault="other.mp4:always")
    require(bench.names("out") == ["long.mp4", "short.mp4"], bench.names("out"))
    table = (bench.folder / "w/results.csv").read_text().splitlines()
    require(len(table) == 4 and sum(",0," in line for line in table) == 2, table)
    require(any("other.mp4" in line and ",74," in line and "reading the input failed" in line for line in table), table)
    whole = [line for line in bench.commands if "short.mp4" in line]
    require(len(whole) == 2 and "--part " not in whole[1], whole)
    before = len(bench.commands)
    bench.run(f"{words} --resume")
    require(all("other" in line for line in bench.commands[before:]), bench.commands[before:])


def whole_commands(bench: Bench) -> list[str]:
    return [line for line in bench.commands if not line.startswith("split")]


def options_that_need_the_whole_file(bench: Bench) -> None:
    bench.run("long.mp4 other.mp4 --output-dir out --save-faces faces-{name} --workers 2 --work w")
    whole = whole_commands(bench)
    require(len(whole) == 2 and all("--part " not in line and "--packets" not in line for line in whole), whole)
    require(any("--save-faces faces-other" in line for line in whole), whole)


def files_beside_an_output(bench: Bench) -> None:
    """The script of an overlay track comes with its video, and one that is there is not replaced unless it is asked for."""
    words = "short.mp4 -o out/a.mp4 --overlay-track boxes --workers 1 --work w"
    require("cannot be written" in bench.run(words, 74, f"'{bench.folder}/out'"), "the message")
    (bench.folder / "out").mkdir()
    bench.run(words)
    require(bench.names("out") == ["a.ass", "a.mp4"], "the script is missing")
    (bench.folder / "out/a.mp4").unlink()
    bench.run(words, 73, "a.ass' exists already")
    bench.run(f"{words} -y")


def receipts(bench: Bench) -> None:
    """Each file has one, with its output's own name; an output in which something is visible is kept, and not made again."""
    words = "long.mp4 other.mp4 --output-dir out --redact fill --receipt out/{name}.json --workers 2"
    require("other.mp4" in bench.run(words, 1, "3 visible"), "the file")
    require(len(whole_commands(bench)) == 2, bench.commands)
    require(bench.names("out") == ["long.json", "long.mp4", "other.json", "other.mp4"], bench.names("out"))
    bench.run(words, 1, "3 visible")
    require(len(bench.commands) == 4, bench.commands)
    bench.run(f"{words} --resume", 64)  # it is not known whether outputs that exist are redacted
    video, file = bench.folder / "safe.mp4", bench.folder / "safe.json"
    done = subprocess.run([DRIVER, VIDEOS / "face-resizing.mp4", "-o", video, "--redact", "fill", "--receipt", file, "--workers", "1",
                           "--vstream", vstream_path()], capture_output=True, text=True)
    receipt = json.loads(file.read_text())
    require(done.returncode == (1 if receipt["residuals"] else 0), done.stderr)
    require(receipt["output"] == "safe.mp4" and receipt["framesRedacted"] > 0, receipt)
    require(receipt["outputSHA256"] == hashlib.sha256(video.read_bytes()).hexdigest(), "the output's hash")


def the_program_itself(bench: Bench) -> None:
    """With a lossless codec, records and pictures of parts are those of one run."""
    ffmpeg("-i", VIDEOS / "street.avi", "-vf", "select=not(mod(n\\,13)),scale=192:144,setpts=4*N/TB,fps=1/4", "-fps_mode", "passthrough",
           "-c:v", "libx264", "-g", 6, bench.folder / "street.mp4")
    cluster = [DRIVER, "--part-duration", "30", "--workers", "2", "--vstream", vstream_path()]
    for name, program in (("one", [vstream_path(), "--quiet"]), ("parts", cluster)):
        subprocess.run([*program, "street.mp4", "-o", f"{name}.mkv", "--records", f"{name}.jsonl", "--codec", "ffv1", "--events"],
                       cwd=bench.folder, check=True, capture_output=True)
    require(filecmp.cmp(bench.folder / "one.jsonl", bench.folder / "parts.jsonl", shallow=False), "the records differ")
    one, parts = (subprocess.run(["ffmpeg", "-v", "error", "-i", bench.folder / f"{name}.mkv", "-f", "framemd5", "-"], check=True,
                                 capture_output=True).stdout for name in ("one", "parts"))
    require(one == parts, "the pictures differ")


# --- Command lines ---


def a_dry_run(bench: Bench) -> None:
    printed = bench.run("long.mp4 -o out.mkv --records r.jsonl --dry-run")
    require(len(printed.splitlines()) == 10 and len(bench.commands) == 1, printed)


USAGE_ERRORS = {
    "long.mp4 -o o.mkv": "give one of --workers N, --scheduler URL and --slurm",
    "-o o.mkv --workers 1": "no input is given",
    "long.mp4 --workers 1": "give either -o OUTPUT or --output-dir FOLDER",
    "long.mp4 other.mp4 -o o.mkv --workers 1": "2 inputs cannot have one output",
    "long.mp4 -o o.mkv --workers 0": "--workers is not a number of workers",
    "long.mp4 -o null --workers 1": "nothing is written",
    "long.mp4 -o o.mkv --unheard --workers 1": "--unheard is no option",
    "long.mp4 -o o-%04d.png --workers 1": "many files",
    "long.mp4 -o o.m3u8 --workers 1": "many files",
    "long.mp4 -o o.mkv --receipt - --workers 1": "is not the name of a file",
    "long.mp4 -o o.mkv --redact fill --resume --workers 1": "--resume does not know",
    "long.mp4 other.mp4 --output-dir o --redact fill --receipt r.json --workers 1": "the name of --receipt",
    "long.mp4 -o o.mkv --records - --workers 1": "--records - cannot be used",
    "long.mp4 other.mp4 --output-dir d --records r.jsonl --workers 1": "put {name} in the name",
    "long.mp4 long.mp4 --output-dir d --workers 1": "two inputs would write the same file",
    "long.mp4 -o o.mkv --part-duration 0 --workers 1": "--part-duration is not a duration",
    "long.mp4 -o o.mkv --part-timeout 0 --workers 1": "--part-timeout is not a duration",
    "long.mp4 -o o.mkv --scheduler tls://127.0.0.1:1 --tls-ca ca.pem": "tls:// needs certificates",
    "long.mp4 -o o.mkv --workers many": "argument --workers: invalid int value: 'many'",
}


def wrong_command_lines(bench: Bench) -> None:
    for words, message in USAGE_ERRORS.items():
        bench.run(words, 64, message)
    (bench.folder / "there.mkv").write_text("")
    bench.run("long.mp4 -o there.mkv --workers 1", 73, "exists already; -y replaces it")


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
    bench.run("short.mp4 -o three.mkv --slurm", 69, "there is no sbatch")
    sbatch.write_text(SBATCH)
    sbatch.chmod(0o755)
    bench.environment["PATH"] = f"{sbatch.parent}:{os.environ['PATH']}"
    bench.run("long.mp4 -o out.mkv --slurm --slurm-option=--mem=4G")
    require((bench.folder / "out.mkv").exists(), "the output is missing")
    submitted = (bench.folder / "log.sbatch").read_text().splitlines()
    require(len(submitted) == 4 and all("--mem=4G" in line for line in submitted), submitted)
    for number, line in enumerate(submitted[1:], 1):
        require("--kill-on-invalid-dep=yes" in line and f"--dependency=afterok:{number} " in line, submitted)
    require(submitted[0].split()[1] == "--array=0-3" and submitted[1].split()[1] == "--array=0-0", submitted)
    large = bench.run("large.mp4 -o null --records r.jsonl --slurm --dry-run").splitlines()
    require([line.split()[2] for line in large] == ["--array=0-999", "--array=0-499", "--array=0-0"], large)
    require("--dependency=afterok:STEP0:STEP0-1000" in large[-1], large)
    require(bench.run("other.mp4 -o two.mkv --slurm --dry-run").count("sbatch --parsable") == 4, "the dry run")


# --- A scheduler ---


class Servers:
    """A Dask scheduler, and workers by their names, each with variables of its own; all are killed in the end."""

    def __init__(self, bench: Bench, *options: object, **workers: dict[str, str]) -> None:
        self.bench, self.options, self.workers, self.url = bench, [*options, "--no-dashboard"], workers, ""
        self.running: dict[str, subprocess.Popen] = {}

    def __enter__(self) -> Servers:
        self.start_scheduler()
        for name, variables in self.workers.items():
            self.start_worker(name, variables)
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.running.values():
            process.kill()
            process.wait()
        self.running.clear()

    def start_scheduler(self, port: str = "0") -> None:
        address = self.bench.folder / "scheduler.json"
        address.unlink(missing_ok=True)
        self.run("scheduler", {}, "scheduler", "--host", "127.0.0.1", "--port", port, "--scheduler-file", address)
        # The file exists before it is written.
        wait_until(lambda: address.exists() and address.read_text().endswith("}"), "the scheduler listens")
        self.url = json.loads(address.read_text())["address"]

    def start_worker(self, name: str, variables: dict[str, str]) -> None:
        """Returns once the worker of this name has joined."""
        self.run(name, variables, "worker", self.url, "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--local-directory",
                 self.bench.folder / f"dask-{name}")
        wait_until(lambda: "Registered to" in (self.bench.folder / f"{name}.messages").read_text(), f"the worker '{name}' has joined")

    def run(self, name: str, variables: dict[str, str], *words: object) -> None:
        # Without this package: the driver sends the worker's module.
        environment = {key: value for key, value in self.bench.environment.items() if key != "PYTHONPATH"} | variables
        with (self.bench.folder / f"{name}.messages").open("w") as messages:
            self.running[name] = subprocess.Popen([*map(str, [DASK, *words, *self.options])], cwd=self.bench.folder, env=environment,
                                                  stderr=messages)


def certificate(folder: Path, name: str, authority: str | None) -> list[str]:
    """A certificate signed by an authority, or by itself; the options of Dask's programs that name the files."""
    key, file = folder / f"{name}.key", folder / f"{name}.pem"
    signed = ["-CA", folder / f"{authority}.pem", "-CAkey", folder / f"{authority}.key"] if authority else []
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-subj", f"/CN={name}", "-out", file,
                    "-days", "2", *signed], check=True, capture_output=True)
    return ["--tls-cert", str(file), "--tls-key", str(key)]


def mutual_tls(bench: Bench) -> None:
    certificate(bench.folder, "authority", None)
    node, stranger = certificate(bench.folder, "node", "authority"), certificate(bench.folder, "stranger", None)
    with Servers(bench, "--tls-ca-file", "authority.pem", *node, "--protocol", "tls", one={}, two={}) as servers:
        require(servers.url.startswith("tls://"), servers.url)
        bench.run(shlex.join(["long.mp4", "-o", "out.mkv", "--scheduler", servers.url, "--tls-ca", "authority.pem", *node]))
        bench.run(shlex.join(["long.mp4", "-o", "two.mkv", "--scheduler", servers.url, "--tls-ca", "authority.pem", *stranger]), 69,
                  "cannot be reached")
        bench.run(f"long.mp4 -o two.mkv --scheduler {servers.url.replace('tls', 'tcp')} --connect-timeout 2", 69)


def a_scheduler_that_is_killed(bench: Bench) -> None:
    with Servers(bench, one={"SLEEP": "0.5"}, two={"SLEEP": "0.5"}) as servers:
        words = f"long.mp4 -o null --records r.jsonl --scheduler {servers.url}"
        driver = bench.start(words)
        wait_until(lambda: len(bench.parts()) >= 2, "two parts are finished")
        servers.running["scheduler"].kill()
        _, errors = driver.communicate(timeout=60)
        require(driver.returncode == 69 and len(errors.splitlines()) == 1, errors)
        require("connection to the scheduler was lost; start it and its workers again" in errors, errors)
        for process in servers.running.values():
            process.kill()
            process.wait()
        finished = bench.parts()
        servers.start_scheduler(servers.url.rpartition(":")[-1])
        servers.start_worker("one", {})
        bench.run_again(words, finished)


def a_worker_that_fails(bench: Bench) -> None:
    for kind in ("always", "full"):
        bad = bench.folder / f"log-{kind}"
        with Servers(bench, bad={"FAULT": f"--part :{kind}", "LOG": str(bad)}, good={"SLEEP": "0.3"}) as servers:
            bench.run(f"long.mp4 -o null --records {kind}.jsonl --scheduler {servers.url} --keep --work {kind}")
            failed = [line.partition(" --record-detections")[0] for line in bad.read_text().splitlines() if "--part " in line]
            require(0 < len(failed) == len(set(failed)), f"a part was tried twice on the worker that fails: {failed}")
            require(not list((bench.folder / kind).rglob(".*")), "temporary files are left")


def a_worker_that_is_replaced(bench: Bench) -> None:
    """Parts that failed on the one worker wait for the other, which is killed when a third has joined."""
    bad = bench.folder / "log-bad"
    with Servers(bench, bad={"FAULT": "--part :always", "LOG": str(bad)}, slow={"SLEEP": "60"}) as servers:
        # Makes the plan, which the slow worker would otherwise delay.
        bench.run("long.mp4 -o null --records r.jsonl --dry-run")
        driver = bench.start(f"long.mp4 -o null --records r.jsonl --scheduler {servers.url}")
        wait_until(lambda: bad.exists() and bad.read_text().count("--part ") >= 3, "three parts have failed")
        servers.start_worker("new", {})
        servers.running["slow"].kill()
        _, errors = driver.communicate(timeout=60)
        require(driver.returncode == 0, errors)


TESTS: list[Callable[[Bench], None]] = [
    mutual_tls, slurm_arrays, a_long_video, a_part_that_fails_once, a_part_that_fails_always, a_part_that_hangs, a_worker_that_fails,
    a_worker_that_is_replaced, a_wrong_option, workers_that_are_killed, a_scheduler_that_is_killed, a_driver_that_is_killed,
    two_jobs_in_one_folder, other_options_in_a_work_folder, many_files, options_that_need_the_whole_file,
    files_beside_an_output, receipts, a_dry_run, wrong_command_lines, the_program_itself]


def main() -> None:
    names = {test.__name__.replace("_", "-"): test for test in TESTS}
    options = parser(__doc__)
    options.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names))
    chosen = options.parse_args().names
    if unknown := set(chosen) - set(names):
        options.error(f"there is no test '{unknown.pop()}'")
    failed = 0
    for name in chosen or names:
        with tempfile.TemporaryDirectory() as folder:
            try:
                names[name](Bench(Path(folder)))
                log(f"{name}: passed")
            except (AssertionError, subprocess.SubprocessError) as error:
                failed += 1
                log(f"{name}: {error}")
    if failed:
        fail(f"{failed} tests failed")

