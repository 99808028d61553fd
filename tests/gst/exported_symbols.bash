#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Usage: exported_symbols.bash NM PATTERN LIBRARY: fails when LIBRARY exports a symbol that does not match PATTERN.
# Many plugins share one process, so a plugin must export only what is needed.
set -eu
all=$("$1" -D --defined-only "$3" | awk '{ print $3 }')
[ -n "$all" ] || { echo "$3 exports nothing"; exit 1; }
strangers=$(echo "$all" | grep -Ev "$2" || true)
[ -z "$strangers" ] || { echo "$3 also exports:"; echo "$strangers"; exit 1; }
