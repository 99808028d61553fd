# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp prior.
set -euo pipefail
# shellcheck source=tests/tools/cli.bash
. "${ROOT:?}/tests/tools/cli.bash"

priors=$ROOT/tests/data/priors

# A prior learnt by a real pipeline: bars, then red, then a ball.
learn() {
  local pattern
  for pattern in smpte red ball; do
    gst-launch-1.0 -q videotestsrc num-buffers=5 pattern="$pattern" ! bcptagger model="$toy" preset=paper prior-file="$1" ! fakesink
  done
}

CliPrior.ExplainsItself() {
  try bcp prior --help
  expect_status 0
  expect_output '^  show '
  try bcp prior show --help
  expect_status 0
  expect_output '^Usage: gst-bcp prior show'
  local line
  for line in 'prior' 'prior show' 'prior show a b' 'prior show --top -1 x' 'prior show --support 0 x' 'prior show --jsn x'; do
    # shellcheck disable=SC2086  # words
    try bcp $line
    expect_status 2
    expect_one_sentence
  done
}

CliPrior.ShowsTheContentsOfAFile() {
  try bcp prior show --support 0.05 "$priors/sparse.prior"
  expect_status 0
  expect_output "^file +$priors/sparse\.prior, 312 B$"
  expect_output '^model +0123456789abcdef \(not in gst-bcp model list\)$'
  expect_output '^samples +1\.75, warm-up is over$'
  expect_output '^labels +4, 9 pairs stored$'
  expect_output '^dog +57\.1 % +1\.00$'
  expect_output '^together +information +seen +expected$'
  expect_output '^dog +Straße +\+0\.15 +0\.12 +0\.11$'
  expect_output '^apart +information +seen +expected$'
}

CliPrior.ShowsAsMuchAsIsAskedFor() {
  try bcp prior show --top 1 --support 0.05 "$priors/dense.prior"
  [ "$(grep -cE '^(dog|bicycle)' <<<"$output")" -eq 3 ] || flunk "$output"  # likeliest, together, apart
  try bcp prior show "$priors/dense.prior"
  expect_output 'too few samples were learnt'
}

CliPrior.PrintsJsonWithEveryNumber() {
  bcp prior show --json --support 0.05 "$priors/dense.prior" >"$SCRATCH/out.json"
  /usr/bin/python3 - "$SCRATCH/out.json" <<'PYTHON'
import json, math, sys

prior = json.load(open(sys.argv[1]))
assert prior["model"] == {"identity": "0123456789abcdef", "name": None}, prior
assert prior["samples"] == 1.75 and prior["storage"] == "dense" and prior["pairs"] == 10 and not prior["warmed_up"], prior
assert [label["label"] for label in prior["labels"]] == ["dog", "bicycle", "Straße", "車"], prior
m = {label["label"]: label["samples"] for label in prior["labels"]}
assert m["dog"] == 1 and prior["labels"][0]["share"] == 1 / 1.75, prior
pairs = prior["together"] + prior["apart"]
assert len(pairs) >= 4, pairs
for pair in pairs:
    a, b = pair["labels"]
    assert math.isclose(pair["expected"], m[a] * m[b] / 1.75), pair
    assert math.isclose(pair["information"], math.log(pair["seen"] / pair["expected"])), pair
information = [pair["information"] for pair in prior["together"]]
assert information == sorted(information, reverse=True) and min(information) > 0, information
assert max(pair["information"] for pair in prior["apart"]) <= 0, prior["apart"]
PYTHON
}

CliPrior.KnowsTheModelOfAPipelineThatLearnt() {
  learn "$SCRATCH/a.prior"
  try env GST_BCP_MODEL_PATH="$ROOT/tests/data/bundles" "$BUILD/tools/gst-bcp/gst-bcp" prior show "$SCRATCH/a.prior"
  expect_status 0
  expect_output '^model +toy \([0-9a-f]{12}\)$'
  expect_output '^samples +15$'
  expect_output '^labels +6, 21 pairs stored$'
}

# Ten frames at once, then nothing, and the process is killed.
CliPrior.HasWhatWasLearntBeforeACameraStalled() {
  local stalled i
  gst-launch-1.0 -q fdsrc fd=0 ! rawvideoparse width=64 height=48 format=rgb ! \
    bcptagger model="$toy" preset=paper prior-file="$SCRATCH/a.prior" prior-interval=1 ! fakesink \
    < <(head -c $((64 * 48 * 3 * 10)) /dev/urandom && exec sleep 60) &
  stalled=$!
  for ((i = 0; i < 300; ++i)); do
    if [ -e "$SCRATCH/a.prior" ]; then break; fi
    sleep 0.1
  done
  kill -KILL "$stalled"
  try bcp prior show "$SCRATCH/a.prior"
  expect_status 0
  expect_output '^samples +10$'
}

CliPrior.ShowsWhatPeopleHaveTaught() {
  try bcp prior show "$priors/dense.prior"
  expect_output '^taught +nothing$'
  make_pictures
  bcp teach --model "$toy" --prior "$SCRATCH/a.prior" "$SCRATCH/rgb.png" --not green --has yellow >/dev/null
  try bcp prior show "$SCRATCH/a.prior"
  expect_status 0
  expect_output '^taught +2 statements about 2 labels$'
  expect_output '^green +-[0-9.]+ +[0-9.]+$'
  expect_output '^yellow +\+0\.[0-9]+ +[0-9.]+$'
  expect_output '^\(all labels\) +[+-]0\.[0-9]+ +0\.[0-9]+$'
  expect_no_output 'frame is of'
  bcp teach --model "$toy" --prior "$SCRATCH/a.prior" "$SCRATCH/rgb.png" --has "yellow, red" --all >/dev/null
  try bcp prior show "$SCRATCH/a.prior" --top 2
  expect_output '^frame is of +shows +in +of frames$'
  expect_output '^green +(yellow|red) +0\.[0-9]+ +0\.[0-9]+$'
  bcp prior show "$SCRATCH/a.prior" --json >"$SCRATCH/out.json"
  /usr/bin/python3 - "$SCRATCH/out.json" <<'PYTHON'
import json, sys
taught = json.load(open(sys.argv[1]))["taught"]
assert taught["statements"] == 3 and len(taught["labels"]) == 6, taught
offsets = {label["label"]: label["offset"] for label in taught["labels"]}
assert offsets["green"] < 0 < offsets["red"], offsets
assert [abs(o) for o in offsets.values()] == sorted((abs(o) for o in offsets.values()), reverse=True), offsets
assert all(0 < label["sd"] < label["initial_sd"] for label in taught["labels"]), taught
assert all(pair["word"] != pair["label"] and 0 < pair["present"] <= pair["frames"] for pair in taught["pairs"]), taught
PYTHON
}

CliPrior.RejectsOtherFilesAndKeepsThem() {
  local file
  head -c 100 "$priors/dense.prior" >"$SCRATCH/cut.prior"
  printf 'BCPPRIOR\11\0\0\0' | cat - <(tail -c +13 "$priors/dense.prior") >"$SCRATCH/newer.prior"
  : >"$SCRATCH/empty.prior"
  for file in cut newer empty none; do
    try bcp prior show "$SCRATCH/$file.prior"
    expect_status 1
    expect_one_sentence
    expect_output "^gst-bcp: .*$file\.prior"
  done
  try bcp prior show "$SCRATCH/newer.prior"
  expect_output 'written by a newer gst-bcp'
  try bcp prior show "$SCRATCH/cut.prior"
  expect_output 'is damaged: it has 100 bytes, but its header claims 216'
  [ "$(stat -c %s "$SCRATCH/cut.prior")" -eq 100 ] || flunk "the file was changed"
  for file in "$SCRATCH" "$photograph"; do
    try bcp prior show "$file"
    expect_status 1
    expect_one_sentence
  done
}

CliPrior.EscapesControlCharactersInLabels() {
  /usr/bin/python3 - "$priors/dense.prior" "$SCRATCH/loud.prior" <<'PYTHON'
import struct, sys, zlib

data = open(sys.argv[1], "rb").read()[:-4].replace(b"bicycle", b"\x1b[2Jabc")
open(sys.argv[2], "wb").write(data + struct.pack("<I", zlib.crc32(data)))
PYTHON
  try bcp prior show "$SCRATCH/loud.prior"
  expect_status 0
  expect_output '\?\[2Jabc'
}
