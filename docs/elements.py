#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints what GStreamer's registry knows about an element, as the Markdown of docs/elements.md.

    docs/elements.py properties ELEMENT    a table of its own properties
    docs/elements.py signals ELEMENT       a table of its action signals
    docs/elements.py pads ELEMENT          a table of its pad templates

Needs python3-gi and the built plugin (. pipelines/env.sh). What depends on the machine or on GStreamer's version is left out:
inherited properties, and the list of pixel formats. tests/docs/docs_blocks.py update docs/elements.md writes the page.
"""

import functools
import re
import subprocess
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GObject, Gst  # noqa: E402

NANOSECONDS = ("Nanoseconds", "nanoseconds")


def cell(text):
    """Text as Markdown shows it in a cell of a table."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


@functools.cache
def inspected(element):
    """What gst-inspect-1.0 prints of an element's properties, by their names."""
    done = subprocess.run(["gst-inspect-1.0", "--no-colors", element], capture_output=True, text=True, check=True)
    pieces = re.split(r"^  ([a-z][a-z0-9-]*) *: ", done.stdout.partition("Element Properties:")[2], flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2]))


def choices(spec):
    """The values of an enumeration or of flags: number to (nick, description), in the order of the numbers.

    Read from gst-inspect-1.0, because how Python sees the class of an enumeration depends on the version of PyGObject.
    """
    found = re.findall(r"\((0x[0-9a-f]+|-?\d+)\): (\S+) +- (.*)", inspected(sys.argv[2])[spec.name])
    return dict(sorted((int(value, 0), (nick, text.strip())) for value, nick, text in found))


def number(value):
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def kind(spec):
    """Its type, with the range of a number."""
    name = {GObject.TYPE_STRING: "string", GObject.TYPE_BOOLEAN: "boolean", GObject.TYPE_INT: "int", GObject.TYPE_UINT: "uint",
            GObject.TYPE_UINT64: "uint64", GObject.TYPE_DOUBLE: "double"}.get(spec.value_type)
    if spec.value_type.is_a(GObject.TYPE_ENUM):
        return "enum"
    if spec.value_type.is_a(GObject.TYPE_FLAGS):
        return "flags"
    if not name:
        return spec.value_type.name
    if not hasattr(spec, "minimum"):
        return name
    unlimited = name != "double" and spec.maximum >= 2**31 - 1  # the largest of a type: no limit at all
    return f"{name}, from {number(spec.minimum)}" if unlimited else f"{name}, {number(spec.minimum)} to {number(spec.maximum)}"


def default(spec):
    value = getattr(spec, "default_value", None)  # a GstStructure has none
    if not spec.flags & GObject.ParamFlags.WRITABLE:
        return ""
    if spec.value_type.is_a(GObject.TYPE_ENUM):
        return f"`{choices(spec)[int(value)][0]}`"
    if spec.value_type.is_a(GObject.TYPE_FLAGS):
        return "`" + "+".join(nick for bit, (nick, _) in choices(spec).items() if int(value) & bit) + "`"
    if value in (None, ""):
        return "unset"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"`{cell(value)}`"
    if spec.value_type == GObject.TYPE_UINT64 and value and any(word in spec.blurb for word in NANOSECONDS):
        return f"{value} ({number(value / 1e9)} s)"
    return number(value)


def when(spec):
    """In which state it can be changed."""
    if not spec.flags & GObject.ParamFlags.WRITABLE:
        return "read only"
    if spec.flags & Gst.PARAM_MUTABLE_PLAYING:
        text = "any state, controllable" if spec.flags & Gst.PARAM_CONTROLLABLE else "any state"
    else:
        text = "NULL, READY"
    return text if spec.flags & GObject.ParamFlags.READABLE else text + "; write only"


def description(spec):
    text = cell(spec.blurb)
    if spec.value_type.is_a(GObject.TYPE_ENUM) or spec.value_type.is_a(GObject.TYPE_FLAGS):
        text += "".join(f"<br>`{nick}`: {cell(meaning)}" for nick, meaning in choices(spec).values())
    return text


def properties(element):
    print("| property | type | default | set in | what it does |\n| --- | --- | --- | --- | --- |")
    for spec in element.list_properties():
        if spec.owner_type == element.__gtype__:
            print(f"| `{spec.name}` | {kind(spec)} | {default(spec)} | {when(spec)} | {description(spec)} |")


def signals(element):
    print("| signal | parameters | returns |\n| --- | --- | --- |")
    for identifier in GObject.signal_list_ids(element.__gtype__):
        query = GObject.signal_query(identifier)
        parameters = ", ".join(GObject.GType(each).name for each in query.param_types) or "none"
        print(f"| `{query.signal_name}` | {parameters} | {GObject.GType(query.return_type).name} |")


def pads(element):
    print("| pad | availability | caps |\n| --- | --- | --- |")
    for template in element.get_pad_template_list():
        caps, names = template.get_caps(), []
        for i in range(caps.get_size()):
            features = caps.get_features(i)
            text = (features.to_string() if features else "").replace("memory:SystemMemory", "").strip(", ")
            if text.startswith("meta:") or ", meta:" in text:
                continue  # the same with an overlay beside the pixels
            name = caps.get_structure(i).get_name() + (f"({text})" if text else "")
            if name not in names:
                names.append(name)
        shown = ", ".join(f"`{name}`" for name in names) or "any"
        print(f"| {template.name_template} | {template.presence.value_nick} | {shown} |")


def main():
    tables = {"properties": properties, "signals": signals, "pads": pads}
    if len(sys.argv) != 3 or sys.argv[1] not in tables:
        sys.exit(__doc__)
    Gst.init(None)
    factory = Gst.ElementFactory.find(sys.argv[2])
    element = factory and factory.create(None)
    if not element:
        sys.exit(f"there is no element {sys.argv[2]}: build the plugin, and source pipelines/env.sh")
    tables[sys.argv[1]](element)


if __name__ == "__main__":
    main()
