"""Runs the `main` of a command's module, in the command's Python environment: python3 -m vstream_tools FOLDER/NAME [ARGUMENT…]"""

from __future__ import annotations

import ast
import importlib
import os
import sys
from importlib.util import find_spec
from pathlib import Path

from .common import fail
from .environments import COMMAND_ENVIRONMENTS


def main() -> None:
    if len(sys.argv) < 2:
        fail("no command is given; the commands are the links in scripts/", 64)
    name, words = sys.argv[1], sys.argv[2:]
    module = ("" if name.startswith("research/") else "vstream_tools.") + name.replace("/", ".").replace("-", "_")
    os.environ.setdefault("GLOG_minloglevel", "2")  # MediaPipe logs errors only
    environment = COMMAND_ENVIRONMENTS.get(name)
    if environment and not environment.is_active:
        is_help = words in (["--help"], ["-h"])
        if is_help and not environment.is_installed and (spec := find_spec(module)) and spec.origin:
            return print(ast.get_docstring(ast.parse(Path(spec.origin).read_text())))
        if not is_help:
            environment.prepare()
        os.execv(environment.python, [str(environment.python), "-P", "-m", "vstream_tools", *sys.argv[1:]])
    sys.argv = [name, *words]
    sys.exit(importlib.import_module(module).main())


if __name__ == "__main__":
    main()
