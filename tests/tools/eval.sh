# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp eval on arrays.
set -euo pipefail
# shellcheck source=tests/tools/cli.bash
. "${ROOT:?}/tests/tools/cli.bash"

voc=$ROOT/tests/data/voc2007-stream

evaluate_voc() { bcp eval --logits "$voc/logits.npy" --truth "$voc/truth.npy" --names "$voc/labels.txt" "$@"; }

# A stream of six pictures and three labels in the directory it is called in: l.npy, y.npy, and v.npy, its embeddings.
make_stream() {
  /usr/bin/python3 - <<'PYTHON'
import numpy as np

rng = np.random.default_rng(0)
np.save("l.npy", rng.standard_normal((6, 3)).astype(np.float32))
np.save("v.npy", rng.standard_normal((6, 4)).astype(np.float32))
np.save("y.npy", np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 0, 0], [0, -1, 1]], np.int8))
PYTHON
}

# Saves an array under the name $1: the Python expression $2, of l and y.
save_array() {
  /usr/bin/python3 -c 'import sys, numpy as np; l, y = np.load("l.npy"), np.load("y.npy"); np.save(sys.argv[1], eval(sys.argv[2]))' "$@"
}

# The command fails with one sentence that matches $1.
expect_refusal() {
  local sentence=$1
  shift
  try bcp eval "$@"
  expect_status 1
  expect_one_sentence
  expect_output "$sentence"
}

CliEval.ExplainsItself() {
  try bcp eval --help
  expect_status 0
  expect_output '^Usage: gst-bcp eval'
  expect_output '^  anchor-confidence '
  local line
  for line in '' '--truth y' '--logits l' '--embeddings v --truth y' '--logits l --truth y --protocol x' '--logits l --truth y --adapter x' \
    '--logits l --truth y --score x' '--logits l --truth y --difficult x' '--logits l --truth y --seed -1' '--logits l --truth y --scale nan' '--logits l --truth y --preset x' \
    '--logits l --truth y --json - --csv -' '--logits l --truth y --logit z' '--logits l --truth y z'; do
    # shellcheck disable=SC2086  # words
    try bcp eval $line
    expect_status 2
    expect_one_sentence
  done
}

CliEval.EqualsTheReferenceInEveryVariantAndOrder() {
  cd "$SCRATCH"
  run_variant() { evaluate_voc --embeddings "$voc/embeddings.npy" --json "$1.ignore.json" "${@:2}" >"$1.txt" && evaluate_voc --embeddings "$voc/embeddings.npy" --difficult absent --json "$1.absent.json" "${@:2}" >>"$1.txt"; }
  run_variant paper
  run_variant anchors2 --anchors 2
  run_variant anchors3 --anchors 3
  run_variant warm_up --warm-up
  run_variant shrinkage20 --shrinkage 20
  run_variant strength0.5 --strength 0.5
  run_variant mu0.9 --anchor-confidence 0.9
  run_variant mu0.1 --anchor-confidence 0.1
  run_variant half_life100 --half-life 100
  run_variant novelty0.2 --novelty-distance 0.2
  run_variant orders --order "$voc/orders.npy"
  /usr/bin/python3 - "$voc/expected.json" <<'PYTHON'
import json, sys

expected = json.load(open(sys.argv[1]))

def check(name, found, wanted, difficult):
    for score, by_difficult in wanted.items():
        if difficult in by_difficult:
            assert abs(found[score] - by_difficult[difficult]) < 1e-6, (name, score, difficult, found, wanted)

checked = 0
for difficult in ("ignore", "absent"):
    for name, orders in expected["variants"].items():
        found = json.load(open(f"{name}.{difficult}.json"))
        check(name, found["zero_shot"], expected["zero_shot"], difficult)
        check(name, found["bcp"], orders["natural"], difficult)
        checked += 1
    found = json.load(open(f"orders.{difficult}.json"))["protocols"]["orderings"]
    assert len(found) == 5, found
    for i, row in enumerate(found):
        check(f"order {i}", row["bcp"], expected["variants"]["paper"][f"seed{i}"], difficult)
assert checked == 20, checked
PYTHON
}

CliEval.ReportsBothRankingsAndTheBetterOne() {
  try evaluate_voc
  expect_status 0
  expect_output '^plain CLIP +58\.38 +86\.34$'
  expect_output '^BCP \(paper\) +62\.99 +\+4\.61 +85\.32 +-1\.02$'
  expect_output '^BCP \(video\) '
  expect_output '^This model ranks better by softmax: 86\.34 against 58\.38 by logits'
  expect_output '^car +721 +51\.11 +65\.37 +\+14\.27$'
  try evaluate_voc --score softmax --preset video
  expect_output '^mAP, % +softmax +logits$'
  expect_output '^BCP \(video\) .*-'
  expect_output '^BCP \(paper\) +85\.32 +-1\.02 +62\.99 +\+4\.61$'
}

CliEval.ShowsEachPresetAsItIsChosen() {
  cd "$SCRATCH"
  evaluate_voc --json paper.json >/dev/null
  evaluate_voc --preset video --json video.json >/dev/null
  evaluate_voc --preset video --keep-anchor=false --json drained.json >/dev/null
  /usr/bin/python3 - <<'PYTHON'
import json

paper, video, drained = (json.load(open(f"{name}.json")) for name in ("paper", "video", "drained"))
assert paper["bcp_video"] == video["bcp"] and paper["bcp"] == video["bcp_paper"], (paper["bcp_video"], video["bcp"])
assert video["settings"]["keep-anchor"] and not video["settings"]["warm-up"] and not drained["settings"]["keep-anchor"]
assert drained["bcp"]["logits"] == video["bcp"]["logits"] and drained["bcp"]["softmax"] != video["bcp"]["softmax"]
PYTHON
}

CliEval.WritesEveryProtocolAsJsonAndCsv() {
  cd "$SCRATCH"
  evaluate_voc --protocol all --json out.json --csv out.csv >out.txt
  /usr/bin/python3 - out.json out.csv <<'PYTHON'
import csv, json, sys

found = json.load(open(sys.argv[1]))
assert found["version"] == 1, found
settings = found["settings"]
assert (settings["samples"], settings["labels"], settings["score"], settings["difficult"], settings["preset"]) == (4952, 20, "logits", "ignore", "paper"), settings
assert settings["dataset"] is None and settings["files"]["truth"].endswith("truth.npy"), settings
assert settings["anchor-confidence"] == 0.5, settings
assert len(found["per_class"]) == 20, found["per_class"]
aeroplane = found["per_class"][0]
assert aeroplane["positives"] == 204 and set(aeroplane["bcp_video"]) == {"logits", "softmax"}, aeroplane
protocols = found["protocols"]
lines = {"orderings": ("order", 6), "last_half": ("part", 2), "non_iid": ("gamma", 3), "anchor_confidence": ("value", 5), "anchors": ("value", 3),
         "warm_up": ("value", 2), "label_count": ("labels", 4), "frequency": ("group", 3), "anchor_hit": ("part", 2), "time": ("method", 3)}
for key, (name, count) in lines.items():
    assert len(protocols[key]) == count and all(isinstance(row[name], str) for row in protocols[key]), (key, protocols[key])
assert [row["value"] for row in protocols["anchor_confidence"]] == ["0.1", "0.3", "0.5", "0.75", "0.95"]
assert protocols["anchor_confidence"][2]["bcp"] == found["bcp"]
assert [row["labels"] for row in protocols["frequency"]] == [7, 7, 6]
assert protocols["last_half"][1]["samples"] == 2476
assert protocols["label_count"][3] == {"labels": "8+", "samples": 0, **{m: {"logits": None, "softmax": None} for m in ("zero_shot", "bcp", "bcp_video")}}
assert abs(sum(row["share"] for row in protocols["anchor_hit"]) - 100) < 1e-9
matrix = found["cooccurrence"]["conditional"]
assert len(matrix) == 20 and all(len(row) == 20 and row[a] == 0 for a, row in enumerate(matrix))
assert any("embeddings" in warning for warning in found["warnings"]), found["warnings"]

rows = list(csv.DictReader(open(sys.argv[2])))
value = {(row["table"], row["row"], row["column"]): row["value"] for row in rows}
assert len(value) == len(rows), "a number is there twice"
assert abs(float(value["main", "bcp", "logits"]) - found["bcp"]["logits"]) < 1e-9
assert abs(float(value["anchors", "2", "bcp.softmax"]) - protocols["anchors"][1]["bcp"]["softmax"]) < 1e-9
assert value["label_count", "8+", "bcp.logits"] == ""
PYTHON
  grep -q '^mAP by anchor confidence' out.txt || flunk "no table: $(cat out.txt)"
}

CliEval.PrintsNothingButJsonWhenItGoesToStandardOutput() {
  cd "$SCRATCH"
  make_stream
  bcp eval --logits l.npy --truth y.npy --json - 2>err | /usr/bin/python3 -c 'import json, sys; assert json.load(sys.stdin)["settings"]["samples"] == 6'
  bcp eval --logits l.npy --truth y.npy --csv - 2>>err | head -1 | grep -qx 'table,row,column,value'
  [ ! -s err ] || flunk "something on standard error: $(cat err)"
}

CliEval.ScoresEmbeddingsAgainstTheLabels() {
  cd "$SCRATCH"
  evaluate_voc --json logits.json >logits.txt
  bcp eval --embeddings "$voc/embeddings.npy" --text "$voc/text.npy" --truth "$voc/truth.npy" --json embeddings.json >embeddings.txt
  /usr/bin/python3 - <<'PYTHON'
import json

logits, embeddings = (json.load(open(name))["zero_shot"] for name in ("logits.json", "embeddings.json"))
for score in logits:  # the embeddings are kept in half precision
    assert abs(logits[score] - embeddings[score]) < 0.05, (logits, embeddings)
PYTHON
}

CliEval.ComparesWithTheMethodsWhoseInputsAreGiven() {
  cd "$SCRATCH"
  make_stream
  try bcp eval --logits l.npy --truth y.npy --embeddings v.npy --adapter bcp --adapter tda
  expect_status 0
  expect_output '^TDA '
  try bcp eval --logits l.npy --truth y.npy --adapter all
  expect_status 0
  expect_output '^note: these methods are skipped .*TDA'
  expect_refusal 'TDA needs embeddings' --logits l.npy --truth y.npy --adapter tda
  try bcp eval --logits l.npy --truth y.npy --adapter none
  expect_status 0
  expect_no_output 'BCP'
  expect_refusal 'anchors needs BCP' --logits l.npy --truth y.npy --adapter none --protocol anchors
  try bcp eval --logits l.npy --truth y.npy --adapter none --protocol all --video-shots 2
  expect_status 0
  expect_output '^note: these protocols are skipped because they need BCP, which is not selected'
  expect_output '^mAP of frequent and rare labels'
  expect_refusal 'it is a device, a pipe or a socket' --logits l.npy --truth y.npy --json /dev/stdout
}

CliEval.RefusesArraysThatDoNotFit() {
  cd "$SCRATCH"
  make_stream
  save_array short.npy 'y[:5]'
  save_array wide.npy 'np.hstack([y, y])'
  save_array flat.npy 'y[0]'
  printf 'cat\ndog\n' >two
  printf 'cat\ndog\ncat\n' >twice
  expect_refusal 'l\.npy has scores of 6 samples x 3 labels and short\.npy the ground truth of 5 samples' --logits l.npy --truth short.npy
  expect_refusal 'wide\.npy the ground truth of 6 samples x 6 labels' --logits l.npy --truth wide.npy
  expect_refusal 'flat\.npy has 1 dimension' --logits l.npy --truth flat.npy
  expect_refusal 'flat\.npy has the shape' --logits flat.npy --truth y.npy
  expect_refusal 'two has 2 names for 3 labels' --logits l.npy --truth y.npy --names two
  expect_refusal 'twice.*cat' --logits l.npy --truth y.npy --names twice
  save_array order.npy '[0, 1, 2, 3, 4, 4]'
  expect_refusal 'order\.npy has 4 in it twice' --logits l.npy --truth y.npy --order order.npy
  expect_refusal 'compares embeddings, but none were given' --logits l.npy --truth y.npy --novelty-distance 0.1
}

CliEval.RejectsInvalidNumbers() {
  cd "$SCRATCH"
  make_stream
  save_array nan.npy 'np.where(np.arange(18).reshape(6, 3) == 13, np.nan, l)'
  save_array seven.npy 'np.where(np.arange(18).reshape(6, 3) == 11, 7, y)'
  save_array absent.npy 'np.minimum(y, 0)'
  save_array none.npy 'l[:0]'
  expect_refusal 'nan\.npy has NaN in row 4, column 1' --logits nan.npy --truth y.npy
  expect_refusal 'seven\.npy has 7 in row 3, column 2' --logits l.npy --truth seven.npy
  expect_refusal 'absent\.npy contains no 1' --logits l.npy --truth absent.npy
  expect_refusal 'none\.npy is empty' --logits none.npy --truth y.npy
}

CliEval.RefusesDamagedFiles() {
  cd "$SCRATCH"
  make_stream
  head -c -5 l.npy >cut.npy
  /usr/bin/python3 - <<'PYTHON'
header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000, 3), }\n"
open("long.npy", "wb").write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
open("header.npy", "wb").write(b"\x93NUMPY\x02\x00" + (2**31).to_bytes(4, "little") + header)
PYTHON
  echo hello >text.npy
  local file
  for file in cut long header text missing; do
    expect_refusal "$file\\.npy" --logits "$file.npy" --truth y.npy
    expect_refusal "$file\\.npy" --logits l.npy --truth "$file.npy"
    expect_refusal "$file\\.npy" --logits l.npy --truth y.npy --order "$file.npy"
  done
}

CliEval.LeavesOutLabelsWithoutPositivesAndNamesThem() {
  cd "$SCRATCH"
  make_stream
  save_array y2.npy 'y * [1, 1, 0]'
  printf 'cat\ndog\nunicorn\n' >names
  try bcp eval --logits l.npy --truth y2.npy --names names --json out.json
  expect_status 0
  expect_output '^note: left out of the mean, because no sample has it: unicorn$'
  /usr/bin/python3 -c '
import json; found = json.load(open("out.json")); rows = found["per_class"]
assert rows[2]["positives"] == 0 and rows[2]["bcp"]["logits"] is None, rows
assert abs(found["bcp"]["logits"] - (rows[0]["bcp"]["logits"] + rows[1]["bcp"]["logits"]) / 2) < 1e-9'
}

CliEval.JudgesASingleLabel() {
  cd "$SCRATCH"
  make_stream
  save_array l1.npy 'l[:, :1]'
  save_array y1.npy 'y[:, :1]'
  try bcp eval --logits l1.npy --truth y1.npy --protocol all
  expect_status 0
  expect_output '^note: there is only one label'
  expect_no_output 'ranks better by'
}

CliEval.ChecksWhereItWritesBeforeItWorks() {
  cd "$SCRATCH"
  make_stream
  save_array nan.npy 'l * np.nan'
  mkdir folder
  # The logits cannot be read: an error about the output shows that it was checked first.
  expect_refusal 'nowhere/out\.json' --logits nan.npy --truth y.npy --json nowhere/out.json
  expect_refusal 'folder' --logits nan.npy --truth y.npy --csv folder
  expect_refusal 'y\.npy is given twice' --logits nan.npy --truth y.npy --json y.npy
  expect_refusal 'same is given twice' --logits nan.npy --truth y.npy --json same --csv ./same
  with_arrays 'assert a.shape == (6, 3)' y.npy
  echo old >out.json
  expect_refusal 'NaN' --logits nan.npy --truth y.npy --json out.json
  [ "$(cat out.json)" = old ] || flunk "the old file is gone"
  bcp eval --logits l.npy --truth y.npy --json out.json >out.txt
  grep -q '"version": 1' out.json || flunk "$(cat out.json)"
}

CliEval.EscapesControlCharactersInLabels() {
  cd "$SCRATCH"
  make_stream
  printf 'cat, "the"\n\033[2Jdog\nbird\n' >names
  try bcp eval --logits l.npy --truth y.npy --names names --csv out.csv
  expect_status 0
  expect_no_output $'\033'
  grep -q '^per_class,"cat, ""the""",' out.csv || flunk "$(cat out.csv)"
}
