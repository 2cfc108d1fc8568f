"""Tests the completions in real shells (bash, zsh, fish), and formats the manual page without warnings.

    scripts/checks/completions [SHARE]

SHARE is the folder share of an installation; by default the files are generated for the program ($VSTREAM_BINARY, or the
release build). Interactive shells run in a terminal of their own: what a user types is typed, and the line is read that the
shell completes. Exit status 1 if a completion is wrong.
"""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ..common import MISSING_DEPENDENCY, ROOT, fail, log, vstream_path

# What is typed before the tabulator key, and the line afterwards; the folder has street.avi and the folder annotated.
CASES = [
    ("vstream str", "vstream street.avi"),
    ("vstream mod", "vstream models"),
    ("vstream street.avi -o annot", "vstream street.avi -o annotated/"),
    ("vstream street.avi --rec-", None),
    ("vstream street.avi --recor", "vstream street.avi --record"),
    ("vstream street.avi --keep-m", "vstream street.avi --keep-metadata"),
    ("vstream street.avi --detect obj", "vstream street.avi --detect objects"),
    ("vstream street.avi --detect objects,fa", "vstream street.avi --detect objects,faces"),
    ("vstream street.avi --redact mos", "vstream street.avi --redact mosaic"),
    ("vstream street.avi --redact-what fac", "vstream street.avi --redact-what faces"),
    ("vstream street.avi --codec libx265", "vstream street.avi --codec libx265"),
    ("vstream street.avi --codec libsvt", "vstream street.avi --codec libsvtav1"),
    ("vstream street.avi --classes person,bicy", "vstream street.avi --classes person,bicycle"),
    ("vstream street.avi --object-model yolox-n", "vstream street.avi --object-model yolox-nano"),
    ("vstream street.avi --records annot", "vstream street.avi --records annotated/"),
    ("vstream bench str", "vstream bench street.avi"),
    ("vstream bench street.avi --warm", "vstream bench street.avi --warm-up"),
    ("vstream bench street.avi --acc", "vstream bench street.avi --accura"),
    ("vstream models desc", "vstream models describe"),
    ("vstream models use ssd-i", "vstream models use ssd-int8"),
    ("vstream track --tim", "vstream track --times"),
]
# Seconds that a shell may take for one answer.
LIMIT = 20


class Shell:
    """An interactive shell in a pseudo-terminal. Control-G makes it report its line to a pipe, and empties it."""

    def __init__(self, arguments: list[str], folder: Path, environment: dict[str, str], setup: str) -> None:
        pipe = folder.parent / f"report-{arguments[0]}"
        os.mkfifo(pipe)
        self.reports = os.open(pipe, os.O_RDWR)
        child, self.terminal = pty.fork()
        if child == 0:
            os.chdir(folder)
            os.execvpe(arguments[0], arguments, environment | {"REPORT": str(pipe)})
        self.child = child
        self.write(f"{setup}; echo ready >$REPORT\n")
        self.report()

    def write(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def report(self) -> str:
        """The next line that the shell reports. What it prints meanwhile is read, so that it never waits."""
        text, end = "", time.monotonic() + LIMIT
        while not text.endswith("\n"):
            ready, _, _ = select.select([self.terminal, self.reports], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise TimeoutError("the shell does not answer")
            if self.terminal in ready:
                os.read(self.terminal, 65536)
            if self.reports in ready:
                text += os.read(self.reports, 65536).decode()
        return text.rstrip("\n")

    def complete(self, line: str) -> str:
        """The line after the tabulator key."""
        self.write(f"{line}\t\x07")
        return self.report().rstrip()

    def close(self) -> None:
        os.close(self.terminal)
        os.close(self.reports)
        os.waitpid(self.child, 0)


def bash(share: Path, folder: Path, environment: dict[str, str]) -> list[str]:
    report = r"""report() { printf '%s\n' "$READLINE_LINE" >"$REPORT"; READLINE_LINE=; }; bind -x '"\C-g": report'"""
    return answers(Shell(["bash", "--norc", "--noprofile", "-i"], folder, environment,
                         f"source '{share}/bash-completion/completions/vstream'; bind 'set bell-style none'; {report}"))


def zsh(share: Path, folder: Path, environment: dict[str, str]) -> list[str]:
    report = r"""report() { print -r -- "$BUFFER" >"$REPORT"; BUFFER=; }; zle -N report; bindkey '^G' report"""
    setup = (f"fpath=('{share}/zsh/site-functions' $fpath); autoload -Uz compinit; compinit -u -D; bindkey -e; unsetopt beep; "
             f"setopt no_auto_menu no_list_ambiguous; {report}")
    return answers(Shell(["zsh", "-f", "-i"], folder, environment, setup))


def answers(shell: Shell) -> list[str]:
    try:
        return [shell.complete(line) for line, _ in CASES]
    finally:
        shell.close()


def fish(share: Path, folder: Path, environment: dict[str, str]) -> list[str]:
    """The longest beginning that all of fish's completions of a line share: fish itself has no way to type.

    From version 4 on it also lists those that only contain what was typed; the tabulator key takes none of them.
    """
    script = f"source {share}/fish/vendor_completions.d/vstream.fish\n" + "\n".join(
        f"echo '#'; complete -C '{line}'" for line, _ in CASES)
    done = subprocess.run(["fish", "--no-config", "-c", script], cwd=folder, env=environment, capture_output=True, text=True,
                          check=True, timeout=LIMIT)
    lines = []
    for (line, _), block in zip(CASES, done.stdout.split("#\n")[1:]):
        typed = line.rpartition(" ")[2]
        offered = [text.split("\t")[0] for text in block.splitlines() if text.startswith(typed)]
        word = os.path.commonprefix(offered)
        lines.append(line.rpartition(" ")[0] + " " + word if word else line)
    return lines


def man_problem(share: Path) -> str:
    page = share / "man/man1/vstream.1"
    done = subprocess.run(["groff", "-k", "-man", "-Tutf8", "-ww", "-P-cbou", page], capture_output=True, text=True)
    return done.stderr.strip() or ("" if "EXIT STATUS" in done.stdout else "the manual page has no exit status")


def main() -> int:
    for tool in ("bash", "zsh", "fish", "groff"):
        if not shutil.which(tool):
            fail(f"there is no {tool}; 'scripts/bootstrap --for-tests' installs it", MISSING_DEPENDENCY)
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bin").mkdir()
        (folder / "work/annotated").mkdir(parents=True)
        (folder / "work/street.avi").touch()
        (folder / "bin/vstream").write_text(f"#!/bin/sh\nexec '{vstream_path().resolve()}' \"$@\"\n")
        (folder / "bin/vstream").chmod(0o755)
        share = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else folder / "share"
        if len(sys.argv) < 2:
            subprocess.run([ROOT / "scripts/shell/shell_files.py", vstream_path(), folder], check=True)
        environment = {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "HOME": name, "TERM": "dumb", "LC_ALL": "C.UTF-8",
                       "COLUMNS": "200"}
        for test in (bash, zsh, fish):
            for (line, expected), answer in zip(CASES, test(share, folder / "work", environment), strict=True):
                if answer.rstrip() != (expected or line):
                    problems.append(f"{test.__name__}: '{line}' becomes '{answer}', not '{expected or line}'")
        if problem := man_problem(share):
            problems.append(f"manual page: {problem}")
    for problem in problems:
        log(problem)
    log(f"3 shells, {len(CASES)} lines each; {len(problems)} problems")
    return 1 if problems else 0
