#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Writes a video with the labels of plain CLIP and the corrected labels side by side:
#
#   pipelines/compare.sh INPUT OUTPUT.mp4 [LABELS]
#
# INPUT is a file or a URI; LABELS are separated by commas (default: the model's own).
set -euo pipefail
# shellcheck source=pipelines/recipe.sh
. "$(dirname "${BASH_SOURCE[0]}")/recipe.sh"

recipe 2 3 "$@"
labelled_mp4 "$1" "$2" "${3:-}" compare=true
