#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sets up, builds, and names what is in a video with the bundled model:
#
#   pipelines/demo.sh             a street clip
#   pipelines/demo.sh FILE        a video of your own
#
# Leaves three files in out (GST_BCP_OUT names another directory): demo.mp4, what plain CLIP names and what is shown, side by side;
# demo.html, when each label was shown, and why; demo.jsonl, every result.
set -euo pipefail

# shellcheck source=pipelines/recipe.sh
. "$(dirname "${BASH_SOURCE[0]}")/recipe.sh"
out=${GST_BCP_OUT:-$root/out}

# The street clip, or the committed one when it cannot be had.
choose_clip() {
  if "$root/scripts/setup.sh" --clip >&2; then
    printf '%s' "${GST_BCP_DEPS:-$root/.deps}/clips/bikes.mp4"
  else
    say "Playing a clip that comes with the project instead." >&2
    printf '%s' "$root/tests/data/clips/intel_one-by-one.mp4"
  fi
}

# Draws, writes and sums up what is in clip $1. Ctrl-C is for gst-bcp: it finishes the files with what was seen so far.
run() {
  local command=(gst-bcp run "$1" --compare --max-rate 10 --out "$out/demo.mp4" --report "$out/demo.html" --jsonl "$out/demo.jsonl"
    --force --verbose) status=0
  mkdir -p "$out"
  say ""
  show_command "${command[@]}"
  say ""
  trap ':' INT
  "${command[@]}" || status=$?
  trap - INT
  if [ "$status" -ne 0 ] && [ "$status" -ne 130 ]; then exit "$status"; fi
}

# Path $1 as one would type it here.
short() { realpath --relative-base="$PWD" -- "$1"; }

if [ $# -gt 1 ] || [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then
  sed -n '3,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
  exit 0
fi
# Before the set-up: nobody should wait minutes for a typing error.
if [ $# -eq 1 ]; then check_readable "$1"; fi
"$root/scripts/setup.sh"
# shellcheck source=pipelines/env.sh
. "$root/pipelines/env.sh"
if [ $# -eq 1 ]; then clip=$(realpath -- "$1"); else clip=$(choose_clip); fi
run "$clip"
say ""
say "Watch  $(short "$out/demo.mp4"): what plain CLIP names and what is shown by presence, side by side, with the reasons"
say "Open   $(short "$out/demo.html"): when each label was shown, what changed against plain CLIP, and why"
say "Next:  pipelines/demo.sh YOUR_VIDEO.mp4, or in this shell:  . pipelines/env.sh && gst-bcp run --help"
