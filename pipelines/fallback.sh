#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shows a network camera with its labels, and black while it is disconnected:
#
#   pipelines/fallback.sh rtsp://CAMERA/STREAM [LABELS]
#
# fallbacksrc, of GStreamer's Rust plugins, reconnects; `gst-bcp run` reconnects without it, and keeps its files open too.
# GST_BCP_SINK sets another sink than a window, for example "fakesink num-buffers=100".
set -euo pipefail
# shellcheck source=pipelines/recipe.sh
. "$(dirname "${BASH_SOURCE[0]}")/recipe.sh"

recipe 1 2 "$@"
read -ra sink <<<"${GST_BCP_SINK:-autovideosink}"
need_elements fallbacksrc bcpoverlay "${sink[0]}"
# Three seconds without a frame are an outage. prior-group keeps what was learnt when the camera comes back as another stream.
play - fallbacksrc "uri=$1" enable-audio=false restart-on-eos=true timeout=3000000000 ! videoconvert \
  ! bcptagger prior-group=camera ${2:+"labels=$2"} ! bcpoverlay ! queue ! videoconvert ! "${sink[@]}"
