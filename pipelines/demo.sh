#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sets up, builds, and names what is in a video while it plays, with the bundled demo model:
#
#   pipelines/demo.sh             a street clip
#   pipelines/demo.sh FILE        a video of your own
#
# Every result is kept in out/demo.jsonl (GST_BCP_OUT names another directory than out).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=pipelines/setup/say.sh
. "$root/pipelines/setup/say.sh"
results=${GST_BCP_OUT:-$root/out}/demo.jsonl

# Ends with a sentence unless $1 is a file that can be read. Before the set-up: nobody should wait minutes for a typing error.
check_readable() {
  if [ ! -e "$1" ]; then fail "There is no file $1: give the path of a video."; fi
  if [ -d "$1" ]; then fail "$1 is a directory: give the path of a video."; fi
  if [ ! -r "$1" ]; then fail "$1 may not be read by $(id -un): change its permissions (chmod +r) or copy it."; fi
}

# The street clip, or the committed one when it cannot be had.
choose_clip() {
  if "$root/pipelines/setup.sh" --clip >&2; then
    printf '%s' "${GST_BCP_DEPS:-$root/.deps}/clips/bikes.mp4"
  else
    say "Playing a clip that comes with the project instead." >&2
    printf '%s' "$root/tests/data/clips/mdn_friday.mp4"
  fi
}

# Prints the length of video $1 in seconds (0 when unknown), or ends with a sentence when no video is in it.
video_duration() {
  local found
  found=$(LC_ALL=C gst-discoverer-1.0 "$1" 2>&1) || true
  if ! grep -qE '^ *video(\(| #|:)' <<<"$found"; then
    fail "There is no video that GStreamer can read in $1: give a video file (gst-discoverer-1.0 tells what it holds)."
  fi
  awk '/^ *Duration: / { split($2, t, ":"); print t[1] * 3600 + t[2] * 60 + t[3]; seen = 1; exit } END { if (!seen) print 0 }' <<<"$found"
}

# Plays clip $1 of $2 seconds and shows the labels. decodebin is given no more help than a user would give it.
play() {
  local clip=$1 duration=$2 status
  local pipeline=(filesrc "location=$clip" ! decodebin ! bcptagger ! bcppublish "location=$results"
    ! bcppublish location=- ! fakesink sync=true)
  mkdir -p "$(dirname "$results")"
  rm -f "$results"
  printf '\n$ gst-launch-1.0 -q'
  printf ' %q' "${pipeline[@]}" | sed 's/ \\!/ !/g'
  printf '\n\n'
  # Ctrl-C is for the pipeline: it stops, and what was seen so far is summed up.
  trap ':' INT
  set +e
  gst-launch-1.0 -q "${pipeline[@]}" | "$python" "$root/pipelines/show.py" --duration "$duration" --results "${results#"$root/"}"
  status=("${PIPESTATUS[@]}")
  set -e
  trap - INT
  if [ "${status[0]}" -ne 0 ] && [ "${status[0]}" -ne 130 ]; then
    fail "The pipeline stopped early: the reason is above."
  fi
  [ "${status[1]}" -eq 0 ] || fail "No result came out of the pipeline: see what it says with GST_DEBUG=bcp*:5."
}

if [ $# -gt 1 ] || [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then
  sed -n '3,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
  exit 0
fi
if [ $# -eq 1 ]; then check_readable "$1"; fi
"$root/pipelines/setup.sh"
python=/usr/bin/python3
# shellcheck source=pipelines/env.sh
. "$root/pipelines/env.sh"
if [ $# -eq 1 ]; then clip=$(realpath -- "$1"); else clip=$(choose_clip); fi
duration=$(video_duration "$clip")
play "$clip" "$duration"
say ""
say "Next: pipelines/demo.sh YOUR_VIDEO.mp4, or in this shell:  . pipelines/env.sh && gst-inspect-1.0 bcptagger"
