# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Models by open_clip's names, and what export_clip.py refuses.
set -euo pipefail
# shellcheck source=tests/export/support.bash
. "${ROOT:?}/tests/export/support.bash"

# A model of a few kilobytes in open_clip's own directory form; $1 names the directory.
make_tiny() {
  "$python" - "$1" <<'PYTHON' 2>/dev/null
import json, os, sys, open_clip, torch
os.makedirs(sys.argv[1])
json.dump({"model_cfg": {"embed_dim": 16, "vision_cfg": {"image_size": 32, "layers": 1, "width": 16, "head_width": 8, "patch_size": 8},
                         "text_cfg": {"context_length": 77, "vocab_size": 49408, "width": 8, "heads": 2, "layers": 1}},
           "preprocess_cfg": {"mean": [0.5, 0.5, 0.5], "std": [0.25, 0.25, 0.25]}}, open(sys.argv[1] + "/open_clip_config.json", "w"))
torch.save(open_clip.create_model("local-dir:" + sys.argv[1]).state_dict(), sys.argv[1] + "/open_clip_pytorch_model.bin")
PYTHON
}

# An export that must fail with one sentence that matches $1 and leave nothing behind.
expect_refusal() {
  local reason=$1
  shift
  try export_clip "$SCRATCH/out/bundle" "$@"
  expect_failure
  expect_output "^export_clip\.py: .*$reason"
  [ "$(grep -c . <<<"$output")" -eq 1 ] || flunk "more than a sentence: $output"
  [ -z "$(ls -A "$SCRATCH/out" 2>/dev/null)" ] || flunk "it left $(ls -A "$SCRATCH/out")"
}

OpenClip.ANameAndAWeightsFileBecomeABundleThatRuns() {
  make_checkpoint "$SCRATCH/weights.pt" ViT-B-32-quickgelu open-clip
  export_clip "$SCRATCH/bundle" --open-clip ViT-B-32-quickgelu --pretrained "$SCRATCH/weights.pt" --licence none --variant fp16
  judge towers "ViT-B-32-quickgelu=$SCRATCH/weights.pt" "$SCRATCH/bundle"
  judge variant "$SCRATCH/bundle" "$SCRATCH/bundle-fp16" 0.9999
  run_in_element "ViT-B-32-quickgelu=$SCRATCH/weights.pt" "$SCRATCH/bundle"
}

OpenClip.ADirectoryOfOpenClipsBecomesABundleWithItsOwnMeanAndStd() {
  make_tiny "$SCRATCH/tiny"
  export_clip "$SCRATCH/bundle" --open-clip "local-dir:$SCRATCH/tiny" --licence none --with-vocabulary --name small
  "$python" - "$SCRATCH/bundle/bundle.json" <<'PYTHON'
import json, sys
manifest = json.load(open(sys.argv[1]))
assert manifest["image"] == {"size": 32, "mean": [0.5, 0.5, 0.5], "std": [0.25, 0.25, 0.25]}, manifest["image"]
assert manifest["name"] == "small" and manifest["licence"] == "none"
assert manifest["textual"]["vocabulary"] == "bpe_simple_vocab_16e6.txt.gz"
assert sorted(manifest["sha256"]) == ["bpe_simple_vocab_16e6.txt.gz", "textual.onnx", "visual.onnx"], manifest["sha256"]
PYTHON
}

OpenClip.WeightsBesideTheGraphAreTheSameModel() {
  make_tiny "$SCRATCH/tiny"
  export_clip "$SCRATCH/one" --open-clip "local-dir:$SCRATCH/tiny" --licence none
  export_clip "$SCRATCH/two" --open-clip "local-dir:$SCRATCH/tiny" --licence none --external-data --variant fp16 --variant int8
  ls "$SCRATCH"/two*/{visual,textual}.onnx.data
  gst-launch-1.0 -q videotestsrc num-buffers=1 ! bcptagger model="$SCRATCH/two" labels="cat, dog" ! fakesink
  "$python" - "$SCRATCH" <<'PYTHON'
import json, sys
one, two = (json.load(open(f"{sys.argv[1]}/{name}/bundle.json")) for name in ("one", "two"))
assert one["self_test"] == two["self_test"]
assert sorted(two["sha256"]) == ["textual.onnx", "textual.onnx.data", "visual.onnx", "visual.onnx.data"], two["sha256"]
PYTHON
}

OpenClip.AnExportReplacesABundleAndNothingElse() {
  make_tiny "$SCRATCH/tiny"
  mkdir "$SCRATCH/bundle"
  echo '{}' >"$SCRATCH/bundle/bundle.json"
  export_clip "$SCRATCH/bundle" --open-clip "local-dir:$SCRATCH/tiny" --licence none
  [ -f "$SCRATCH/bundle/visual.onnx" ]
  [ -z "$(find "$SCRATCH" -maxdepth 1 -name '.bundle*')" ]
  mkdir "$SCRATCH/letters"
  echo dear >"$SCRATCH/letters/first"
  try export_clip "$SCRATCH/letters" --open-clip "local-dir:$SCRATCH/tiny" --licence none
  expect_failure
  expect_output 'letters exists and is not a bundle'
  [ "$(cat "$SCRATCH/letters/first")" = dear ]
}

OpenClip.WhatCannotBeExportedIsRefusedInASentence() {
  echo 'not weights' >"$SCRATCH/text.pt"
  expect_refusal 'sha256 [0-9a-f]{64}, OpenAI.s clip-vit-b32 has 40d36571' --openai ViT-B/32 --checkpoint "$SCRATCH/text.pt"
  expect_refusal 'there is no file .*ViT-B-32\.pt: gst-bcp model get openai:clip-vit-b32 --no-export' --openai vit-b-32
  expect_refusal 'choose one of clip-rn50' --openai ViT-Z/99 --checkpoint "$SCRATCH/text.pt"
  expect_refusal 'cannot be read as weights' --checkpoint "$SCRATCH/text.pt" --licence none
  expect_refusal 'there is no file' --checkpoint "$SCRATCH/missing.pt" --licence none
  expect_refusal 'licence is needed' --checkpoint "$SCRATCH/text.pt"
  expect_refusal 'knows no model ViT-Z-99' --open-clip ViT-Z-99 --pretrained x --licence none
  expect_refusal 'needs --pretrained .*nothing is neither: .*laion2b_s34b_b79k' --open-clip ViT-B-32 --licence none
  expect_refusal 'no-such-tag is neither: .*laion2b_s34b_b79k' --open-clip ViT-B-32 --pretrained no-such-tag --licence none
  "$python" -c 'import sys, torch; torch.save({"weight": torch.zeros(3)}, sys.argv[1])' "$SCRATCH/other.pt"
  expect_refusal 'key names of OpenAI.s CLIP' --checkpoint "$SCRATCH/other.pt" --licence none
}

# A pickle can name any code to run; weights are read by a reader that runs none.
OpenClip.ACheckpointWithCodeInItIsRefusedAndTheCodeNotRun() {
  "$python" - "$SCRATCH" <<'PYTHON'
import os, sys, torch
class Trap:
    def __reduce__(self):
        return os.mkdir, (sys.argv[1] + "/sprung",)
torch.save({"weight": Trap()}, sys.argv[1] + "/trap.pt")
PYTHON
  expect_refusal 'cannot be read as weights' --checkpoint "$SCRATCH/trap.pt" --licence none
  [ ! -e "$SCRATCH/sprung" ] || flunk "the code was run"
}
