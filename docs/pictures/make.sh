#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes the README's pictures from a committed clip: one frame as bcpoverlay draws it, and the top of the clip's report.
# Needs chromium. Run it when either looks different.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
# shellcheck source=pipelines/env.sh
. "$root/pipelines/env.sh"
pictures=$root/docs/pictures
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# From the root, so that the report's command is one to type there.
cd "$root"
clip=tests/data/clips/intel_one-by-one.mp4
frame=187 # ten a second: a person who leaves, and a chair that is not there
full_range=video/x-raw,format=I420,colorimetry=1:4:0:0 # as every reader of JPEG takes it

gst-launch-1.0 -q filesrc location="$clip" ! decodebin ! bcptagger ! videoscale ! video/x-raw,width=960,height=540 \
  ! bcpoverlay compare=true ! videoconvert ! "$full_range" ! jpegenc quality=85 ! multifilesink location="$scratch/%05d.jpg"
cp "$scratch/$(printf %05d $frame).jpg" "$pictures/frame.jpg"

gst-bcp run "$clip" --report "$scratch/report.html" --quiet
chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --force-prefers-reduced-motion --window-size=1200,1420 \
  --virtual-time-budget=5000 --screenshot="$scratch/report.png" "file://$scratch/report.html" 2>/dev/null
gst-launch-1.0 -q filesrc location="$scratch/report.png" ! pngdec ! videoconvert ! "$full_range" ! jpegenc quality=80 ! filesink location="$pictures/report.jpg"
