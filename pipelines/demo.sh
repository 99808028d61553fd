#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sets up, builds, and labels a video with the bundled model:
#
#   pipelines/demo.sh             a street clip
#   pipelines/demo.sh FILE        your own video
#
# Writes three files to out (GST_BCP_OUT sets another directory): demo.mp4, the labels of plain CLIP and the shown labels side by
# side; demo.html, when each label was shown, and why; demo.jsonl, all results.
set -euo pipefail

# shellcheck source=pipelines/recipe.sh
. "$(dirname "${BASH_SOURCE[0]}")/recipe.sh"
out=${GST_BCP_OUT:-$root/out}

# The street clip, or the committed one if the download fails.
choose_clip() {
  if "$root/scripts/setup.sh" --clip >&2; then
    printf '%s' "${GST_BCP_DEPS:-$root/.deps}/clips/bikes.mp4"
  else
    say "Playing a clip that comes with the project instead." >&2
    printf '%s' "$root/tests/data/clips/intel_one-by-one.mp4"
  fi
}

# Labels clip $1 and writes the files. gst-bcp handles Ctrl-C: it ends the files there.
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

# Path $1, relative to the current directory if it is inside.
short() { realpath --relative-base="$PWD" -- "$1"; }

if [ $# -gt 1 ] || [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then
  sed -n '3,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
  exit 0
fi
# Checked before the set-up, which takes minutes.
if [ $# -eq 1 ]; then check_readable "$1"; fi
"$root/scripts/setup.sh"
# shellcheck source=pipelines/env.sh
. "$root/pipelines/env.sh"
if [ $# -eq 1 ]; then clip=$(realpath -- "$1"); else clip=$(choose_clip); fi
run "$clip"
say ""
say "Watch  $(short "$out/demo.mp4"): the labels of plain CLIP and those shown by presence, side by side, with the reasons"
say "Open   $(short "$out/demo.html"): when each label was shown, what differs from plain CLIP, and why"
say "Next:  pipelines/demo.sh YOUR_VIDEO.mp4, or in this shell:  . pipelines/env.sh && gst-bcp run --help"
