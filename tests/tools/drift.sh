# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp model drift, and what gst-bcp model check says of int8 variants.
set -euo pipefail
# shellcheck source=tests/tools/cli.bash
. "${ROOT:?}/tests/tools/cli.bash"

# A toy bundle with an int8 variant in the directory $1.
make_int8() {
  make_bundle "$1" toy
  cp "$ROOT/tests/data/models/toy_int8.onnx" "$1/visual_int8.onnx"
  sed -i "s/\"sha256\": {/&\n    \"visual_int8.onnx\": \"$(sha256sum <"$1/visual_int8.onnx" | cut -d ' ' -f 1)\",/" "$1/bundle.json"
}

# Plain red, green and blue in the folder $1, as BMP.
make_plain() {
  mkdir -p "$1"
  /usr/bin/python3 - "$1" <<'PYTHON'
import pathlib, struct, sys
for name, color in (("red", (20, 40, 230)), ("green", (30, 200, 40)), ("blue", (220, 10, 60))):
    pixels = bytes(color) * 32 * 32
    header = b"BM" + struct.pack("<IHHIIiiHHIIiiII", 54 + len(pixels), 0, 0, 54, 40, 32, 32, 1, 24, 0, len(pixels), 0, 0, 0, 0)
    (pathlib.Path(sys.argv[1]) / f"{name}.bmp").write_bytes(header + pixels)
PYTHON
}

Drift.ShowsHowFarInt8MovesEmbeddingsAndLabels() {
  make_int8 "$SCRATCH/toy"
  make_plain "$SCRATCH/pictures"
  try bcp model drift "$SCRATCH/pictures" --model "$SCRATCH/toy" --precision int8 --provider cpu --threads 1
  expect_status 0
  expect_output '^reference +fp32 on cpu$'
  expect_output '^compared +int8 on cpu$'
  expect_output '^pictures +3$'
  expect_output '^cosine +mean 0\.99[0-9]+$'
  expect_output "^ +lowest for $SCRATCH/pictures/(red|green|blue)\.bmp$"
  expect_output '^top label +another for 0 of 3 pictures$'
  expect_output '^shown labels +others for [0-3] of 3 pictures \([0-9]+ appear, [0-9]+ disappear\)$'
  expect_output '^processor time +[0-9.e-]+ ms a picture, reference$'
}

Drift.ComparesTheEmbeddingsThatTheElementComputes() {
  make_int8 "$SCRATCH/toy"
  make_plain "$SCRATCH/pictures"
  bcp model embed "$SCRATCH/pictures/red.bmp" "$SCRATCH/fp32.npy" --model "$SCRATCH/toy" --provider cpu
  bcp model embed "$SCRATCH/pictures/red.bmp" "$SCRATCH/int8.npy" --model "$SCRATCH/toy" --provider cpu --precision int8
  bcp model drift "$SCRATCH/pictures/red.bmp" --model "$SCRATCH/toy" --precision int8 --provider cpu --json >"$SCRATCH/found.json"
  with_arrays '
import json
found = json.load(open(sys.argv[4]))
assert found["pictures"] == 1 and found["compared"] == {"precision": "int8", "provider": "cpu"}, found
assert abs(found["cosine"]["mean"] - float(a @ b)) < 1e-6 and found["cosine"]["lowest"] == found["cosine"]["mean"], (found, a @ b)
assert found["cosine"]["mean"] < 0.999999, found
assert set(found["shown"]) == {"changed", "appeared", "disappeared"} and found["ms"]["compared"] >= 0, found' \
    "$SCRATCH/fp32.npy" "$SCRATCH/int8.npy" "$SCRATCH/found.json"
}

Drift.IsNothingWhereNothingDiffers() {
  make_plain "$SCRATCH/pictures"
  try bcp model drift "$SCRATCH/pictures" --model "$toy" --precision fp32 --provider cpu --least-cosine 0.999999
  expect_status 0
  expect_output '^cosine +mean 1\.00000$'
  expect_output '^shown labels +others for 0 of 3 pictures \(0 appear, 0 disappear\)$'
}

Drift.JudgesAModelWithoutLabelsByEverydayNouns() {
  mkdir -p "$SCRATCH/hub/onnx"
  cp "$ROOT/tests/data/layouts/vision_model.onnx"* "$ROOT/tests/data/layouts/text_model.onnx" "$SCRATCH/hub/onnx"
  make_plain "$SCRATCH/pictures"
  try bcp model drift "$SCRATCH/pictures" --model "$SCRATCH/hub" --precision fp32 --provider cpu
  expect_status 0
  expect_output '^top label +another for 0 of 3 pictures$'
  try bcp model drift "$SCRATCH/pictures" --model "$SCRATCH/hub" --precision fp32 --provider cpu --labels 'cat, dog'
  expect_status 0
}

Drift.FailsUnderTheCosineThatIsAskedFor() {
  make_int8 "$SCRATCH/toy"
  make_plain "$SCRATCH/pictures"
  try bcp model drift "$SCRATCH/pictures" --model "$SCRATCH/toy" --precision int8 --provider cpu --least-cosine 1
  expect_status 1
  expect_one_sentence
  expect_output '^compared +int8 on cpu$'
  expect_output 'mean cosine is 0\.99[0-9]+, and 1 or more is asked for'
}

Drift.RefusesWhatCannotBeCompared() {
  make_int8 "$SCRATCH/toy"
  make_plain "$SCRATCH/pictures"
  mkdir "$SCRATCH/empty"
  try bcp model drift "$SCRATCH/empty" --model "$SCRATCH/toy" --precision int8
  expect_status 1
  expect_one_sentence
  expect_output 'there is no picture in what was given'
  try bcp model drift "$SCRATCH/pictures" --model "$toy" --precision int8
  expect_status 1
  expect_output 'has no int8 variant of .*models/quantise\.py'
  try bcp model drift "$SCRATCH/pictures" --model "$SCRATCH/toy/visual_int8.onnx" --precision int8
  expect_status 1
  expect_one_sentence
  expect_output 'is int8 itself'
}

Drift.SkipsAPictureThatCannotBeRead() {
  make_int8 "$SCRATCH/toy"
  make_plain "$SCRATCH/pictures"
  head -c 100 "$SCRATCH/pictures/red.bmp" >"$SCRATCH/pictures/cut.bmp"
  try bcp model drift "$SCRATCH/pictures" --model "$SCRATCH/toy" --precision int8 --provider cpu
  expect_status 0
  expect_output '^pictures +3; 1 unreadable$'
  expect_output '^note: .*cut\.bmp'
  try bcp model drift "$SCRATCH/pictures/cut.bmp" --model "$SCRATCH/toy" --precision int8 --provider cpu
  expect_status 1
  expect_output 'no picture could be compared \(.*cut\.bmp'
}

CheckInt8.ShowsTheVariantAndRunsIt() {
  try bcp model check "$toy" --provider cpu
  expect_output '^ +no int8 variant: models/quantise\.py makes one$'
  make_int8 "$SCRATCH/toy"
  try bcp model check "$SCRATCH/toy" --provider cpu
  expect_status 0
  expect_output '^ +file visual\.onnx$'
  expect_output '^ +int8 variant visual_int8\.onnx, for precision=int8$'
  expect_output '^precision +fp32$'
  try bcp model check "$SCRATCH/toy" --provider cpu --precision int8
  expect_status 0
  expect_output '^ +file visual_int8\.onnx$'
  expect_output '^ +this is an int8 variant$'
  expect_output '^precision +int8$'
}
