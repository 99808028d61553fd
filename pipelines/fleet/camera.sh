#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Serves a clip over RTSP, again and again, like a camera: camera.sh CLIP [OPTION...]     options of bcp-rtsp-server
#
# The clip is H.264 in MP4. It is packed as MPEG-TS first, which can be repeated without an end.
set -euo pipefail
clip=${1:?"Usage: camera.sh CLIP [OPTION...]"}
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
gst-launch-1.0 -q filesrc location="$clip" ! qtdemux ! h264parse config-interval=-1 ! mpegtsmux ! filesink location="$folder/clip.ts"
bcp-rtsp-server "$@" -- multifilesrc location="$folder/clip.ts" loop=true ! tsdemux ! h264parse ! rtph264pay name=pay0 config-interval=-1 &
server=$!
trap 'kill "$server" 2>/dev/null || true' TERM INT
wait "$server"
