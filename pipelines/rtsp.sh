#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Reads a camera over RTSP and serves it over RTSP with its labels drawn:
#
#   pipelines/rtsp.sh rtsp://CAMERA/STREAM [PORT [LABELS]]
#
# PORT is 8554 by default, 0 takes a free one; the address to watch is printed. Any URI or file works instead of a camera. The
# camera is connected only while there is a viewer. GST_BCP_ADDRESS=0.0.0.0 allows other machines to watch.
set -euo pipefail
# shellcheck source=pipelines/recipe.sh
. "$(dirname "${BASH_SOURCE[0]}")/recipe.sh"

recipe 1 3 "$@"
open_source "$1"
need_elements bcpoverlay x264enc rtph264pay
command -v bcp-rtsp-server >/dev/null || fail "bcp-rtsp-server is not built: install libgstrtspserver-1.0-dev and run scripts/setup.sh."
# No frame is dropped: the server sends each frame at its time, and later frames wait in the queue or, still encoded, in the
# source.
pipeline=("${source[@]}" ! bcptagger ${3:+"labels=$3"} ! bcpoverlay ! queue
  ! "${h264[@]}" tune=zerolatency key-int-max=30 ! rtph264pay name=pay0 config-interval=1)
server=(bcp-rtsp-server --address "${GST_BCP_ADDRESS:-127.0.0.1}" --port "${2:-8554}" --path /labels --)
show_command "${server[@]}" "${pipeline[@]}"
exec "${server[@]}" "${pipeline[@]}"
