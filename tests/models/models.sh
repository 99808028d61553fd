# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# models/make_bundle.py: a bundle from a tower and text embeddings; models/export_clip.py without its packages.
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

bcp() { "$BUILD/tools/gst-bcp/gst-bcp" "$@"; }

toy_bundle() {
  /usr/bin/python3 "$ROOT/models/make_bundle.py" "$SCRATCH/mine" --visual "$ROOT/tests/data/models/toy.onnx" --name mine \
    --licence MIT --size 32 --mean 0 0 0 --std 1 1 1 --scale 20 "$@"
}

MakeBundle.TakesASafetensorsBank() {
  try toy_bundle --text-bank "$ROOT/tests/data/bundles/toy/text_bank.safetensors"
  expect_status 0
  try bcp model check "$SCRATCH/mine"
  expect_status 0
  expect_output '^labels +6: red'
}

MakeBundle.TakesNumPyArrays() {
  /usr/bin/python3 -c '
import sys, numpy as np
np.savez(sys.argv[1], embeddings=np.eye(2, 8, dtype=np.float32), labels=np.array(["one", "two"]))' "$SCRATCH/text.npz"
  try toy_bundle --text-bank "$SCRATCH/text.npz"
  expect_status 0
  try bcp model check "$SCRATCH/mine"
  expect_status 0
  expect_output '^labels +2: one, two'
}

MakeBundle.FailsWithoutATextBank() {
  try toy_bundle --text-bank "$SCRATCH/none.npz"
  expect_status 1
  expect_output 'none\.npz'
  [ ! -e "$SCRATCH/mine/bundle.json" ] || flunk "a bundle was made all the same"
}

# -S: with Python's own modules only.
export_clip_alone() { /usr/bin/python3 -S "$ROOT/models/export_clip.py" "$@"; }

ExportClip.ExplainsItselfWherePackagesAreMissing() {
  try export_clip_alone --help
  expect_status 0
  expect_output '--with-vocabulary'
  try export_clip_alone "$SCRATCH/out" --variant int4
  expect_status 2
  expect_output 'fp16'
  try export_clip_alone "$SCRATCH/out" --checkpoint weights.pt
  expect_status 1
  expect_output 'needs the Python package [a-z]+: run scripts/setup\.sh --export'
}
