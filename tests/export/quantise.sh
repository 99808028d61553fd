# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# models/quantise.py: from a model and pictures to an int8 variant that the element runs.
set -euo pipefail
# shellcheck source=tests/export/support.bash
. "${ROOT:?}/tests/export/support.bash"
# shellcheck source=tests/common/pictures.bash
. "$ROOT/tests/common/pictures.bash"

bcp() { "$BUILD/tools/gst-bcp/gst-bcp" "$@"; }

quantise() { "$python" "$ROOT/models/quantise.py" --gst-bcp "$BUILD/tools/gst-bcp/gst-bcp" "$@"; }

Quantise.MakesAVariantOfMiniFromClipsThatTheElementRuns() {
  cp -r "$ROOT/models/mini" "$SCRATCH/mini"
  try quantise "$SCRATCH/mini" "$ROOT/tests/data/clips" --most 60
  expect_status 0
  expect_output '^mini: [0-9]+ of [0-9]+ nodes in int8, calibrated with 60 pictures \(minmax\); 21\.7 MB became [56]\.[0-9] MB$'
  expect_output '^int8 on cpu +0\.999'
  expect_output '^The lowest cosine is that of .*/clips/[a-z_-]+\.mp4 at [0-9.]+ s$'
  gst-launch-1.0 -q filesrc location="$ROOT/tests/data/clips/mdn_friday.mp4" ! decodebin \
    ! bcptagger model="$SCRATCH/mini" precision=int8 execution-provider=cpu \
    ! bcppublish location="$SCRATCH/results.jsonl" ! fakesink
  grep -q '"person"' "$SCRATCH/results.jsonl"
}

Quantise.WritesBesideTheTowerOfAHuggingFaceLayout() {
  mkdir -p "$SCRATCH/hub/onnx"
  cp "$ROOT/tests/data/layouts/vision_model.onnx"* "$ROOT/tests/data/layouts/text_model.onnx" "$SCRATCH/hub/onnx"
  make_colors "$SCRATCH/pictures" 40
  try quantise "$SCRATCH/hub" "$SCRATCH/pictures" --least-cosine 0.9
  expect_status 0
  [ -s "$SCRATCH/hub/onnx/vision_model_int8.onnx" ]
  try bcp model check "$SCRATCH/hub" --precision int8 --provider cpu
  expect_status 0
  expect_output '^precision +int8$'
}

Quantise.WritesNothingWhereTheDriftIsTooLargeUnlessForced() {
  cp -r "$ROOT/tests/data/bundles/toy" "$SCRATCH/toy"
  make_colors "$SCRATCH/pictures" 40
  try quantise "$SCRATCH/toy" "$SCRATCH/pictures" --least-cosine 1
  expect_status 1
  expect_output 'the mean cosine 0\.99[0-9]+ is below 1, so nothing was written'
  [ ! -e "$SCRATCH/toy/visual_int8.onnx" ]
  cmp "$ROOT/tests/data/bundles/toy/bundle.json" "$SCRATCH/toy/bundle.json"
  try quantise "$SCRATCH/toy" "$SCRATCH/pictures" --least-cosine 1 --force
  expect_status 0
  # A second time over the first: its checksum is replaced.
  try quantise "$SCRATCH/toy" "$SCRATCH/pictures" --force --reduce-range yes
  expect_status 0
  expect_output '7 bits'
  try bcp model check "$SCRATCH/toy" --precision int8 --provider cpu
  expect_status 0
  [ -z "$(find "$SCRATCH/toy" -name '*.tmp')" ]
}

Quantise.RefusesTooFewPicturesAndATowerThatReadsTexts() {
  cp -r "$ROOT/tests/data/bundles/toy" "$SCRATCH/toy"
  make_colors "$SCRATCH/pictures" 11
  try quantise "$SCRATCH/toy" "$SCRATCH/pictures"
  expect_status 1
  expect_output 'at least 12 pictures to calibrate with .* found: 9 and 2'
  mkdir -p "$SCRATCH/hub/onnx"
  cp "$ROOT/tests/data/layouts/model.onnx" "$SCRATCH/hub/onnx"
  try quantise "$SCRATCH/hub" "$SCRATCH/pictures"
  expect_status 1
  expect_output 'has more inputs than pictures'
  echo nothing >"$SCRATCH/broken.mp4"
  try quantise "$SCRATCH/toy" "$SCRATCH/broken.mp4"
  expect_status 1
  expect_output 'broken\.mp4 cannot be read as a video'
}
