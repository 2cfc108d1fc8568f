"""Runs vstream on many machines: long videos in parts, and many files, with the results of one machine.

    vstream-cluster INPUT… (-o OUTPUT | --output-dir FOLDER) [options of vstream] (--workers N | --scheduler tcp://HOST:8786 | --slurm)

    --workers N           a cluster of N workers of this machine
    --scheduler URL       a Dask scheduler; --tls-ca, --tls-cert and --tls-key are files for tls://
    --slurm               prints and submits an array of Slurm for each step; --slurm-option=OPTION is one of sbatch
    --list FILE           further inputs, one on each line
    --output-dir FOLDER   a file for each input, named like it; --output-ext EXT gives them another ending
    --part-duration S     seconds of a part (60), rounded up to multiples of 30; shorter inputs are not split
    --part-timeout S      seconds after which a part counts as hung, and is tried again (600, and 120 for each second of a part)
    --work FOLDER         where plans and parts are, for all machines (OUTPUT.work); run again with it, the job goes on
    --keep                keeps plans and parts
    --resume              skips inputs whose outputs exist
    --dry-run             prints the commands that are known before anything is detected
    --vstream PROGRAM     the program, on all machines

`{name}` in --records and --receipt stands for the input's name without its ending. The outcome of each input is in WORK/results.csv.
Workers need this folder's environment and vstream: `scripts/cluster/vstream-cluster --set-up` installs the first, and
`.deps/venv-cluster/bin/dask worker URL --nthreads 1 --no-nanny` starts one.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import fcntl
import hashlib
import json
import logging
import os
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import NoReturn, TextIO

import dask
from distributed import Client, LocalCluster
from distributed.security import Security

import vstream_worker as worker
from vstream_worker import HERE, Outcome

from ..common import vstream_path
from . import slurm
from .jobs import Job, UsageError, declared_options, sort_options
from .run import Run, SchedulerLost

USAGE, UNREACHABLE, BUSY = 64, 69, 73


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        fail(f"{message}; --help lists the options", USAGE)

    def format_help(self) -> str:
        return f"{__doc__}"


def parse(words: list[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = Parser(prog="vstream-cluster", allow_abbrev=False)
    parser.add_argument("-o", "--output")
    parser.add_argument("-y", "--overwrite", action="store_true")
    parser.add_argument("--output-ext", default="")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--connect-timeout", type=float, default=10.0)
    parser.add_argument("--part-duration", type=float, default=60.0)
    parser.add_argument("--part-timeout", type=float)
    parser.add_argument("--vstream", default=str(vstream_path()))
    parser.add_argument("--slurm-option", action="append", default=[])
    for name in ("scheduler", "tls-ca", "tls-cert", "tls-key"):
        parser.add_argument(f"--{name}")
    for name in ("output-dir", "list", "work"):
        parser.add_argument(f"--{name}", type=Path)
    for name in ("keep", "resume", "dry-run", "slurm"):
        parser.add_argument(f"--{name}", action="store_true")
    return parser.parse_known_args(words)


def require(condition: object, problem: str) -> None:
    if not condition:
        raise UsageError(problem)


def make_jobs(arguments: argparse.Namespace, rest: list[str]) -> list[Job]:
    inputs, options = sort_options(rest, declared_options(arguments.vstream))
    if arguments.list:
        inputs += [line for line in arguments.list.read_text().splitlines() if line.strip() and not line.startswith("#")]
    given, output = (arguments.workers, arguments.scheduler, arguments.slurm or None), arguments.output
    require(inputs, "no input is given; name a video")
    require((output is None) != (arguments.output_dir is None), "give either -o OUTPUT or --output-dir FOLDER")
    require(not output or len(inputs) == 1 or output == "null",
            f"{len(inputs)} inputs cannot have one output; give --output-dir FOLDER")
    for name, paths in (("--records", options.record_files), ("--receipt", [options.receipt or "{name}"])):
        require(len(inputs) == 1 or all("{name}" in path for path in paths),
                f"several inputs would write the same file; put {{name}} in the name of {name}")
    require(not arguments.resume or "--redact" not in options.common,
            "--resume does not know whether an output that exists is redacted as wanted; omit it: with the same --work, "
            "what is finished is not done again, after a success if --keep was given")
    require(not re.search(r"%\d*d|\.m3u8$", os.path.basename(output or "")) and arguments.output_ext.lstrip(".") != "m3u8",
            "the output would be many files, images or the segments of a playlist, which vstream-cluster cannot make; name a video")
    require(output != "null" or options.record_files, "nothing is written; give -o OUTPUT or --records FILE")
    for name, seconds in (("duration", arguments.part_duration), ("timeout", arguments.part_timeout)):
        require(seconds is None or seconds > 0, f"--part-{name} is not a duration; give more than 0 seconds")
    count = sum(each is not None for each in given)
    require(count == 1 or (count == 0 and arguments.dry_run), "give one of --workers N, --scheduler URL and --slurm")
    require(arguments.workers is None or arguments.workers >= 1, "--workers is not a number of workers; give 1 or more")
    require(not (arguments.scheduler or "").startswith("tls://") or all((arguments.tls_ca, arguments.tls_cert, arguments.tls_key)),
            "tls:// needs certificates; give --tls-ca, --tls-cert and --tls-key")
    jobs = []
    for name in inputs:
        written = output
        if arguments.output_dir:
            ending = "." + arguments.output_ext.lstrip(".") if arguments.output_ext else Path(name).suffix
            written = str(arguments.output_dir / (Path(name).stem + ending))
        jobs.append(Job(arguments.vstream, name if "://" in name else os.path.abspath(name),
                        written if written == "null" else os.path.abspath(written), Path(), options, arguments.part_duration,
                        arguments.part_timeout))
    options.record_files = [os.path.abspath(path) for path in options.record_files]
    options.receipt = options.receipt and os.path.abspath(options.receipt)
    finals = [path for job in jobs for path in job.finals]
    require(len(set(finals)) == len(finals), "two inputs would write the same file; give them other names")
    return jobs


def prepare_work(arguments: argparse.Namespace, jobs: list[Job]) -> tuple[Path, TextIO]:
    """The work folder, with a folder for each job, and the file that locks it."""
    first = jobs[0].output if jobs[0].renders else (jobs[0].record_files or ["vstream"])[0]
    work = (arguments.work or Path(str(arguments.output_dir or first) + ".work")).absolute()
    work.mkdir(parents=True, exist_ok=True)
    lock = open(work / "lock", "w")  # noqa: SIM115 (it is held until the program ends)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        fail(f"'{work}' is used by another vstream-cluster; wait for it, or give another --work", BUSY)
    options = jobs[0].options
    facts = json.dumps({"common": options.common, "output": options.output, "records": options.records,
                        "outputs": [os.path.abspath(arguments.output_dir or arguments.output), arguments.output_ext],
                        "partDuration": arguments.part_duration, "files": options.record_files, "receipt": options.receipt})
    state = work / "job.json"
    if state.exists() and state.read_text() != facts:
        fail(f"'{work}' has parts of a job with other options; give another --work, or remove it", USAGE)
    state.write_text(facts)
    for job in jobs:
        job.folder = work / f"{job.stem}-{hashlib.sha256(job.input.encode()).hexdigest()[:8]}"
        job.folder.mkdir(exist_ok=True)
    return work, lock


def prepare_outputs(jobs: list[Job], overwrite: bool) -> None:
    """Removes outputs that are to be replaced; those of jobs that go on are theirs."""
    for job in jobs:
        if job.plan.exists():
            continue
        for path in [*job.finals, *job.companions]:
            if os.path.exists(path):
                if not overwrite:
                    fail(f"'{path}' exists already; -y replaces it", BUSY)
                os.unlink(path)


def fail(message: str, status: int) -> NoReturn:
    print(f"vstream-cluster: {message}", file=sys.stderr)
    sys.exit(status)


def connect(arguments: argparse.Namespace) -> Client:
    dask.config.set({"distributed.comm.timeouts.connect": "10s"})
    if arguments.scheduler:
        security = None
        if arguments.scheduler.startswith("tls://"):
            security = Security(tls_ca_file=arguments.tls_ca, tls_client_cert=arguments.tls_cert,
                                tls_client_key=arguments.tls_key, require_encryption=True)
        try:
            client = Client(arguments.scheduler, security=security, timeout=arguments.connect_timeout)
        except (OSError, TimeoutError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            fail(f"the scheduler {arguments.scheduler} cannot be reached: {reason}; check that it runs, and the files of TLS",
                 UNREACHABLE)
        # Workers that join later get it as well.
        client.upload_file(worker.__file__)
    else:
        client = Client(LocalCluster(n_workers=arguments.workers, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0",
                                     silence_logs="CRITICAL"))
    client.run_on_scheduler(worker.allow_failures)
    return client


def write_results(work: Path, run: Run, skipped: list[Job]) -> None:
    with open(work / "results.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["input", "output", "status", "message"])
        for job in skipped:
            table.writerow([job.input, job.output, 0, "was done before"])
        for job in run.jobs:
            outcome = run.outcomes.get(id(job), Outcome(75, "was not run"))
            table.writerow([job.input, job.output, outcome.status, outcome.message])


def main() -> None:
    if sys.argv[1:] == ["--set-up"]:
        return  # the environment is there
    arguments, rest = parse(sys.argv[1:])
    try:
        jobs = make_jobs(arguments, rest)
    except UsageError as error:
        fail(str(error), USAGE)
    skipped = [job for job in jobs if arguments.resume and all(map(os.path.exists, job.finals))]
    jobs = [job for job in jobs if job not in skipped]
    if not jobs:
        return
    work, _lock = prepare_work(arguments, jobs)
    prepare_outputs(jobs, arguments.overwrite)
    if arguments.output_dir:
        arguments.output_dir.mkdir(parents=True, exist_ok=True)
    if arguments.slurm and not arguments.dry_run and shutil.which("sbatch") is None:
        fail("there is no sbatch; install Slurm, or print the commands with --dry-run", UNREACHABLE)
    for job in jobs if arguments.slurm or arguments.dry_run else []:
        if (outcome := worker.run(job.split())).status:
            fail(f"{job.input}: {outcome.message}", outcome.status)
        if arguments.slurm:
            slurm.submit(job, arguments.slurm_option, arguments.dry_run)
            continue
        for task in (task for tasks in job.steps() for task in tasks):
            print(shlex.join(word.removeprefix(HERE) for word in task.arguments))
    if arguments.slurm or arguments.dry_run:
        return
    # The biggest first, so that none is left for the end.
    jobs.sort(key=lambda job: -os.path.getsize(job.input) if os.path.exists(job.input) else 0)
    with connect(arguments) as client:
        run = Run(client, jobs)
        try:
            run.run()
            is_lost = False
        except SchedulerLost:
            logging.disable()  # Dask's traceback of the attempt to reconnect
            is_lost = True
    write_results(work, run, skipped)
    if is_lost:
        fail("the connection to the scheduler was lost; start it and its workers again, and run the same command: "
             "finished parts are not done again", UNREACHABLE)
    worker.remove_temporary({os.path.dirname(path) for job in jobs for path in job.finals}, {job.folder.name for job in jobs})
    failures = [outcome for outcome in run.outcomes.values() if outcome.status]
    if failures:
        sys.exit(failures[0].status)
    if not arguments.keep:
        for job in jobs:
            shutil.rmtree(job.folder, ignore_errors=True)
        for name in ("lock", "job.json"):
            (work / name).unlink()
        if len(jobs) == 1 and not skipped:
            (work / "results.csv").unlink()
            with contextlib.suppress(OSError):  # of another job
                work.rmdir()
