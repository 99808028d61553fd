# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# models/quantise.py: what it refuses before it needs a package. What it makes is tested in tests/export.
set -euo pipefail
# shellcheck source=tests/tools/cli.bash
. "${ROOT:?}/tests/tools/cli.bash"

quantise() { /usr/bin/python3 "$ROOT/models/quantise.py" --gst-bcp "$BUILD/tools/gst-bcp/gst-bcp" "$@"; }

expect_refusal() {
  expect_status 1
  expect_output "^quantise\.py: .*$1"
  [ "$(grep -c . <<<"$output")" -eq 1 ] || flunk "more than one sentence: $output"
}

Quantise.RefusesInputWithoutPictures() {
  make_bundle "$SCRATCH/toy" toy
  mkdir "$SCRATCH/empty"
  touch "$SCRATCH/empty/notes.txt"
  try quantise "$SCRATCH/toy" "$SCRATCH/empty"
  expect_refusal 'no picture and no video in .*empty'
  try quantise "$SCRATCH/toy" "$SCRATCH/nowhere"
  expect_refusal 'no picture, clip or folder .*nowhere'
}

Quantise.RefusesAModelThatIsUnfit() {
  make_bundle "$SCRATCH/toy" toy
  try quantise "$SCRATCH/none" "$photograph"
  expect_refusal 'none'
  truncate -s -9 "$SCRATCH/toy/visual.onnx"
  try quantise "$SCRATCH/toy" "$photograph"
  expect_refusal 'visual\.onnx is damaged or was changed'
}

Quantise.KeepsAnInt8VariantThatIsThere() {
  make_bundle "$SCRATCH/toy" toy
  echo kept >"$SCRATCH/toy/visual_int8.onnx"
  try quantise "$SCRATCH/toy" "$photograph"
  expect_refusal 'visual_int8\.onnx exists: use --force'
  [ "$(cat "$SCRATCH/toy/visual_int8.onnx")" = kept ]
}

Quantise.RefusesAModelInFewerBits() {
  mkdir -p "$SCRATCH/hub/onnx"
  cp "$ROOT/tests/data/layouts/text_model.onnx" "$SCRATCH/hub/onnx"
  cp "$ROOT/tests/data/layouts/half.onnx" "$SCRATCH/hub/onnx/vision_model_fp16.onnx"
  try quantise "$SCRATCH/hub" "$photograph"
  expect_refusal 'vision_model_fp16\.onnx is not in 32-bit floats'
  cp "$ROOT/tests/data/layouts/vision_model_quantized.onnx" "$SCRATCH/hub/onnx"
  rm "$SCRATCH/hub/onnx/vision_model_fp16.onnx"
  try quantise "$SCRATCH/hub" "$photograph"
  expect_refusal 'is int8 already'
}

Quantise.NamesThePackageThatIsMissing() {
  make_bundle "$SCRATCH/toy" toy
  mkdir "$SCRATCH/python"
  echo 'raise ImportError("hidden", name="onnx")' >"$SCRATCH/python/onnx.py"
  PYTHONPATH=$SCRATCH/python try quantise "$SCRATCH/toy" "$photograph"
  expect_refusal 'needs the Python package onnx: run scripts/setup\.sh --quantise'
  try /usr/bin/python3 "$ROOT/models/quantise.py" --help
  expect_status 0
  expect_output '--least-cosine'
}
