#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Takes a camera in over RTSP and serves it with its labels drawn, over RTSP again:
#
#   pipelines/rtsp.sh rtsp://CAMERA/STREAM [PORT [LABELS]]
#
# PORT is 8554 when it is not given, 0 a free one; the address to watch is printed. Any URI or file is taken in place of a
# camera. The camera is connected to while somebody watches. GST_BCP_ADDRESS=0.0.0.0 lets other machines watch.
set -euo pipefail
# shellcheck source=pipelines/recipe.sh
. "$(dirname "${BASH_SOURCE[0]}")/recipe.sh"

recipe 1 3 "$@"
open_source "$1"
need_elements bcpoverlay x264enc rtph264pay
command -v bcp-rtsp-server >/dev/null || fail "bcp-rtsp-server is not built: install libgstrtspserver-1.0-dev and run scripts/setup.sh."
# Nothing is left out on the way: whoever sends the frames waits for their time, and those behind wait in the queue or, still
# encoded, in the source.
pipeline=("${source[@]}" ! bcptagger ${3:+"labels=$3"} ! bcpoverlay ! queue
  ! "${h264[@]}" tune=zerolatency key-int-max=30 ! rtph264pay name=pay0 config-interval=1)
server=(bcp-rtsp-server --address "${GST_BCP_ADDRESS:-127.0.0.1}" --port "${2:-8554}" --path /labels --)
show_command "${server[@]}" "${pipeline[@]}"
exec "${server[@]}" "${pipeline[@]}"
