# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp model check: its output for valid and broken models, and the comparison with reference values.
set -euo pipefail
# shellcheck source=tests/tools/cli.bash
. "${ROOT:?}/tests/tools/cli.bash"

CliCheck.ShowsThePropertiesOfAValidModel() {
  try bcp model check "$toy" --provider cpu --threads 1
  expect_status 0
  expect_output '^layout +bundle\.json'
  expect_output 'visual\.onnx, [0-9]+ B$'
  expect_output '^image size +32 x 32$'
  expect_output '^logit scale +20$'
  expect_output '^image tower +pictures: "pixel_values" float \[\?, 3, 32, 32\]$'
  expect_output '^ +embedding: "image_embeds" float \[\?, 8\]$'
  expect_output '^threads +1$'
  expect_output 'length [0-9.]+ before normalisation'
  expect_output '^time per frame +[0-9.e-]+ ms \(inference alone, median of [0-9]+ runs\)$'
  expect_output '^labels +6: red, green, blue'
  expect_output '^verdict +fit$'
}

# ONNX Runtime keeps what it sends in the user's cache. It sends nothing where it recognises a CI machine, so the environment is empty.
CliCheck.SendsNoTelemetry() {
  try env -i PATH="$PATH" HOME="$SCRATCH" XDG_CACHE_HOME="$SCRATCH/cache" ASAN_OPTIONS="${ASAN_OPTIONS:-}" LSAN_OPTIONS="${LSAN_OPTIONS:-}" \
    UBSAN_OPTIONS="${UBSAN_OPTIONS:-}" "$BUILD/tools/gst-bcp/gst-bcp" model check "$toy"
  expect_status 0
  expect_output '^verdict +fit$'
  [ -d "$SCRATCH/cache" ] || flunk "it does not use the cache of this case"
  [ -z "$(find "$SCRATCH" -iname '*onnxruntime*')" ] || flunk "$(find "$SCRATCH" -iname '*onnxruntime*')"
}

CliCheck.ShowsTheTextTowerAndItsTokenizer() {
  try bcp model check "$words"
  expect_status 0
  expect_output '^text tower +token ids: "input_ids" int64 \[\?, \?\]$'
  expect_output '^ +embedding: "text_embeds" float \[\?, 8\]$'
  expect_output "^tokenizer +CLIP's own vocabulary, built in$"
  expect_output '^ +49408 tokens$'
  expect_output '^ +77 ids per text$'
  expect_output '^text self-test +passed'
  expect_output '^time per text +[0-9.e-]+ ms'
}

CliCheck.ShowsTheSettingsOfPresence() {
  try bcp model check "$words"
  expect_output '^presence +scale unknown, 1 is used: measure it with gst-bcp model calibrate$'
  expect_output '^ +prior strength 1$'
  expect_output '^ +text tower: any label, any context word$'
  expect_output '^ +110 context words$'
  expect_output '^ +not calibrated: the scale is unknown$'
  make_bundle "$SCRATCH/scaled" scaled
  sed -i 's/"logit_scale"/"presence": {"scale": 0.75, "prior_strength": 0.5},\n  &/' "$SCRATCH/scaled/bundle.json"
  try bcp model check "$SCRATCH/scaled"
  expect_output '^presence +scale 0\.75$'
  expect_output '^ +prior strength 0\.5$'
  expect_output '^ +6 context words$'
  expect_output '^ +not calibrated: 30 context words or more are needed$'
  bcp model check mini --json >"$SCRATCH/found.json"
  /usr/bin/python3 -c 'import json, sys; p = json.load(open(sys.argv[1]))["presence"]
assert p == {"scale": 0.8, "prior_strength": 0.1, "text_tower": True, "context_words": 110, "calibrated": True}, p' "$SCRATCH/found.json"
}

CliCheck.ShowsHowPicturesArePreparedAndScoresAreRead() {
  try bcp model check "$toy"
  expect_output '^filter +bicubic$'
  expect_output '^resize +shortest: '
  expect_output '^scoring +softmax: labels compete, as CLIP$'
  cp -r "$ROOT/tests/data/families/siglip2" "$SCRATCH/siglip2"
  try bcp model check "$SCRATCH/siglip2"
  expect_status 0
  expect_output '^filter +bilinear$'
  expect_output '^resize +squash: '
  expect_output '^scoring +sigmoid: each label independently, as SigLIP$'
  expect_output '^logit bias +-6\.5$'
  expect_output '^presence +slope 1$'
  expect_output '^ +not calibrated: the model has no presence\.slope and presence\.offset'
  echo '{"presence": {"slope": 0.8, "offset": -1.5}}' >"$SCRATCH/siglip2/presence.json"
  try bcp model check "$SCRATCH/siglip2"
  expect_output '^presence +slope 0\.8$'
  expect_output '^ +offset -1\.5$'
  expect_output '^ +calibrated$'
}

CliCheck.RejectsASiglipWithoutItsBiasAndSaysWhatToDo() {
  cp -r "$ROOT/tests/data/families/siglip" "$SCRATCH/siglip"
  rm "$SCRATCH/siglip/presence.json"
  try bcp model check "$SCRATCH/siglip"
  expect_failure
  expect_output 'SigLIP type .*logit_scale and logit_bias.*presence\.json'
}

CliCheck.OpensAModelAsItWasDownloadedAndTheVariantThatIsNamed() {
  mkdir -p "$SCRATCH/hub/onnx"
  cp "$ROOT/tests/data/layouts/vision_model.onnx" "$ROOT/tests/data/layouts/text_model.onnx" "$SCRATCH/hub/onnx"
  cp "$ROOT/tests/data/layouts/half.onnx" "$SCRATCH/hub/onnx/vision_model_fp16.onnx"
  try bcp model check "$SCRATCH/hub"
  expect_status 0
  expect_output '^layout +Hugging Face'
  expect_output '^ +onnx/text_model\.onnx, |^files +onnx/vision_model\.onnx, '
  expect_output '^notes +'
  try bcp model check "$SCRATCH/hub/onnx/vision_model_fp16.onnx"
  expect_output 'onnx/vision_model_fp16\.onnx, '
}

CliCheck.SaysTheSameAsJson() {
  bcp model check --model "$toy" --json >"$SCRATCH/found.json"
  /usr/bin/python3 - "$SCRATCH/found.json" <<'PYTHON'
import json, sys
found = json.load(open(sys.argv[1]))
assert found["fit"] is True and found["name"] == "toy" and found["labels"] == 6, found
assert found["visual"]["input"] == {"name": "pixel_values", "type": "float", "shape": [-1, 3, 32, 32]}, found
assert found["embedding_size"] == 8 and found["embedding_norm"] > 0.001 and found["ms_per_frame"] > 0, found
assert found["provider"] in ("cpu", "openvino") and found["provider_note"] and found["precision"] in ("fp32", "bf16"), found
assert found["processor"]["name"] and "CPUExecutionProvider" in found["providers"], found
PYTHON
}

CliCheck.RejectsABrokenModelWithTheReason() {
  make_bundle "$SCRATCH/bad" bad
  sed -i 's/-0.449357/0.449357/' "$SCRATCH/bad/bundle.json"
  try bcp model check "$SCRATCH/bad"
  expect_status 1
  expect_one_sentence
  expect_output '^gst-bcp: .*fails its self-test'
  expect_output '^image size'
  expect_no_output '^verdict'
  bcp model check "$SCRATCH/bad" --json 2>/dev/null >"$SCRATCH/found.json" || true
  /usr/bin/python3 -c 'import json, sys; f = json.load(open(sys.argv[1])); assert f["fit"] is False and "self-test" in f["reason"], f' \
    "$SCRATCH/found.json"
}

CliCheck.ExplainsWhyADirectoryIsNotAModel() {
  local model
  for model in nonsense "$SCRATCH" "$SCRATCH/none" ''; do
    try bcp model check "$model"
    expect_status 1
    expect_one_sentence
  done
}

CliCheck.UsesTheRequestedProviderOrFails() {
  ! ldconfig -p | grep -q libcudart || return 0
  try bcp model check "$toy" --provider cuda
  expect_status 1
  expect_one_sentence
  expect_output 'CUDA'
}

CliCheck.UsesTheRequestedPrecisionOrFails() {
  try bcp model check "$toy" --provider cpu --precision bf16
  expect_status 1
  expect_one_sentence
  expect_output 'precision=bf16 cannot be used with execution-provider=cpu'
  try bcp model check "$toy" --precision int8
  expect_status 1
  expect_one_sentence
  expect_output 'has no int8 variant of'
}

# --- model check --golden

# Reference values of the model $3 (default: toy) in the file $1, computed here from its own embeddings; $2 is added to the
# first logit.
make_golden() {
  local model=${3:-$toy}
  bcp model embed "$photograph" "$SCRATCH/picture.npy" --model "$model"
  bcp model embed red "$SCRATCH/red.npy" --model "$model"
  bcp model embed blue "$SCRATCH/blue.npy" --model "$model"
  with_arrays '
import json
logits = [20.0 * float(a @ b), 20.0 * float(a @ c)]
softmax = np.exp(np.array(logits) - max(logits)); softmax /= softmax.sum()
logits[0] += float(sys.argv[6])
json.dump({"models": ["toy", "Somebody/Toy"], "picture": sys.argv[7], "texts": ["red", "blue"],
           "logits": {"values": logits, "tolerance": 0.001}, "softmax": {"values": list(softmax), "tolerance": 0.001},
           "image_embedding": {"values": [float(n) for n in a[:3]], "normalised": True, "tolerance": 0.0001}}, open(sys.argv[5], "w"))
' "$SCRATCH/picture.npy" "$SCRATCH/red.npy" "$SCRATCH/blue.npy" "$1" "${2:-0}" "$photograph"
}

CliGolden.AgreesWithValuesThatAreRight() {
  make_golden "$SCRATCH/golden.json"
  try bcp model check "$toy" --golden "$SCRATCH/golden.json"
  expect_status 0
  expect_output '^ +logit of "red" +-?[0-9.]+ +-?[0-9.]+ +\+-0\.001 +agrees$'
  expect_output 'softmax of "blue" .*agrees$'
  expect_output "number 3 of the picture's embedding .*agrees$"
  expect_no_output 'differs'
}

CliGolden.TakesTextsAsTheyAreThroughTheTextTower() {
  make_golden "$SCRATCH/golden.json" 0 "$words"
  try bcp model check "$words" --golden "$SCRATCH/golden.json"
  expect_status 0
  expect_output 'logit of "red" .*agrees$'
  sed -i 's/"red"/"a red"/' "$SCRATCH/golden.json"
  try bcp model check "$words" --golden "$SCRATCH/golden.json"
  expect_status 1
  expect_output 'logit of "a red" .*differs$'
}

CliGolden.ShowsExpectedAndFoundWhereTheyDiffer() {
  make_golden "$SCRATCH/golden.json" 0.5
  try bcp model check "$toy" --golden="$SCRATCH/golden.json"
  expect_status 1
  expect_one_sentence
  expect_output 'logit of "red" .*differs$'
  expect_output 'logit of "blue" .*agrees$'
  expect_output '^gst-bcp: .*1 of 7 values differ'
}

CliGolden.ComparesTheTowersOwnNumbersWhereTheyAreNotNormalised() {
  make_golden "$SCRATCH/golden.json"
  sed -i 's/"normalised": true/"normalised": false/' "$SCRATCH/golden.json"
  try bcp model check "$toy" --golden="$SCRATCH/golden.json"
  expect_status 1
  expect_output '3 of 7 values differ'
}

CliGolden.FindsTheValuesOfAModelByItsNameHoweverItIsSpelt() {
  local name
  mkdir -p "$SCRATCH/models/golden"
  cp "$ROOT"/models/golden/* "$SCRATCH/models/golden"
  export GST_BCP_MODEL_PATH=$SCRATCH/models
  for name in clip-vit-b32 ViT-B-32 ViT-B-32__openai clip-vit-base-patch32; do
    make_bundle "$SCRATCH/models/$name" "$name"
    try bcp model check "$name" --golden
    expect_status 1
    expect_output 'the label "a photo of a man" is not among the 6'  # the file was found, but the toy model lacks its labels
  done
  for name in ViT-B-32__laion2b ViT-B-16; do
    make_bundle "$SCRATCH/models/$name" "$name"
    try bcp model check "$name" --golden
    expect_status 1
    expect_output "there are no reference values for the model $name; they exist for clip-rn50, clip-vit-b32"
  done
}

CliGolden.RefusesAFileThatIsWrong() {
  local text
  for text in '{' '[]' '{"picture":"x.jpg"}' '{"picture":"x.jpg","logit":1}' '{"picture":3,"texts":["a"]}' \
    '{"picture":"x.jpg","texts":["a"],"logits":{"values":[1,2],"tolerance":1}}' \
    '{"picture":"x.jpg","texts":["red"],"logits":{"values":[1],"tolerance":1}}' \
    "{\"models\":$(printf '[%.0s' {1..100000})"; do
    printf '%s' "$text" >"$SCRATCH/golden.json"
    try bcp model check "$toy" --golden="$SCRATCH/golden.json"
    expect_status 1
    expect_one_sentence
  done
  try bcp model check --golden mini
  expect_status 1
  expect_output "give the name of a model before --golden"
}
