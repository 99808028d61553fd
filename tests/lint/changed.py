# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the sources of a build that a change concerns, as its compile_commands.json spells them.

    changed.py ROOT BUILD COMMIT MOST

First the sources that differ from COMMIT, the last committed first; then those that include a header which differs, directly.
At most MOST lines; what is left out is counted on stderr.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


def changed_files(root: pathlib.Path, commit: str) -> list[str]:
    """Paths below the root that differ from the commit, the last committed first; what is not committed comes before them."""
    def git(*arguments: str) -> list[str]:
        done = subprocess.run(["git", "-C", root, *arguments], check=True, capture_output=True, text=True)
        return [line for line in done.stdout.splitlines() if line]

    different = set(git("diff", "--name-only", commit))
    order = git("diff", "--name-only", "HEAD") + git("log", "--format=", "--name-only", f"{commit}..HEAD")
    return [path for path in dict.fromkeys(order) if path in different]


def concerned(root: pathlib.Path, build: pathlib.Path, changed: list[str]) -> list[str]:
    """Sources of the build that are among the changed files, then those that include one of them."""
    spelled = {}
    for command in json.loads((build / "compile_commands.json").read_text()):
        path = os.path.normpath(os.path.join(command["directory"], command["file"]))
        if path.startswith(f"{root}{os.sep}") and path.endswith((".c", ".cpp")):
            spelled.setdefault(os.path.relpath(path, root), command["file"])
    found = [path for path in changed if path in spelled]
    headers = [path for path in changed if path.endswith((".h", ".hpp"))]
    for path in spelled:
        included = INCLUDE.findall((root / path).read_text(errors="replace")) if (root / path).exists() else []
        if path not in found and any(header == name or header.endswith(f"/{name}") for header in headers for name in included):
            found.append(path)
    return [spelled[path] for path in found]


def main() -> int:
    root, build, commit, most = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    found = concerned(root, build, changed_files(root, commit))
    if len(found) > most:
        print(f"{len(found) - most} more sources changed: tests/run.sh --lint checks them all", file=sys.stderr)
    for path in found[:most]:
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
