#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Records the parts of a video in which a condition on its labels is true:
#
#   pipelines/gate.sh INPUT OUTPUT.mkv CONDITION [LABELS]
#
# INPUT is a file or a URI; LABELS are separated by commas (without them: the model's own). CONDITION is, for instance,
# person, "person and not dog", "'fire hydrant' or bench > 0.4". Each part begins two seconds before the condition became true, at a
# key frame, and ends two seconds after it was last true.
set -euo pipefail
# shellcheck source=pipelines/recipe.sh
. "$(dirname "${BASH_SOURCE[0]}")/recipe.sh"

recipe 3 4 "$@"
open_source "$1"
case ${2,,} in
  *.mkv) ;;
  *) fail "$2 is not named as a Matroska file: end it in .mkv." ;;
esac
check_output "$2"
need_elements bcpgate x264enc h264parse matroskamux
play "$2" "${source[@]}" ! bcptagger ${4:+"labels=$4"} ! "${h264[@]}" tune=zerolatency key-int-max=30 ! h264parse \
  ! bcpgate "condition=$3" pre-roll=2000000000 post-roll=2000000000 ! matroskamux ! filesink "location=$2"
