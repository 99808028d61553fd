#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Draws the labels on a video and writes it as MP4:
#
#   pipelines/file-to-mp4.sh INPUT OUTPUT.mp4 [LABELS]
#
# INPUT is a file or a URI; LABELS are separated by commas (default: the model's own). `gst-bcp run INPUT --out
# OUTPUT.mp4` does more: sound, progress, a report.
set -euo pipefail
# shellcheck source=pipelines/recipe.sh
. "$(dirname "${BASH_SOURCE[0]}")/recipe.sh"

recipe 2 3 "$@"
labelled_mp4 "$1" "$2" "${3:-}"
