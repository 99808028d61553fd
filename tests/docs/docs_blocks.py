# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares a page of the documentation with what its commands print now.

    docs_blocks.py check PAGE.md     fails, and prints where, if a figure on the page has changed
    docs_blocks.py update PAGE.md    writes what is printed now into the page

Every block fenced as ```sh runs, in order, in one shell in the project's root after env.sh; ```sh no-test: REASON and
```sh needs: ... are left out (pages.py). A
block fenced as ```text shows output of the block above it: whole paragraphs, each found by its first line. A part between
`<!-- output of: COMMAND -->` and `<!-- end of output -->` is all that the command prints.
"""

from __future__ import annotations

import dataclasses
import difflib
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile

BEGIN = re.compile(r"<!-- output of: (.*) -->")
END = "<!-- end of output -->"


@dataclasses.dataclass
class Command:
    """A command, its output, and the lines of the page that show all or part of the output."""

    text: str
    printed: str = ""
    shown: list[Shown] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Shown:
    """Lines first to last (not included) of the page."""

    first: int
    last: int
    is_all: bool


def read(lines: list[str]) -> list[Command]:
    commands: list[Command] = []
    at = 0
    while at < len(lines):
        start = at + 1
        if begin := BEGIN.fullmatch(lines[at]):
            at = lines.index(END, start)
            commands.append(Command(begin[1], shown=[Shown(start, at, True)]))
        elif lines[at].startswith("```"):
            at = lines.index("```", start)
            if lines[start - 1] == "```sh":
                commands.append(Command("\n".join(lines[start:at])))
            elif lines[start - 1] == "```text" and commands:
                commands[-1].shown.append(Shown(start, at, False))
        at += 1
    return commands


def run(commands: list[Command]) -> None:
    """All in one shell, so that a variable set in one is known in the next."""
    with tempfile.TemporaryDirectory() as scratch:
        script = [". pipelines/env.sh"]
        for i, command in enumerate(commands):
            script.append(f"{{\n{command.text}\n}} >'{scratch}/{i}'")
        subprocess.run(["bash", "--norc", "-euo", "pipefail", "-c", "\n".join(script)], check=True, stdin=subprocess.DEVNULL)
        for i, command in enumerate(commands):
            command.printed = pathlib.Path(scratch, str(i)).read_text(encoding="utf-8")


def paragraphs(lines: list[str]) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for line in (line.rstrip() for line in lines):
        if line:
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [each for each in found if each]


def heading(paragraph: list[str]) -> str:
    """Its first line, however wide the columns are."""
    return " ".join(paragraph[0].split())


def wanted(shown: Shown, command: Command, lines: list[str], mode: str) -> list[str]:
    """What the page should show. To update it, a paragraph whose first line was reworded is found by likeness."""
    printed = command.printed.splitlines()
    if shown.is_all:
        return ["", *(line.rstrip() for line in printed), ""]
    by_heading = {heading(each): each for each in paragraphs(printed)}
    now: list[str] = []
    for each in paragraphs(lines[shown.first:shown.last]):
        found = heading(each)
        if found not in by_heading and mode == "update":
            found = next(iter(difflib.get_close_matches(found, by_heading, 1, 0.5)), "")
        if found not in by_heading:
            raise SystemExit(f"line {shown.first + 1}: nothing that is printed begins with {each[0]!r}")
        now += ([""] if now else []) + by_heading[found]
    return now


def main() -> None:
    mode, path = sys.argv[1:]
    page = pathlib.Path(path)
    lines = page.read_text(encoding="utf-8").splitlines()
    commands = read(lines)
    if not commands:
        raise SystemExit(f"{path} has no command to try")
    run(commands)
    changes = [(shown, wanted(shown, command, lines, mode)) for command in commands for shown in command.shown]
    stale = [(shown, now) for shown, now in changes if lines[shown.first:shown.last] != now]
    if mode == "update":
        for shown, now in reversed(stale):
            lines[shown.first:shown.last] = now
        page.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return
    for shown, now in stale:
        pairs = itertools.zip_longest(lines[shown.first:shown.last], now, fillvalue="(nothing)")
        number, (there, should) = next((number, pair) for number, pair in enumerate(pairs, shown.first + 1) if pair[0] != pair[1])
        print(f"{path}:{number}: the page has\n  {there}\nand the command prints\n  {should}")
    if stale:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
