#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Writes a recording with the labels as a subtitle track, which players can switch on and off, and text search can find:
#
#   pipelines/subtitles.sh INPUT OUTPUT.mkv|OUTPUT.mp4 [LABELS]
#
# INPUT is a file or a URI; LABELS are separated by commas (default: the model's own). Nothing is drawn into the picture.
# The extension of OUTPUT selects Matroska (.mkv), MP4 with timed text (.mp4, .m4v) or QuickTime (.mov).
set -euo pipefail
# shellcheck source=pipelines/recipe.sh
. "$(dirname "${BASH_SOURCE[0]}")/recipe.sh"

recipe 2 3 "$@"
open_source "$1"
case ${2,,} in
  *.mkv) muxer=matroskamux ;;
  *.mp4 | *.m4v) muxer=mp4mux ;;
  *.mov) muxer=qtmux ;;
  *) fail "$2 does not have the extension of a supported format: use .mkv, .mp4, .m4v or .mov." ;;
esac
check_output "$2"
need_elements bcpsubtitle tee x264enc h264parse "$muxer"
play "$2" "${source[@]}" ! bcptagger ${3:+"labels=$3"} ! tee name=labelled \
  labelled. ! queue ! "${h264[@]}" tune=zerolatency ! h264parse ! mux. \
  labelled. ! queue ! bcpsubtitle ! mux. \
  "$muxer" name=mux ! filesink "location=$2"
