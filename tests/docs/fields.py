# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares the names that docs/results-format.md documents with those that the elements write.

    fields.py PAGE BROKER METRICS_URL SCRATCH

Runs pipelines, with MQTT through BROKER (mqtt://...), and reads the numbers that `gst-bcp run --metrics` serves at METRICS_URL.
Prints each name that is on one side only, and fails.
"""

from __future__ import annotations

import json
import pathlib
import re
import sys
import urllib.request
import uuid
from collections.abc import Callable

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

CLIP = "tests/data/clips/intel_one-by-one.mp4"
NAMES = re.compile(r"`([^`]+)`")


class Page:
    """The names in backticks of the tables of a page."""

    def __init__(self, path: str) -> None:
        self._tables: dict[str, list[list[str]]] = {}
        header = ""
        for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
            cells = [each.strip() for each in line.strip("|").split("|")]
            if not line.startswith("|"):
                header = ""
            elif not header:
                header = "|".join(cells[:-1])  # of results and of events it is the same, in this order
                header += "2" if header in self._tables else ""
                self._tables[header] = []
            elif not line.startswith("| ---"):
                self._tables[header].append(cells)

    def names(self, header: str, column: int) -> set[str]:
        return {name for row in self._tables[header] for name in NAMES.findall(row[column])}

    def rows(self, header: str) -> list[list[str]]:
        return self._tables[header]


def keys_of(value, path: str = "") -> set[str]:
    """The dotted names of a JSON value; the members of a list have the name of the list."""
    if isinstance(value, list):
        return set().union(*(keys_of(each, path) for each in value)) if value else set()
    if not isinstance(value, dict):
        return set()
    names = set()
    for key, member in value.items():
        name = f"{path}.{key}" if path else key
        names |= {name} | keys_of(member, name)
    return names


def fields_of(structure: Gst.Structure) -> set[str]:
    return {structure.nth_field_name(i) for i in range(structure.n_fields())}


class Run:
    """A pipeline from start to end, with what it posted. One without an end is ended after the message `until`."""

    def __init__(self, line: str, on_playing: Callable[[Gst.Pipeline], None] | None = None, until: str = "") -> None:
        self.messages: dict[str, set[str]] = {}
        self.stats: dict[str, set[str]] = {}
        pipeline = Gst.parse_launch(line)
        pipeline.set_auto_flush_bus(False)  # messages of the stop count too
        pipeline.set_state(Gst.State.PLAYING)
        while True:
            message = pipeline.get_bus().timed_pop(120 * Gst.SECOND)
            if not message:
                raise SystemExit(f"nothing happens any more in {line}")
            if message.type == Gst.MessageType.ERROR:
                raise SystemExit(f"{message.parse_error().gerror.message} in {line}")
            if message.type == Gst.MessageType.EOS:
                break
            if on_playing and message.type == Gst.MessageType.STATE_CHANGED and pipeline.current_state == Gst.State.PLAYING:
                on_playing(pipeline)
                on_playing = None
            if message.type == Gst.MessageType.ELEMENT:
                self._keep(message.get_structure())
                if message.get_structure().get_name() == until:
                    pipeline.send_event(Gst.Event.new_eos())
        for element in pipeline.children:
            if element.find_property("stats") and element.get_factory().get_name().startswith("bcp"):
                self.stats[element.get_factory().get_name()] = fields_of(element.get_property("stats"))
        pipeline.set_state(Gst.State.NULL)
        while message := pipeline.get_bus().pop_filtered(Gst.MessageType.ELEMENT):
            self._keep(message.get_structure())

    def _keep(self, structure: Gst.Structure) -> None:
        name = structure.get_name()
        if not name.startswith("bcp-"):
            return
        self.messages.setdefault(name, set()).update(fields_of(structure))
        # The array itself cannot be read from Python; its text can.
        for label in re.findall(r'label\\*,([^;]*)', structure.to_string()) if name == "bcp-result" else []:
            self.messages.setdefault("label", set()).update(re.findall(r"([a-z-]+)\\*=", label))


def differences(what: str, documented: set[str], written: set[str]) -> int:
    for name in sorted(documented - written):
        print(f"{what}: the page has {name}, which nothing writes")
    for name in sorted(written - documented):
        print(f"{what}: {name} is written, and not on the page")
    return len(documented ^ written)


def metric_names(text: str) -> set[str]:
    return set(re.findall(r"^# TYPE (\S+)", text, re.MULTILINE))


def main() -> None:
    page_path, broker, metrics_url, scratch = sys.argv[1:]
    page = Page(page_path)
    Gst.init(None)
    lines, priors, metrics = (f"{scratch}/{name}" for name in ("results.jsonl", "priors", "bcp.prom"))
    source = f"filesrc location={CLIP} ! decodebin ! videorate ! video/x-raw,framerate=1/1"
    with_results = Run(f"{source} ! bcptagger labels=person,chair,bottle post-messages=results prior-file={priors} metrics-file={metrics}"
                       f" ! bcpoverlay ! bcppublish location={lines} events=true mqtt-address={broker} ! fakesink")
    with_events = Run(f"{source} ! bcptagger labels=person,chair post-messages=events prior-file={priors} ! fakesink")
    gate = Run(f"{source} ! bcptagger name=tagger labels=person,chair ! bcpgate condition=any ! fakesink",
               lambda pipeline: pipeline.get_by_name("tagger").emit("merge-prior", priors))
    # Red for a quarter of an hour, then blue.
    colours = " ".join(f"videotestsrc pattern={colour} num-buffers=100 ! video/x-raw,width=64,height=64,framerate=1/10 ! c."
                       for colour in ("red", "blue"))
    scenes = Run("concat name=c ! bcptagger model=tests/data/bundles/toy decision=softmax preset=paper mode=sync scenes=2"
                 f" prior-file={scratch}/scenes ! fakesink {colours}")
    # A slow text tower, and labels that no cache knows: there is time for a report of the progress. Then other labels.
    words = ",".join(f"{uuid.uuid4().hex} {i}" for i in range(1000))
    slow = Run("videotestsrc is-live=true ! video/x-raw,width=64,height=64 ! bcptagger name=tagger"
               f" model=tests/data/bundles/toy-slow-words decision=softmax labels=\"{words}\" ! fakesink",
               lambda pipeline: pipeline.get_by_name("tagger").set_property("labels", "red"), "bcp-labels-active")

    results, event_keys = set(), set()
    for line in pathlib.Path(lines).read_text(encoding="utf-8").splitlines():
        value = json.loads(line)
        if "event" in value:
            event_keys |= keys_of(value)
        else:
            results |= keys_of(value)
    messages: dict[str, set[str]] = {}
    for run in (with_results, with_events, gate, scenes, slow):
        for name, fields in run.messages.items():
            messages.setdefault(name, set()).update(fields)

    count = differences("JSON result", page.names("field", 0), results)
    count += differences("JSON event", page.names("field2", 0), event_keys)
    rows = {NAMES.findall(row[0])[0]: set(NAMES.findall(row[1])) for row in page.rows("message|fields")}
    count += differences("messages", set(rows), set(messages))
    for name in rows.keys() & messages.keys():
        count += differences(name, rows[name], messages[name])
    stats, overlay, publish = "`stats`|Prometheus", "`stats` of `bcpoverlay`", "`stats` of `bcppublish`"
    count += differences("stats of bcptagger", page.names(stats, 0), with_results.stats["bcptagger"])
    count += differences("stats of bcpoverlay", page.names(overlay, 0), with_results.stats["bcpoverlay"])
    count += differences("stats of bcppublish", page.names(publish, 0), with_results.stats["bcppublish"])
    count += differences("stats of bcpgate", page.names("`stats` of `bcpgate`", 0), gate.stats["bcpgate"])
    in_file = metric_names(pathlib.Path(metrics).read_text(encoding="utf-8"))
    count += differences("metrics-file", page.names(stats, 1), in_file)
    with urllib.request.urlopen(metrics_url, timeout=60) as served:
        run_only = metric_names(served.read().decode()) - in_file
    count += differences("--metrics", page.names("Prometheus", 0), run_only)
    if count:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
