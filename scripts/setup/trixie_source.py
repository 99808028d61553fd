# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes an apt source for Debian 13 derived from the machine's own: trixie_source.py ETC_APT DIRECTORY

The machine's mirror, proxy and keys are used, and its own sources are not changed. Prints the path of the file
written to DIRECTORY: apt distinguishes the two formats by the suffix. Fails if ETC_APT has no Debian main archive.
"""

import pathlib
import re
import sys

SUITES = {"trixie", "bookworm", "stable", "oldstable"}
ONE_LINE = re.compile(r"^deb\s+(?P<options>\[[^\]]*\]\s+)?(?P<uri>\S+)\s+(?P<suite>\S+)\s+(?P<components>.+)$")


def from_stanzas(text: str) -> str | None:
    """The first deb822 stanza of the main archive, moved to trixie."""
    for stanza in re.split(r"\n\s*\n", text):
        lines = [line for line in stanza.splitlines() if line and not line.startswith("#")]
        fields = dict(re.findall(r"^([A-Za-z-]+):[ \t]*(.*)$", "\n".join(lines), re.MULTILINE))
        on = fields.get("Enabled", "yes").strip().lower() not in ("no", "false", "0")
        if on and SUITES & set(fields.get("Suites", "").split()) and "main" in fields.get("Components", "").split():
            moved = [re.sub(r"^Suites:.*", "Suites: trixie", line) for line in lines]
            moved = [re.sub(r"^Components:.*", "Components: main", line) for line in moved]
            return "\n".join(re.sub(r"^Types:.*", "Types: deb", line) for line in moved) + "\n"
    return None


def from_lines(text: str) -> str | None:
    """The first one-line entry of the main archive, moved to trixie."""
    for line in text.splitlines():
        entry = ONE_LINE.match(line.split("#")[0].strip())
        if entry and entry["suite"] in SUITES and "main" in entry["components"].split():
            return f"deb {entry['options'] or ''}{entry['uri']} trixie main\n"
    return None


def main() -> int:
    etc, directory = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    candidates = [(path, "trixie.sources", from_stanzas) for path in sorted(etc.glob("sources.list.d/*.sources"))]
    candidates += [(path, "trixie.list", from_lines)
                   for path in [etc / "sources.list", *sorted(etc.glob("sources.list.d/*.list"))]]
    for path, name, convert in candidates:
        source = convert(path.read_text(errors="replace")) if path.is_file() else None
        if source:
            (directory / name).write_text(source)
            print(directory / name)
            return 0
    print(f"no Debian main archive in {etc}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
