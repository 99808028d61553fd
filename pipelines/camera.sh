#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shows a webcam with its labels, in a window:
#
#   pipelines/camera.sh [DEVICE [LABELS]]
#
# DEVICE (default: /dev/video0) may be `test`, a test picture for machines without a camera. LABELS are separated by commas.
# Every frame is shown; a frame that comes while the model is busy is not scored, and shows the labels of the last scored frame.
# GST_BCP_SINK sets another sink than a window, for example "fakesink num-buffers=100".
set -euo pipefail
# shellcheck source=pipelines/recipe.sh
. "$(dirname "${BASH_SOURCE[0]}")/recipe.sh"

recipe 0 2 "$@"
device=${1:-/dev/video0}
read -ra sink <<<"${GST_BCP_SINK:-autovideosink}"
need_elements bcpoverlay "${sink[0]}"
if [ "$device" = test ]; then
  source=(videotestsrc is-live=true pattern=ball)
else
  [ -e "$device" ] || fail "There is no camera at $device: connect one, give another device (v4l2-ctl --list-devices), or try: pipelines/camera.sh test"
  need_elements v4l2src
  source=(v4l2src "device=$device" ! decodebin)
fi
play - "${source[@]}" ! bcptagger ${2:+"labels=$2"} ! bcpoverlay ! queue ! videoconvert ! "${sink[@]}"
