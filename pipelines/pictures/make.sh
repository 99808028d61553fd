#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes the README's picture: one real frame of a committed clip, with what bcptagger found in it written on top.
# Needs textoverlay (Debian: gstreamer1.0-x) and a monospace font.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
# shellcheck source=pipelines/env.sh
. "$root/pipelines/env.sh"
clip=$root/tests/data/clips/mdn_friday.mp4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The result of the 60th frame, as text: a label a line.
gst-launch-1.0 -q filesrc location="$clip" ! decodebin ! bcptagger threshold=0.01 ! bcppublish location="$scratch/all.jsonl" ! fakesink
text=$(sed -n 60p "$scratch/all.jsonl" | /usr/bin/python3 -c '
import json, sys
print("&#10;".join("%-8s %.2f" % (entry["label"], entry["probability"]) for entry in json.load(sys.stdin)["labels"]))')

gst-launch-1.0 -q filesrc location="$clip" ! decodebin ! videoconvert \
  ! textoverlay text="$text" valignment=top halignment=left shaded-background=true font-desc="Monospace, 26" line-alignment=left \
  ! videoscale ! video/x-raw,width=640 ! videoconvert ! jpegenc quality=80 ! multifilesink location="$scratch/%05d.jpg"
cp "$scratch/00059.jpg" "$root/pipelines/pictures/frame.jpg"
