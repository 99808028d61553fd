#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes html_entity_table.inc from the list of HTML 5's named characters in Python's standard library.

Run by hand: python3 src/tokenize/generate_html_entities.py
"""
import html.entities
import pathlib

WIDTH = 120


def literal(text):
    # Octal, because a hexadecimal escape would swallow the letters after it.
    return '"' + "".join(chr(b) if chr(b).isalnum() and b < 128 else f"\\{b:03o}" for b in text.encode()) + '"'


lines = ["// Made by generate_html_entities.py: name after the ampersand, text it stands for; sorted by name.",
         "// clang-format off"]
line = ""
for name, text in sorted(html.entities.html5.items()):
    entry = f'{{"{name}", {literal(text)}}},'
    if len(line) + 1 + len(entry) > WIDTH:
        lines.append(line)
        line = ""
    line += (" " if line else "") + entry
lines += [line, "// clang-format on"]
pathlib.Path(__file__).with_name("html_entity_table.inc").write_text("\n".join(lines) + "\n")
