# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp model calibrate: the scale, and the files it is written to.
set -euo pipefail
# shellcheck source=tests/tools/cli.bash
. "${ROOT:?}/tests/tools/cli.bash"
# shellcheck source=tests/common/pictures.bash
. "$ROOT/tests/common/pictures.bash"

# The scale by NumPy, from the embeddings that `model embed` gives.
expected_scale() {
  local picture word
  mkdir -p "$SCRATCH/npy"
  for word in red green blue yellow cyan magenta; do bcp model embed --text "$word" "$SCRATCH/npy/text-$word.npy" --model "$1"; done
  for picture in "$2"/*.bmp; do bcp model embed "$picture" "$SCRATCH/npy/$(basename "$picture").npy" --model "$1"; done
  with_arrays '
import glob
text = np.stack([np.load(path) for path in glob.glob(sys.argv[2] + "/text-*.npy")])
kept = []
for path in sorted(glob.glob(sys.argv[2] + "/*.bmp.npy")):
    point = np.load(path)
    if all(point @ other <= 0.99 for other in kept): kept.append(point)
print("%.4g %d" % (2 / np.mean([(20 * text @ point).std() for point in kept]), len(kept)))' "$SCRATCH/npy"
}

Calibrate.WritesTheScaleIntoBundleJsonAndChangesNothingElse() {
  local scale count
  make_bundle "$SCRATCH/model" model
  make_colors "$SCRATCH/pictures" 60
  read -r scale count <<<"$(expected_scale "$SCRATCH/model" "$SCRATCH/pictures")"
  try bcp model calibrate "$SCRATCH/model" "$SCRATCH/pictures"
  expect_status 0
  expect_output "^scale +$scale, was unknown$"
  expect_output "^pictures +$count pictures; $((60 - count)) near cop(y|ies) ignored$"
  expect_output '^words +6: the labels of the model, which has no text tower$'
  expect_output '^mean sd +[0-9.]+ of the scores of a picture'
  expect_output '^warning: measured on few pictures; 100 or more'
  expect_output '^warning: the model has 6 words'
  expect_output "^written to +$SCRATCH/model/bundle\.json$"
  /usr/bin/python3 - "$toy/bundle.json" "$SCRATCH/model/bundle.json" "$scale" <<'PYTHON'
import json, sys
before, after = (json.load(open(path), object_pairs_hook=list) for path in sys.argv[1:3])
before[[key for key, _ in before].index("name")] = ("name", "model")
assert after == before + [("presence", [("scale", float(sys.argv[3]))])], after
PYTHON
  try bcp model check "$SCRATCH/model"
  expect_status 0
  expect_output "^presence +scale $scale$"
}

Calibrate.KeepsTheLinesAndTheOtherTraitsOfABundle() {
  make_bundle "$SCRATCH/model" model
  sed -i 's/"logit_scale"/"presence": {\n    "scale": 1,\n    "prior_strength": 0.5,\n    "cut": 2,\n    "alias_cosine": 0.9\n  },\n  &/' "$SCRATCH/model/bundle.json"
  cp "$SCRATCH/model/bundle.json" "$SCRATCH/before.json"
  make_colors "$SCRATCH/pictures" 60
  try bcp model calibrate "$SCRATCH/model" "$SCRATCH/pictures"
  expect_status 0
  expect_output '^scale +[0-9.]+, was 1$'
  [ "$(diff "$SCRATCH/before.json" "$SCRATCH/model/bundle.json" | grep -c '^<')" -eq 1 ] || flunk "$(diff "$SCRATCH/before.json" "$SCRATCH/model/bundle.json")"
  grep -q '"prior_strength": 0.5' "$SCRATCH/model/bundle.json"
  grep -q '"cut": 2' "$SCRATCH/model/bundle.json"
  grep -q '"alias_cosine": 0.9' "$SCRATCH/model/bundle.json"
}

Calibrate.WritesAFileOfItsOwnForAModelWithoutBundleJson() {
  mkdir -p "$SCRATCH/hub/onnx"
  cp "$ROOT/tests/data/layouts/vision_model.onnx" "$ROOT/tests/data/layouts/text_model.onnx" "$SCRATCH/hub/onnx"
  make_colors "$SCRATCH/pictures" 120
  try bcp model calibrate "$SCRATCH/hub" "$SCRATCH/pictures" --dry-run
  expect_status 0
  expect_output '^words +110: everyday words'
  expect_output '^written to +nothing \(--dry-run\)$'
  expect_no_output '^warning: '
  [ ! -e "$SCRATCH/hub/presence.json" ] || flunk "--dry-run wrote a file"
  local scale
  scale=$(awk '$1 == "scale" { print $2 }' <<<"$output")
  bcp model calibrate "$SCRATCH/hub" "$SCRATCH/pictures" >/dev/null
  try bcp model check "$SCRATCH/hub"
  expect_output "^presence +scale ${scale%,}$"
  expect_output '^ +calibrated$'
  echo '{"presence": {"scale": "big"}}' >"$SCRATCH/hub/presence.json"
  try bcp model check "$SCRATCH/hub"
  expect_status 1
  expect_output 'hub/presence\.json: the key "presence\.scale" must be a number above 0'
}

Calibrate.RefusesTooFewOrTooSimilarPictures() {
  make_bundle "$SCRATCH/model" model
  make_colors "$SCRATCH/few" 19
  try bcp model calibrate "$SCRATCH/model" "$SCRATCH/few"
  expect_status 1
  expect_one_sentence
  expect_output 'at least 20 varied pictures are needed, and 100 are better; found: 19'
  mkdir "$SCRATCH/same"
  local i
  for i in {1..30}; do cp "$SCRATCH/few/000.bmp" "$SCRATCH/same/$i.bmp"; done
  try bcp model calibrate "$SCRATCH/model" "$SCRATCH/same"
  expect_status 1
  expect_output 'found: 1 picture; 29 near copies ignored'
  for i in {1..30}; do echo x >"$SCRATCH/same/$i.bmp"; done
  try bcp model calibrate "$SCRATCH/model" "$SCRATCH/same"
  expect_status 1
  expect_output '30 unreadable \(.*/same/1\.bmp'
  try bcp model calibrate "$SCRATCH/model" "$SCRATCH/none"
  expect_status 1
  expect_one_sentence
  cmp <(sed 's/"model"/"toy"/' "$SCRATCH/model/bundle.json") "$toy/bundle.json"
}

Calibrate.ExplainsItself() {
  try bcp model calibrate --help
  expect_status 0
  expect_output '^Usage: gst-bcp model calibrate'
  local line
  for line in 'model calibrate' 'model calibrate mini' 'model calibrate mini x --dryrun'; do
    # shellcheck disable=SC2086  # words
    try bcp $line
    expect_status 2
    expect_one_sentence
  done
}
