#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Writes a recording whose labels are a subtitle track: switched on and off in any player, and found by text search.
#
#   pipelines/subtitles.sh INPUT OUTPUT.mkv [LABELS]
#
# INPUT is a file or a URI; LABELS are separated by commas (without them: the model's own). The picture is not drawn on.
set -euo pipefail
# shellcheck source=pipelines/recipe.sh
. "$(dirname "${BASH_SOURCE[0]}")/recipe.sh"

recipe 2 3 "$@"
open_source "$1"
check_output "$2"
need_elements bcpsubtitle tee x264enc h264parse matroskamux
play "$2" "${source[@]}" ! bcptagger ${3:+"labels=$3"} ! tee name=labelled \
  labelled. ! queue ! "${h264[@]}" tune=zerolatency ! h264parse ! mux. \
  labelled. ! queue ! bcpsubtitle ! mux. \
  matroskamux name=mux ! filesink "location=$2"
