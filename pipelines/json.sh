#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Passes the results to another program, one line of JSON each, while the video plays:
#
#   pipelines/json.sh INPUT [PROGRAM [ARGUMENT…]]
#
# INPUT is a file or a URI. PROGRAM reads its standard input (default: pipelines/show.py, which shows the labels). Example:
#
#   pipelines/json.sh clip.mp4 jq -r '"\(.pts) \(.labels[0].label)"'
set -euo pipefail
# shellcheck source=pipelines/recipe.sh
. "$(dirname "${BASH_SOURCE[0]}")/recipe.sh"

recipe 1 1000 "$@"
open_source "$1"
shift
if [ $# -gt 0 ]; then program=("$@"); else program=(/usr/bin/python3 "$root/pipelines/show.py"); fi
pipeline=("${source[@]}" ! bcptagger ! bcppublish location=- ! fakesink sync=true)
# To standard error: standard output belongs to the program.
show_command gst-launch-1.0 -q "${pipeline[@]}" >&2
launch "${pipeline[@]}" | "${program[@]}"
