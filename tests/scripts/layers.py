#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that no folder includes upward: every #include "…" of src, gst-plugin and tools is in the table below.

A room is a folder; its row lists the rooms it may include besides itself. CONTRIBUTING.md explains the rooms. A new arrow is a
design decision: change the table in the same commit as the code, and say why.

  layers.py ROOT     prints each include that breaks the rules, and exits with 1 if there is one
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

CORE = {"base", "condition", "image", "tokenize", "onnx", "clip", "adapt", "decide", "prior", "tag"}
ALLOWED: dict[str, set[str]] = {
    # bcp-core
    "base": set(),
    "condition": {"base"},
    "image": {"base"},
    "tokenize": {"base"},
    "onnx": {"base"},
    "clip": {"base", "image", "onnx", "tokenize"},
    "adapt": {"base"},
    "decide": {"base"},
    "prior": {"base", "adapt", "decide"},
    # bcp-fleet
    "fleet": {"base", "adapt", "decide", "prior"},
    "tag": {"base", "image", "clip", "adapt", "decide", "prior"},
    # bcp-eval
    "eval": {"base", "adapt", "clip", "decide"},
    # the plugin
    "meta": set(),
    "support": {"base"},
    "tagger": {"support", "fleet"} | CORE,
    "mqtt": {"base", "decide"},
    "publish": {"mqtt", "support", "base", "decide"},
    "overlay": {"support", "base", "image"},
    "subtitle": {"support", "base"},
    "gate": {"support", "base", "condition"},
    "gst-plugin": {"base", "tagger", "publish", "overlay", "subtitle", "gate"},
    # the programs
    "gst-bcp/common": {"support"} | CORE,
    "gst-bcp/html": {"base"},
    "gst-bcp/completion": {"gst-bcp/common"},
    "gst-bcp/labelled": {"base", "clip", "eval"},
    "gst-bcp/adapt": {"gst-bcp/common", "base", "adapt", "clip", "decide", "eval"},
    "gst-bcp/eval": {"gst-bcp/common", "gst-bcp/html", "eval"} | CORE,
    "gst-bcp/model": {"gst-bcp/common", "gst-bcp/labelled"} | CORE,
    "gst-bcp/prior": {"gst-bcp/common", "gst-bcp/html", "gst-bcp/labelled"} | CORE,
    "gst-bcp/fleet": {"gst-bcp/common", "base", "fleet"},
    "gst-bcp/explain": {"gst-bcp/common"} | CORE,
    "gst-bcp/report": {"gst-bcp/common", "gst-bcp/html", "base", "prior"},
    "gst-bcp/teach": {"gst-bcp/common", "gst-bcp/labelled", "eval"} | CORE,
    "gst-bcp/run/plan": {"gst-bcp/common", "support", "mqtt", "base", "condition"},
    "gst-bcp/run/camera": {"gst-bcp/run/plan", "gst-bcp/common", "support", "base"},
    "gst-bcp/run/record": {"gst-bcp/run/plan", "gst-bcp/run/camera", "support", "base", "condition"},
    "gst-bcp/run/pipeline": {"gst-bcp/run/plan", "gst-bcp/run/camera", "gst-bcp/common", "support", "base", "clip"},
    "gst-bcp/run/broker": {"gst-bcp/run/plan", "gst-bcp/run/pipeline", "mqtt", "base", "decide"},
    "gst-bcp/run/show": {"gst-bcp/run/plan", "gst-bcp/run/pipeline", "gst-bcp/common", "gst-bcp/report", "support", "base"},
    "gst-bcp/run/config": {"gst-bcp/run/plan", "gst-bcp/common", "support", "base", "condition"},
    "gst-bcp/run/view": {"gst-bcp/run/plan", "gst-bcp/run/record", "gst-bcp/run/pipeline", "gst-bcp/common", "support", "base", "clip"},
    "gst-bcp/run": {"gst-bcp/run/plan", "gst-bcp/run/config", "gst-bcp/run/camera", "gst-bcp/run/record", "gst-bcp/run/pipeline", "gst-bcp/run/broker", "gst-bcp/run/show", "gst-bcp/run/view", "gst-bcp/common", "mqtt", "support", "base"},
    "gst-bcp": {"gst-bcp/" + name for name in ("adapt", "common", "completion", "eval", "explain", "fleet", "model", "prior", "report", "run", "teach")},
    "rtsp-server": {"gst-bcp/common"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def longest_room(parts: tuple[str, ...]) -> str | None:
    """The room with the longest name that these parts of a path begin with."""
    for count in range(len(parts), 0, -1):
        if "/".join(parts[:count]) in ALLOWED:
            return "/".join(parts[:count])
    return None


def room_of(path: pathlib.PurePosixPath) -> str | None:
    """The room a source file lies in: paths below src, gst-plugin and tools are what #include says."""
    folder = path.parent.parts
    return "gst-plugin" if folder == ("gst-plugin",) else longest_room(folder[1:])


def faults_of(root: pathlib.Path, name: str) -> list[str]:
    path = pathlib.PurePosixPath(name)
    room = room_of(path)
    if room is None:
        return [f"{name}: its folder is in no room of tests/scripts/layers.py"]
    faults = []
    for number, line in enumerate((root / name).read_text().splitlines(), 1):
        found = INCLUDE.match(line)
        if not found:
            continue
        parts = pathlib.PurePosixPath(found[1]).parts
        # A bare name, and the installed name of the public header, are the file's own folder.
        target = room if len(parts) == 1 or parts[:2] == ("gst", "bcp") else longest_room(parts[:-1])
        if target is None or target not in ALLOWED[room] | {room}:
            faults.append(f"{name}:{number}: {room} must not include \"{found[1]}\"")
    return faults


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    names = subprocess.run(["git", "-C", root, "ls-files", "-z", "--", "src", "gst-plugin", "tools"], check=True,
                           capture_output=True, text=True).stdout.split("\0")
    sources = [name for name in names if re.search(r"\.(c|h|cpp|hpp)$", name) and (root / name).exists()]
    if len(sources) < 100:
        print(f"only {len(sources)} sources below {root}: is this the project?")
        return 1
    faults = [fault for name in sources for fault in faults_of(root, name)]
    print("\n".join(faults) if faults else f"{len(sources)} files, no include points upward")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
