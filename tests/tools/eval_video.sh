# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp eval --protocol video.
set -euo pipefail
# shellcheck source=tests/tools/cli.bash
. "${ROOT:?}/tests/tools/cli.bash"

stream=$ROOT/tests/data/voc2007-stream

evaluate_video() { bcp eval --truth "$stream/truth.npy" --names "$stream/labels.txt" --protocol video --video-shots 60 "$@"; }

# Runs the Python code $1; the rows of the video protocol in the files named after it, by method, are a, b, ….
with_rows() {
  local code=$1
  shift
  /usr/bin/python3 -c '
import json, sys
globals().update({name: {row["method"]: row for row in json.load(open(path))["protocols"]["video"]} for name, path in zip("abcd", sys.argv[2:])})
exec(sys.argv[1])' "$code" "$@"
}

CliEvalVideo.ShowsBothPresetsAndTheGainOfEachAddition() {
  cd "$SCRATCH"
  local arrays=(--embeddings "$stream/embeddings.npy" --text "$stream/text.npy")
  try evaluate_video "${arrays[@]}" --json a.json
  expect_status 0
  expect_output '^Video: shots with dwell$'
  expect_output '^A video made from pictures: 60 shots of 1 to 300 frames,'
  expect_output 'seed 0\.'
  evaluate_video "${arrays[@]}" --seed 1 --json b.json >/dev/null
  evaluate_video "${arrays[@]}" --json again.json >/dev/null
  with_rows 'assert list(a)[:3] == ["zero_shot", "bcp", "bcp_video"], list(a)
assert {"paper+shrinkage", "paper+novelty", "video-novelty"} < set(a), list(a)
assert list(a)[3:5] == ["presence", "presence_frame"], list(a)
for name, row in a.items():
    rankings = ("softmax",) if name.startswith("presence") else ("logits", "softmax")
    assert all(0 <= row[of][by] <= 100 for of in ("frames", "shots") for by in rankings), row
    assert row["flicker_hysteresis"] <= row["flicker"] and row["first_label"] >= 0 and 0 <= row["never_named"] <= 100, row
assert a["presence"]["flicker"] < a["presence_frame"]["flicker"] and a["presence"]["frames"]["logits"] is None, a["presence"]
assert a["zero_shot"]["learnt"] is None and a["bcp"]["learnt"] == 100 > a["bcp_video"]["learnt"] == a["paper+novelty"]["learnt"]
assert a == c and a != b' a.json b.json again.json
}

CliEvalVideo.UsesTheGivenOptions() {
  cd "$SCRATCH"
  local arrays=(--embeddings "$stream/embeddings.npy" --text "$stream/text.npy")
  # An interval needs times, which the frames of the video have.
  evaluate_video "${arrays[@]}" --preset video --novelty-distance 2 --novelty-interval 1 --json a.json >/dev/null
  with_rows 'assert list(a)[:3] == ["zero_shot", "bcp", "bcp_paper"], list(a)
assert 9 < a["bcp"]["learnt"] < 11, a["bcp"]' a.json
  try bcp eval "${arrays[@]}" --truth "$stream/truth.npy" --novelty-distance 2 --novelty-interval 1
  expect_status 1
  expect_one_sentence
  try evaluate_video "${arrays[@]}" --video-shots 0
  expect_status 2
}

CliEvalVideo.ChangesLogitsWhereThereAreNoEmbeddings() {
  cd "$SCRATCH"
  try evaluate_video --logits "$stream/logits.npy" --json a.json
  expect_status 0
  # The lines are wrapped, so the sentence may be broken anywhere.
  output=${output//$'\n'/ }
  expect_output 'There are no embeddings'
  with_rows 'assert "paper+novelty" not in a and a["bcp_video"]["learnt"] == 100, list(a)
assert a["zero_shot"]["flicker"] > 0' a.json
}
