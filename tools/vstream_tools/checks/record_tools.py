"""Runs the examples of docs/records.md: each form of records, read by the programs that it is made for.

Runs the commands and the Python examples of the page in a folder of its own, on street.avi and its hand-marked truth, and
compares their output with facts about the records. Validates every line of further forms of runs against the schema, with
jsonschema. The packages are installed in .deps/venv-records (tools/requirements/records.txt, 250 MB). Takes about half a
minute once they are. The program is $VSTREAM_BINARY, or the release build. Exit status 1 if a check fails.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from ..common import ASTRONAUT, ROOT, VIDEOS, fail, log, parser, prepare_vstream, vstream_path
from .docs_pages import Page

PAGE = ROOT / "docs/records.md"
FRAMES = 795
# Runs whose lines are validated: of objects, faces, poses, photos, replays, and everything that can be recorded of them.
RUNS = [
    "street.avi --duration 2 --record-detections --events --zone door:10%,20%;40%,20%;40%,90% --line gate:0%,50%;100%,50%",
    "street.avi --duration 2 --from-records earlier.jsonl --events",
    "street.avi --duration 1 --detect objects --categories --mode single-image",
    "face.mp4 --duration 1 --detect faces --face-landmarks --face-contours --face-classification --record-detections",
    "astronaut.png --detect objects,faces,poses",
]


def prepare(folder: Path) -> None:
    """Places the clips, the program and the truth where the examples expect them."""
    for name in ("bin", "frames", "truth/street/gt", "results/vstream/data", "kitti/label_02", "kitti/results/vstream/data"):
        (folder / name).mkdir(parents=True)
    for path in (VIDEOS / "street.avi", VIDEOS / "face.mp4", ASTRONAUT):
        (folder / path.name).symlink_to(path)
    (folder / "bin/vstream").symlink_to(vstream_path().resolve())
    truth = (VIDEOS / "street-people.txt").read_text()
    (folder / "truth/street/gt/gt.txt").write_text(truth)
    (folder / "kitti/label_02/street.txt").write_text("".join(map(kitti_truth, truth.splitlines())))
    (folder / "kitti/evaluate_tracking.seqmap.training").write_text(f"street empty 000000 {FRAMES:06}\n")


def kitti_truth(line: str) -> str:
    """A line of MOTChallenge's truth in KITTI's form."""
    frame, track, left, top, width, height = map(float, line.split(",")[:6])
    return (f"{int(frame) - 1} {int(track)} Pedestrian 0 0 -10 {left} {top} {left + width} {top + height} "
            "-1 -1 -1 -1000 -1000 -1000 -10\n")


def run(command: list[str], folder: Path) -> str:
    """The standard output of a command, which has to succeed."""
    path = os.pathsep.join([str(folder / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(command, cwd=folder, env={**os.environ, "PATH": path, "MPLBACKEND": "Agg"}, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        fail(f"'{shlex.join(command)[:200]}' failed with exit code {done.returncode}: {done.stderr.strip()[-1500:]}")
    return done.stdout


# --- Facts about the output of examples ---


def values_after(text: str, row: str) -> list[float]:
    """The values in the last line that starts with a word."""
    found = re.findall(rf"^{row}\s+(.*)$", text, re.MULTILINE)
    return [float(word) for word in found[-1].split()] if found else []


def has_found_people(output: str, _: Path) -> bool:
    """TrackEval's table of CLEAR metrics, by its columns."""
    table = output[output.index("CLEAR: "):].split("Identity")[0]
    figures = dict(zip(table.splitlines()[0].split()[2:], values_after(table, "street")))
    return figures["MOTA"] > 60 and figures["CLR_TP"] > 3000


def lines_of(path: Path) -> int:
    return len(path.read_text().splitlines())


def merged_is_consistent(_: str, folder: Path) -> bool:
    parts = [json.loads((folder / name).read_text()) for name in ("street.json", "yard.json")]
    merged = json.loads((folder / "merged.json").read_text())
    names = {category["id"]: category["name"] for category in merged["categories"]}
    ids = [annotation["id"] for annotation in merged["annotations"]]
    return (len(set(ids)) == len(ids) == sum(len(part["annotations"]) for part in parts) and names[1] == "person"
            and all(category["name"] == names[category["id"]] for part in parts for category in part["categories"]))


def masks_fit(output: str, folder: Path) -> bool:
    name, category, pixels = output.splitlines()[-1].split()
    area = json.loads((folder / "street.json").read_text())["annotations"][0]["area"]
    return (folder / "frames" / name).exists() and category == "1" and abs(int(pixels) / area - 1) < 0.05


def dataset_is_complete(output: str, folder: Path) -> bool:
    rows = output.splitlines()
    return (len(rows) == FRAMES and all("(576, 768, 3)" in row for row in rows)
            and sum(int(row.split()[-1]) for row in rows) == lines_of(folder / "street.txt"))


def table_is_complete(output: str, folder: Path) -> bool:
    count = lines_of(folder / "street.txt")
    return output.endswith(f"{count} {count} objects\n") and (folder / "street.parquet").stat().st_size > 0


def switches_are_few(output: str, _: Path) -> bool:
    mota, idf1, switches = values_after(output, "street")
    return mota > 0.6 and idf1 > 0.3 and switches < 200


# By a word of each example's code.
CHECKS: dict[str, Callable[[str, Path], bool]] = {
    "MotChallenge2DBox": has_found_people, "trackeval-kitti": has_found_people, "read_csv": table_is_complete,
    "Draft202012Validator": lambda output, _: output == "", "annToMask": masks_fit, "merged.json": merged_is_consistent,
    "from_coco": dataset_is_complete, "compare_to_groundtruth": switches_are_few,
}


def check_example(code: str, command: list[str], folder: Path) -> str:
    """Runs an example, and returns the word that it is known by."""
    word = next((word for word in CHECKS if word in code), None) or fail(f"an example has no check: {code[:80]}")
    log(f"{word}…")
    output = run(command, folder)
    if not CHECKS[word](output, folder):
        fail(f"the example with {word} does not give the expected result; it printed: {output[-1500:]}")
    return word


def check_examples(folder: Path) -> None:
    page = Page(PAGE)
    commands = [text for _, _, text in page.commands()]
    for command in commands:
        if command.startswith("vstream street.avi"):
            run([*shlex.split(command), "--quiet"], folder)
    for name, target in (("street.txt", "results"), ("street.kitti.txt", "kitti/results")):
        (folder / target / "vstream/data/street.txt").write_bytes((folder / name).read_bytes())
    done = {check_example(command, shlex.split(command), folder) for command in commands if command.startswith("trackeval-kitti")}
    for number, block in enumerate(block for block in page.blocks if block.language == "python"):
        file = folder / f"example{number}.py"
        file.write_text("\n".join(block.lines) + "\n")
        done.add(check_example(file.read_text(), [sys.executable, file.name], folder))
    if missing := CHECKS.keys() - done:
        fail(f"docs/records.md has no example with {', '.join(sorted(missing))}")


def check_lines(folder: Path) -> int:
    """Validates the records of several runs, and returns the number of their lines."""
    import jsonschema

    schema = json.loads(run(["vstream", "schema"], folder))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    count = 0
    for words in RUNS:
        run(["vstream", *words.split(), "-o", "null", "--records", "r.jsonl", "-y", "--quiet"], folder)
        records = (folder / "r.jsonl").read_text()
        (folder / "earlier.jsonl").write_text(records)
        for line in records.splitlines():
            if error := next(validator.iter_errors(json.loads(line)), None):
                fail(f"'{words}' has a line that is not valid: {error.message[:300]}: {line[:300]}")
            count += 1
    return count


def main() -> None:
    parser(__doc__).parse_args()
    prepare_vstream()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        check_examples(folder)
        print(f"{len(CHECKS)} examples read the records, and {check_lines(folder)} lines are valid")
