#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds phrases that the project's texts avoid, with what to write instead.

    plain_words.py RULES FILE...

RULES has one rule a line: a regular expression, a tab, the suggestion. Exits with 1 when a file contains a phrase. Names in
code are checked as words too: `tell_user` and `tellUser` do not match, `tell()` does.
"""
import re
import sys

ALLOW = "plain-words: allow"


def read_rules(path):
    rules = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            pattern, tab, suggestion = line.partition("\t")
            if not tab or not suggestion:
                sys.exit(f"{path}:{number}: expected a regular expression, a tab and a suggestion")
            rules.append((re.compile(pattern, re.IGNORECASE), suggestion))
    return rules


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    rules, found = read_rules(sys.argv[1]), 0
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if ALLOW in line:
                    continue
                for rule, suggestion in rules:
                    match = rule.search(line)
                    if match:
                        print(f'{path}:{number}: "{match.group()}": write {suggestion}')
                        found += 1
    if found:
        print(f"{found} phrases: the rules are in {sys.argv[1]}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
