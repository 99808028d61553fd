# SPDX-License-Identifier: LGPL-2.1-or-later
"""Extracts single files from a wheel: unpack.py WHEEL DIRECTORY MEMBER... A MEMBER may end in a wildcard."""

import fnmatch
import pathlib
import shutil
import sys
import zipfile


def main() -> int:
    wheel, directory, patterns = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    directory.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel) as archive:
        for pattern in patterns:
            members = fnmatch.filter(archive.namelist(), pattern)
            if not members:
                print(f"{wheel} contains no {pattern}", file=sys.stderr)
                return 1
            for member in members:
                with archive.open(member) as source, open(directory / pathlib.Path(member).name, "wb") as target:
                    shutil.copyfileobj(source, target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
