# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The four backbones of the paper, at full size, from checkpoints made as OpenAI's are: TorchScript archives, weights partly
# fp16, OpenAI's key names. The bounds on the variants are for random weights, and no measure of trained ones.
set -euo pipefail
# shellcheck source=tests/export/support.bash
. "${ROOT:?}/tests/export/support.bash"
# shellcheck source=tests/models/hub.bash
. "$ROOT/tests/models/hub.bash"

OpenAI.ResNet50BecomesABundleThatRuns() { export_as_openai RN50 0.999 0.98; }

OpenAI.ResNet101BecomesABundleThatRuns() { export_as_openai RN101 0.998 0.97; }

OpenAI.ViTB32BecomesABundleThatRuns() { export_as_openai ViT-B-32 0.9999 0.995; }

OpenAI.ViTB16BecomesABundleThatRuns() { export_as_openai ViT-B-16 0.9999 0.995; }

# People also have the weights without the archive, and from training runs of their own.
OpenAI.AllFormsOfACheckpointGiveTheSameBundle() {
  local form
  for form in jit state-dict training; do
    make_checkpoint "$SCRATCH/$form.pt" ViT-B-32 "$form"
    export_clip "$SCRATCH/$form" --name same --checkpoint "$SCRATCH/$form.pt" --licence none
    cmp "$SCRATCH/jit/visual.onnx" "$SCRATCH/$form/visual.onnx"
    cmp "$SCRATCH/jit/bundle.json" "$SCRATCH/$form/bundle.json"
  done
}

OpenAI.GetGoesFromTheDownloadToARunningBundle() {
  local sum
  start_hub
  make_checkpoint "$SCRATCH/files/ViT-B-32.pt" ViT-B-32
  sum=$(sha256_of "$SCRATCH/files/ViT-B-32.pt")
  faults '[{"path": "/files/ViT-B-32", "fault": "cut", "times": 2}]'
  GST_BCP_PYTHON=$python get openai:ViT-B/32 --base-url "$hub/files" --sha256 "$sum" --licence none
  expect_status 0
  expect_output 'retrying'
  expect_output 'bcptagger model=clip-vit-b32 '
  run_in_element "$SCRATCH/files/ViT-B-32.pt" "$models/clip-vit-b32"
  gst-launch-1.0 -q videotestsrc num-buffers=1 ! bcptagger model=clip-vit-b32 labels="cat, dog" ! fakesink
}
