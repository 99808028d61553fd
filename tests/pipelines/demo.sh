# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# pipelines/demo.sh from end to end.
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

clip=$ROOT/tests/data/clips/mdn_friday.mp4
export GST_BCP_OUT=$SCRATCH/out

# Every line of the file $1 is a JSON object with labels; prints how many there are.
count_results() {
  /usr/bin/python3 -c '
import json, sys
lines = open(sys.argv[1]).read().splitlines()
for line in lines:
    assert isinstance(json.loads(line)["labels"], list), line
print(len(lines))' "$1"
}

Demo.ShowsLabelsAndLeavesAVideoAPageAndEveryResult() {
  try in_fresh_environment "$ROOT/pipelines/demo.sh" "$clip"
  expect_status 0
  expect_output 'gst-launch-1\.0 .*bcptagger'
  expect_output '^person +[0-9]+ %'
  expect_output '^Watch .*demo\.mp4'
  expect_output '^Open .*demo\.html'
  [ "$(count_results "$SCRATCH/out/demo.jsonl")" -gt 50 ]
  grep -q 'person' "$SCRATCH/out/demo.html"
  try gst-discoverer-1.0 "$SCRATCH/out/demo.mp4"
  expect_output 'H\.264'
}

Demo.PlaysACommittedClipWhenTheIndexIsOutOfReach() {
  # ONNX Runtime is already installed: only the clip is missing in the empty directory.
  try in_fresh_environment env GST_BCP_DEPS="$SCRATCH/deps" GST_BCP_ONNXRUNTIME="$(built_against)" PIP_FIND_LINKS='' \
    PIP_NO_CACHE_DIR=1 PIP_INDEX_URL=http://127.0.0.1:9/simple "$ROOT/pipelines/demo.sh"
  expect_status 0
  expect_output 'index is out of reach'
  expect_output 'a clip that comes with the project'
  expect_output 'intel_one-by-one\.mp4'
}

# The prefix of the ONNX Runtime the tree was built with; empty for the distribution's.
built_against() { sed -n 's/^-Donnxruntime_prefix=//p' "$BUILD/.configured"; }

Demo.PlaysAFileWithSpacesInItsName() {
  cp "$clip" "$SCRATCH/my holiday film.mp4"
  cd "$SCRATCH"
  try in_fresh_environment "$ROOT/pipelines/demo.sh" 'my holiday film.mp4'
  expect_status 0
}

Demo.FinishesItsFilesOnCtrlC() {
  # However far it is after four seconds: at the set-up, in the middle, or done.
  try in_fresh_environment timeout --preserve-status --signal=INT 4 "$ROOT/pipelines/demo.sh" "$clip"
  expect_no_output 'Traceback|Segmentation|gst-bcp:'
  if [ -e "$SCRATCH/out/demo.jsonl" ]; then count_results "$SCRATCH/out/demo.jsonl"; fi
}

Demo.RefusesAFileThatIsNotThere() {
  try "$ROOT/pipelines/demo.sh" "$SCRATCH/none.mp4"
  expect_failure
  expect_one_sentence
  expect_output 'There is no file .*none\.mp4'
}

Demo.RefusesADirectory() {
  try "$ROOT/pipelines/demo.sh" "$SCRATCH"
  expect_failure
  expect_one_sentence
}

Demo.RejectsAFileThatIsNotAVideo() {
  try in_fresh_environment "$ROOT/pipelines/demo.sh" "$ROOT/LICENSE"
  expect_failure
  expect_one_sentence
  expect_output 'not a video'
}

Demo.RefusesAFileWithSoundOnly() {
  gst-launch-1.0 -q audiotestsrc num-buffers=20 ! wavenc ! filesink "location=$SCRATCH/sound.wav"
  try in_fresh_environment "$ROOT/pipelines/demo.sh" "$SCRATCH/sound.wav"
  expect_failure
  expect_one_sentence
  expect_output 'only sound'
}
