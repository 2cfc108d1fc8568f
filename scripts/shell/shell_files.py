#!/usr/bin/env python3
"""Writes the completions of bash, zsh and fish, and the manual page, from the options that the program declares.

    scripts/shell/shell_files.py PROGRAM PREFIX

PREFIX/share gets bash-completion/completions/vstream, zsh/site-functions/_vstream, fish/vendor_completions.d/vstream.fish and
man/man1/vstream.1.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from manual_page import manual_page  # noqa: E402

# The values of options that take one of some words, or several separated by commas.
WORDS = {
    "--mode": "stream single-image", "--accuracy": "fast balanced accurate", "--redact": "mosaic blur fill",
    "--device": "CPU GPU NPU AUTO", "--detect-every": "auto",
}
LISTS = {
    "--detect": "objects faces poses none", "--draw": "boxes labels ids landmarks contours skeleton angles zones none",
    "--redact-what": "faces $(vstream names classes)", "--classes": "$(vstream names classes)",
}
# Words from the program, for options whose values change with what is installed.
PROGRAM_WORDS = {"--codec": "$(vstream names encoders)", "--object-model": "$(vstream names object-models)"}
FILES = {"output", "file", "folder", "name|path"}


@dataclass
class Option:
    names: list[str]
    help: str
    section: str
    value: str | None
    default: str | None
    words: list[str]

    @property
    def long(self) -> str:
        return next((name for name in self.names if name.startswith("--")), self.names[0])

    @property
    def kind(self) -> tuple[str, str]:
        """How the value is completed: `words`, `list`, `files`, `mixed` (words and files) or `none`, and the words."""
        if self.long in LISTS:
            return "list", LISTS[self.long]
        if self.long in PROGRAM_WORDS:
            return "mixed" if self.long == "--object-model" else "words", PROGRAM_WORDS[self.long]
        if self.long in WORDS or self.words:
            return "words", WORDS.get(self.long) or " ".join(self.words)
        if self.value and "|" in self.value and self.value not in FILES:
            return "words", self.value.replace("|", " ")
        return ("files", "") if self.value in FILES else ("none", "")


@dataclass
class Command:
    name: str
    help: str
    options: list[Option]
    commands: list[Command]
    # How the command's arguments are completed.
    arguments: str = "files"


def option(data: dict) -> Option:
    names = [("-" if name["kind"] == "short" else "--") + name["name"] for name in data["names"]]
    return Option(names, data.get("abstract", ""), data.get("sectionTitle", "Options"),
                  data.get("valueName") if data["kind"] == "option" else None, data.get("defaultValue"), data.get("allValues", []))


def command(data: dict, shared: list[Option] | None = None) -> Command:
    options = [option(item) for item in data.get("arguments", []) if item.get("names") and item["shouldDisplay"]]
    known = {name for item in options for name in item.names}
    options += [item for item in shared or [] if item.long not in known]
    children = [command(child) for child in data.get("subcommands", []) if child["commandName"] != "help"]
    made = Command(data["commandName"], data.get("abstract", ""), options, children)
    if made.name in ("describe", "check", "get", "use"):
        made.arguments = "models"
    elif made.name in ("list", "doctor", "models", "schema"):
        made.arguments = ""
    return made


def root(program: str) -> Command:
    """The default command, with the others as its subcommands; a benchmark takes the default command's options, too."""
    output = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True, text=True).stdout
    data = json.loads(output)["command"]
    shown = [child for child in data["subcommands"] if child["shouldDisplay"] and child["commandName"] != "help"]
    default = next(child for child in shown if child["commandName"] == data["defaultSubcommand"])
    made = command(default)
    made.commands = [command(child, made.options if child["commandName"] == "bench" else None)
                     for child in shown if child is not default]
    return made


def flat(made: Command) -> list[tuple[str, Command]]:
    """All commands, each with the words that call it."""
    found = [("", made)]
    for child in made.commands:
        found.append((child.name, child))
        found += [(f"{child.name} {grandchild.name}", grandchild) for grandchild in child.commands]
    return found


BASH = r'''# Completion of vstream for bash; generated.
_vstream_words() {
  local IFS=$'\n'
  COMPREPLY+=($(compgen -W "$(tr -s ' ' '\n' <<<"$1")" -- "$2"))
}

_vstream_files() {
  local IFS=$'\n'
  COMPREPLY+=($(compgen -f -- "$1"))
  compopt -o filenames
}

# The last word of a list separated by commas. Names of classes may have spaces, and are offered one a line.
_vstream_list() {
  local IFS=$'\n' done= name
  [[ $2 != *,* ]] || done=${2%,*},
  for name in $(compgen -W "$1" -- "${2##*,}"); do COMPREPLY+=("$done${name// /\\ }"); done
  compopt -o nospace
}

_vstream() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=
  COMPREPLY=()
  ((COMP_CWORD < 2)) || case ${COMP_WORDS[1]} in
COMMANDS
  esac
  case $previous in
VALUES
  esac
  case $command in
OPTIONS
  esac
}
complete -F _vstream vstream
'''


def bash(made: Command) -> str:
    commands, values, options = [], [], []
    for child in made.commands:
        if child.commands:
            names = "|".join(item.name for item in child.commands)
            commands.append(f"    {child.name})\n      command={child.name}\n      ((COMP_CWORD < 3)) || case ${{COMP_WORDS[2]}} in\n"
                            f"        {names}) command=\"{child.name} ${{COMP_WORDS[2]}}\" ;;\n      esac\n      ;;")
        else:
            commands.append(f"    {child.name}) command={child.name} ;;")
    for item in {item.long: item for _, part in flat(made) for item in part.options if item.value}.values():
        kind, words = item.kind
        line = {"words": f'_vstream_words "{words}" "$current"', "files": '_vstream_files "$current"', "none": ":",
                "list": f'_vstream_list "{lines(words)}" "$current"',
                "mixed": f'_vstream_words "{words}" "$current"; _vstream_files "$current"'}[kind]
        values.append(f"    {'|'.join(item.names)}) {line}; return ;;")
    for words, part in flat(made):
        names = " ".join(name for item in part.options for name in item.names)
        offers = [f'[[ $current != -* ]] || {{ _vstream_words "{names}" "$current"; return; }}']
        if part.commands and not words:
            offers.append(f'((COMP_CWORD > 1)) || _vstream_words "{" ".join(child.name for child in part.commands)}" "$current"')
        elif part.commands:
            offers.append(f'_vstream_words "{" ".join(child.name for child in part.commands)}" "$current"')
        if part.arguments == "files":
            offers.append('_vstream_files "$current"')
        elif part.arguments == "models":
            offers += ['_vstream_words "$(vstream names models)" "$current"', '_vstream_files "$current"']
        options.append(f"    \"{words}\")\n" + "\n".join(f"      {offer}" for offer in offers) + "\n      ;;")
    text = BASH.replace("COMMANDS", "\n".join(commands)).replace("VALUES", "\n".join(values))
    return text.replace("OPTIONS", "\n".join(options))


def lines(words: str) -> str:
    """Words one a line; the program prints its own so."""
    return re.sub(r" (?![^(]*\))", "\n", words)


ZSH = r'''#compdef vstream
# Completion of vstream for zsh; generated.
_vstream_list() { compset -P '*,'; compadd -S '' -- "$@" }

_vstream() {
  local current=$words[CURRENT] previous=$words[CURRENT-1] command=
  if ((CURRENT > 2)); then
    case $words[2] in
COMMANDS
    esac
  fi
  case $previous in
VALUES
  esac
  local -a options
  case $command in
OPTIONS
  esac
}
_vstream "$@"
'''


def zsh_words(words: str) -> str:
    return re.sub(r"\$\([^)]*\)", r'${(f)"\g<0>"}', words)


def zsh(made: Command) -> str:
    quoted = lambda text: "'" + text.replace("'", "'\\''") + "'"  # noqa: E731
    commands, values, options = [], [], []
    for child in made.commands:
        commands.append(f"      {child.name}) command={child.name}"
                        + (f"; ((CURRENT > 3)) && command=\"{child.name} $words[3]\"" if child.commands else "") + " ;;")
    for item in {item.long: item for _, part in flat(made) for item in part.options if item.value}.values():
        kind, words = item.kind
        words = zsh_words(words)
        line = {"words": f"compadd -- {words}", "files": "_files", "none": ":", "list": f"_vstream_list {words}",
                "mixed": f"compadd -- {words}; _files"}[kind]
        values.append(f"    {'|'.join(item.names)}) {line}; return ;;")
    for words, part in flat(made):
        names = " ".join(quoted(f"{name}:{item.help}") for item in part.options for name in item.names)
        offers = [f"if [[ $current == -* ]]; then options=({names}); _describe -o option options; return; fi"]
        if part.commands:
            children = " ".join(quoted(f"{child.name}:{child.help}") for child in part.commands)
            condition = "if ((CURRENT == 2)); then " if not words else "if true; then "
            offers.append(f"{condition}options=({children}); _describe command options; fi")
        if part.arguments == "files":
            offers.append("_files")
        elif part.arguments == "models":
            offers += [f"compadd -- {zsh_words('$(vstream names models)')}", "_files"]
        options.append(f"    \"{words}\")\n" + "\n".join(f"      {offer}" for offer in offers) + "\n      ;;")
    text = ZSH.replace("COMMANDS", "\n".join(commands)).replace("VALUES", "\n".join(values))
    return text.replace("OPTIONS", "\n".join(options))


FISH = r'''# Completion of vstream for fish; generated.
function __vstream_is --description 'whether the command line calls this command of vstream'
  set -l words (commandline -opc)[2..]
  set -l called ''
  if contains -- "$words[1]" COMMANDS
    set called $words[1]
    if contains -- "$words[2]" CHILDREN; and test "$words[1]" = models
      set called "$words[1] $words[2]"
    end
  end
  test "$called" = "$argv"
end

function __vstream_list --description 'the words, after those that a list separated by commas has already'
  set -l done (string replace -r '[^,]*$' '' -- (commandline -ct))
  string join \n -- $done$argv
end
'''


def fish(made: Command) -> str:
    quoted = lambda text: "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"  # noqa: E731
    children = " ".join(item.name for child in made.commands for item in child.commands)
    text = FISH.replace("COMMANDS", " ".join(child.name for child in made.commands)).replace("CHILDREN", children)
    for words, part in flat(made):
        condition = "-n " + quoted("__vstream_is " + (words or "''"))
        for child in part.commands:
            first = f"-n {quoted('__fish_is_nth_token 1')}" if not words else condition
            text += f"complete -c vstream {first} -a {child.name} -d {quoted(child.help)}\n"
        if part.arguments != "files":
            text += f"complete -c vstream {condition} -f\n"
        if part.arguments == "models":
            text += f"complete -c vstream {condition} -a '(vstream names models)'\n"
        for item in part.options:
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in item.names)
            kind, values = item.kind
            values = values.replace("$(", "(")
            end = {"words": f"-x -a {quoted(values)}", "files": "-r -F", "none": "-x",
                   "list": f"-x -a {quoted(f'(__vstream_list {values})')}", "mixed": f"-r -F -a {quoted(values)}"}
            text += f"complete -c vstream {condition} {names} -d {quoted(item.help)} {end[kind] if item.value else ''}".rstrip() + "\n"
    return text


def main() -> int:
    if len(sys.argv) != 3:
        print("usage: scripts/shell/shell_files.py PROGRAM PREFIX", file=sys.stderr)
        return 64
    program, share = sys.argv[1], Path(sys.argv[2]) / "share"
    made = root(program)
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    for path, text in {
        "bash-completion/completions/vstream": bash(made), "zsh/site-functions/_vstream": zsh(made),
        "fish/vendor_completions.d/vstream.fish": fish(made), "man/man1/vstream.1": manual_page(made, version),
    }.items():
        (share / path).parent.mkdir(parents=True, exist_ok=True)
        (share / path).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
