#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shows four labelled streams in one picture, two by two, with one shared model:
#
#   pipelines/grid.sh INPUT INPUT INPUT INPUT OUTPUT.mp4
#
# Inputs are files or URIs. Labels are drawn before the compositor, which makes a new picture and drops the metadata of its
# inputs; each stream has its own statistics.
set -euo pipefail
# shellcheck source=pipelines/recipe.sh
. "$(dirname "${BASH_SOURCE[0]}")/recipe.sh"

recipe 5 5 "$@"
inputs=("${@:1:4}") output=$5
check_output "$output"
need_elements bcpoverlay compositor x264enc h264parse mp4mux
width=640 height=360
pipeline=(compositor name=grid)
for i in 0 1 2 3; do
  pipeline+=("sink_$i::xpos=$((i % 2 ? width : 0))" "sink_$i::ypos=$((i > 1 ? height : 0))")
done
pipeline+=(! "${h264[@]}" ! h264parse ! mp4mux ! filesink "location=$output")
for i in 0 1 2 3; do
  open_source "${inputs[$i]}"
  pipeline+=("${source[@]}" ! videoconvertscale add-borders=true ! "video/x-raw,width=$width,height=$height,pixel-aspect-ratio=1/1"
    ! bcptagger model-instance-id=grid "source-id=stream-$i" ! bcpoverlay ! queue ! "grid.sink_$i")
done
play "$output" "${pipeline[@]}"
