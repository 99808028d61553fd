#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Usage: exported_symbols.bash NM PATTERN LIBRARY: fails when LIBRARY exports a symbol that does not match PATTERN.
# A plugin shares one process with many others: what it need not show, it hides.
set -eu
all=$("$1" -D --defined-only "$3" | awk '{ print $3 }')
[ -n "$all" ] || { echo "$3 exports nothing"; exit 1; }
strangers=$(echo "$all" | grep -Ev "$2" || true)
[ -z "$strangers" ] || { echo "$3 also exports:"; echo "$strangers"; exit 1; }
