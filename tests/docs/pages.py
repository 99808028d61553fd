# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks the Markdown pages of the project.

    pages.py links PAGE...           every relative link names a file that exists, and every anchor a heading
    pages.py blocks PAGE...          every block of commands is run by a test, or says why it cannot be
    pages.py needs PAGE...           prints the blocks that need a camera, a broker or Redis: NUL-separated pairs of needs and commands

Blocks are fenced as ```sh (a test runs them), ```sh needs: camera, broker, redis (a test runs them with its own) or ```sh no-test: REASON.
"""

from __future__ import annotations

import pathlib
import re
import sys

LINK = re.compile(r"\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^()\s]*(?:\([^()]*\))?[^()\s]*)\)")
MOST_UNTESTED = 10
SERVICES = {"camera", "broker", "redis"}


def outside_fences(page: pathlib.Path) -> list[tuple[int, str]]:
    lines, fenced = [], False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            lines.append((number, line))
    return lines


def anchors(page: pathlib.Path) -> set[str]:
    """As GitHub makes them from headings."""
    found: dict[str, int] = {}
    names = set()
    for _, line in outside_fences(page):
        if heading := re.match(r"#{1,6} +(.*?) *#*$", line):
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
            slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            names.add(slug if slug not in found else f"{slug}-{found[slug]}")
            found[slug] = found.get(slug, 0) + 1
    return names


def check_links(pages: list[pathlib.Path]) -> list[str]:
    wrong = []
    for page in pages:
        for number, line in outside_fences(page):
            for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, anchor = target.partition("#")
                file = page.parent / name if name else page
                if not file.exists():
                    wrong.append(f"{page}:{number}: {target}: there is no such file")
                elif anchor and anchor not in anchors(file):
                    wrong.append(f"{page}:{number}: {target}: there is no such heading")
    return wrong


def blocks(page: pathlib.Path) -> list[tuple[int, str, str]]:
    """Line, what follows ```, and text of each block."""
    found, lines = [], page.read_text(encoding="utf-8").splitlines()
    at = 0
    while at < len(lines):
        if lines[at].startswith("```"):
            end = lines.index("```", at + 1)
            found.append((at + 1, lines[at][3:].strip(), "\n".join(lines[at + 1:end])))
            at = end
        at += 1
    return found


def is_run(page: pathlib.Path) -> bool:
    """Whether readme.sh or docs.sh runs its blocks."""
    return str(page) in ("README.md", "models/README.md") or page.parent == pathlib.Path("docs")


def check_blocks(pages: list[pathlib.Path]) -> list[str]:
    wrong, untested = [], []
    for page in pages:
        for number, kind, _ in blocks(page):
            where = f"{page}:{number}"
            if kind.startswith("sh no-test"):
                untested.append(where)
                if not re.fullmatch(r"sh no-test: \S+ .*", kind):
                    wrong.append(f"{where}: write why no test runs this: ```sh no-test: REASON")
            elif kind.startswith("sh needs"):
                if not (set(re.split(", *", kind.removeprefix("sh needs: "))) <= SERVICES):
                    wrong.append(f"{where}: ```sh needs: one or more of {', '.join(sorted(SERVICES))}")
            elif kind.startswith("sh ") or kind in ("bash", "shell", "console"):
                wrong.append(f"{where}: a block of commands is fenced as ```sh, ```sh needs: … or ```sh no-test: …")
            elif kind == "sh" and not is_run(page):
                wrong.append(f"{where}: no test runs the blocks of this page")
    if len(untested) > MOST_UNTESTED:
        wrong.append(f"{len(untested)} blocks are not tested, {MOST_UNTESTED} may be: {', '.join(untested)}")
    return wrong


def main() -> None:
    mode, *names = sys.argv[1:]
    pages = [pathlib.Path(name) for name in names]
    if mode == "needs":
        for page in pages:
            for _, kind, text in blocks(page):
                if kind.startswith("sh needs: "):
                    sys.stdout.write(f"{kind.removeprefix('sh needs: ')}\0{text}\0")
        return
    wrong = {"links": check_links, "blocks": check_blocks}[mode](pages)
    print("\n".join(wrong))
    if wrong:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
