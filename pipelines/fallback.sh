#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shows a network camera with its labels, black while it is away, in a gst-launch line of your own making:
#
#   pipelines/fallback.sh rtsp://CAMERA/STREAM [LABELS]
#
# It is fallbacksrc, of GStreamer's Rust plugins, that connects again; `gst-bcp run` needs no such element, and keeps files
# open too. GST_BCP_SINK names another sink than a window, for instance "fakesink num-buffers=100".
set -euo pipefail
# shellcheck source=pipelines/recipe.sh
. "$(dirname "${BASH_SOURCE[0]}")/recipe.sh"

recipe 1 2 "$@"
read -ra sink <<<"${GST_BCP_SINK:-autovideosink}"
need_elements fallbacksrc bcpoverlay "${sink[0]}"
# Three seconds without a frame are an outage. The group keeps what was learnt when the camera comes back as another stream.
play - fallbacksrc "uri=$1" enable-audio=false restart-on-eos=true timeout=3000000000 ! videoconvert \
  ! bcptagger prior-group=camera ${2:+"labels=$2"} ! bcpoverlay ! queue ! videoconvert ! "${sink[@]}"
