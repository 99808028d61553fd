# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp prior merge, diff, export and reset.
set -euo pipefail
# shellcheck source=tests/tools/cli.bash
. "${ROOT:?}/tests/tools/cli.bash"

priors=$ROOT/tests/data/priors

# A prior of five frames of each pattern, by the stream $2.
learn() {
  local file=$1 source=$2 pattern
  shift 2
  for pattern in "$@"; do
    gst-launch-1.0 -q videotestsrc num-buffers=5 pattern="$pattern" ! bcptagger model="$toy" source-id="$source" preset=paper \
      prior-file="$file" ! fakesink
  done
}

PriorFiles.CommandsExplainThemselves() {
  local line command
  try bcp prior --help
  for command in show merge diff export reset table; do expect_output "^  $command "; done
  for command in merge diff export reset; do
    try bcp prior "$command" --help
    expect_status 0
    expect_output "^Usage: gst-bcp prior $command"
  done
  for line in 'merge a.prior --out b' 'merge a b' 'diff a' 'diff a b --top x' 'export a' 'export a b.csv --what all' 'reset' 'reset a --learnt --taught'; do
    # shellcheck disable=SC2086  # words
    try bcp prior $line
    expect_status 2
    expect_one_sentence
  done
}

PriorFiles.MergesInAnyOrderAndShowsWhereFrom() {
  learn "$SCRATCH/door.prior" door smpte red
  learn "$SCRATCH/yard.prior" yard ball
  try bcp prior merge "$SCRATCH/door.prior" "$SCRATCH/yard.prior" --out "$SCRATCH/site.prior"
  expect_status 0
  expect_output "site\.prior +6 +15 +0$"
  bcp prior merge "$SCRATCH/yard.prior" "$SCRATCH/door.prior" --out "$SCRATCH/other.prior" >/dev/null
  try bcp prior diff "$SCRATCH/site.prior" "$SCRATCH/other.prior"
  expect_output '^What both have in common is equal\.$'
  try bcp prior show "$SCRATCH/site.prior"
  expect_output '^samples +15$'
  expect_output '^learnt by +model +samples +since +until$'
  expect_output '^door +toy +10 +20[0-9-]+ [0-9:]+ UTC +20[0-9-]+ [0-9:]+ UTC$'
  expect_output '^yard +toy +5 '
  # The same stream again, earlier or later.
  try bcp prior merge "$SCRATCH/site.prior" "$SCRATCH/door.prior" --out "$SCRATCH/twice.prior"
  expect_status 1
  expect_one_sentence
  expect_output 'door\.prior contains samples of the stream door .* count twice'
  [ ! -e "$SCRATCH/twice.prior" ] || flunk "written"
}

PriorFiles.MergesLabelListsAndWhatWasTaught() {
  cd "$SCRATCH"
  cp "$priors/taught.prior" a.prior
  /usr/bin/python3 - "$priors/taught.prior" b.prior <<'PYTHON'
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()[:-4].replace(b"bicycle", b"airship")
open(sys.argv[2], "wb").write(data + struct.pack("<I", zlib.crc32(data)))
PYTHON
  try bcp prior merge a.prior b.prior --out both.prior
  expect_status 0
  expect_output '^both\.prior +5 +3\.5 +6$'
  bcp prior show --json both.prior >out.json
  /usr/bin/python3 - <<'PYTHON'
import json
prior = json.load(open("out.json"))
assert [label["label"] for label in prior["labels"]] == sorted(["Straße", "bicycle", "dog", "airship", "車"], key=lambda s: s.encode()), prior
m = {label["label"]: label for label in prior["labels"]}
assert m["dog"]["samples"] == 2 and m["dog"]["share"] == 2 / 3.5, m
assert m["bicycle"]["share"] == m["airship"]["share"], m  # of the samples of its own file
assert prior["taught"]["statements"] == 6, prior
offsets = {label["label"]: label["offset"] for label in prior["taught"]["labels"]}
assert set(offsets) == {"bicycle", "dog", "airship"}, offsets
PYTHON
  try bcp prior diff a.prior both.prior
  expect_output '^only here +0 +1: airship$'
  expect_output '^taught +first +second +change$'
  expect_output '^dog +\+1\.25 '
}

PriorFiles.ShowsWhatDiffers() {
  cd "$SCRATCH"
  learn one.prior one smpte
  learn two.prior two red
  try bcp prior diff one.prior two.prior --top 2
  expect_status 0
  expect_output '^samples +5 +5$'
  expect_output '^share, % +first +second +change$'
  expect_output '^red +[0-9.]+ +[0-9.]+ +\+[0-9.]+$'
  bcp prior diff one.prior two.prior --json >out.json
  /usr/bin/python3 -c 'import json; d = json.load(open("out.json")); assert d["first"]["samples"] == 5 and d["shares"] and d["second"]["origins"][0]["stream"] == "two", d'
}

PriorFiles.ExportsArraysThatNumpyReads() {
  cd "$SCRATCH"
  learn a.prior a smpte red ball
  bcp prior export a.prior u.npy >/dev/null
  bcp prior export a.prior m.npy --what labels >/dev/null
  bcp prior export a.prior pairs.csv >/dev/null
  bcp prior export a.prior labels.csv --what labels >/dev/null
  bcp prior export a.prior two.npy --top 2 >/dev/null
  bcp prior show a.prior --json --top 100 --support 1e-9 >a.json
  /usr/bin/python3 - <<'PYTHON'
import csv, json, math
import numpy
u, m, prior = numpy.load("u.npy"), numpy.load("m.npy"), json.load(open("a.json"))
names = [label["label"] for label in prior["labels"]]
assert u.dtype == m.dtype == numpy.float64 and u.shape == (6, 6) and m.shape == (6,), (u.shape, m.shape)
assert numpy.array_equal(u, u.T) and abs(u.sum() - prior["samples"]) < 1e-9, u
assert numpy.allclose(u.sum(axis=0), m, atol=1e-9) and [label["samples"] for label in prior["labels"]] == list(m), m
rows = list(csv.DictReader(open("pairs.csv", newline="")))
assert len(rows) == 15, rows
for row in rows:
    a, b = names.index(row["first"]), names.index(row["second"])
    assert float(row["seen"]) == u[a, b] and math.isclose(float(row["expected"]), m[a] * m[b] / 15), row
assert [row["label"] for row in csv.DictReader(open("labels.csv", newline=""))] == names
two = numpy.load("two.npy")
most = numpy.argsort(-m, kind="stable")[:2]
assert numpy.array_equal(two, u[numpy.ix_(most, most)]), two
PYTHON
  cp "$priors/taught.prior" b.prior
  bcp prior export b.prior taught.csv --what taught >/dev/null
  [ "$(sed -n 2p taught.csv)" = "dog,1.25,1.2247448713915889,1.5" ] || flunk "$(cat taught.csv)"
  try bcp prior export b.prior b.npy --what taught
  expect_status 1
  expect_one_sentence
}

# The page in a browser: no script, nothing loaded, the numbers in its cells.
PriorFiles.DrawsAHeatMap() {
  cd "$SCRATCH"
  learn a.prior 'a <b>' smpte red ball
  try bcp prior export a.prior a.html
  expect_status 0
  expect_output '^a\.html: 6 labels of a\.prior$'
  ! grep -qiE '<script|http://|https://' a.html || flunk "the page is not self-contained"
  grep -qF 'a &lt;b&gt;' a.html || flunk "the name of the stream is not escaped"
  chromium --headless=new --no-sandbox --disable-gpu --user-data-dir="$SCRATCH/profile" --dump-dom "file://$SCRATCH/a.html" >dom.html 2>/dev/null
  [ "$(grep -o '<td class="self">' dom.html | wc -l)" -eq 6 ] || flunk "$(cat dom.html)"
  [ "$(grep -o 'information [+-]' dom.html | wc -l)" -eq 30 ] || flunk "$(cat dom.html)"
  grep -q 'Where it was learnt' dom.html || flunk "no streams"
  SCRATCH=$SCRATCH /usr/bin/python3 "$ROOT/tests/tools/axe_page.py" a.html || flunk "axe-core has found something"
}

PriorFiles.ResetsAllOrParts() {
  cd "$SCRATCH"
  cp "$priors/whole-dense.prior" a.prior
  try bcp prior reset a.prior
  expect_status 1
  expect_one_sentence
  expect_output 'a\.prior has 3 samples and 3 corrections: give --force'
  cmp -s a.prior "$priors/whole-dense.prior" || flunk "the file was changed"
  try bcp prior reset a.prior --out b.prior
  expect_output '^b\.prior has 0 samples and 0 corrections$'
  cmp -s a.prior "$priors/whole-dense.prior" || flunk "the file was changed"
  try bcp prior reset a.prior --taught --out c.prior
  expect_output '^c\.prior has 3 samples and 0 corrections$'
  try bcp prior reset a.prior --label dog --out d.prior
  expect_output '^d\.prior has 3 samples and 3 corrections$'
  try bcp prior show d.prior
  expect_output '^dog +0\.0 % +0\.00$'
  try bcp prior reset a.prior --label dogs --force
  expect_status 1
  expect_output 'has no label dogs; did you mean dog\?'
  try bcp prior reset a.prior --learnt --force
  expect_output '^a\.prior has 0 samples and 3 corrections$'
  try bcp prior show a.prior
  expect_output '^labels +4, '
}

PriorFiles.OverwritesNothingWithoutForce() {
  cd "$SCRATCH"
  cp "$priors/dense.prior" a.prior
  cp "$priors/later-dense.prior" b.prior
  printf 'precious' >out.prior
  local line
  for line in 'merge a.prior b.prior --out out.prior' 'reset a.prior --out out.prior'; do
    # shellcheck disable=SC2086  # words
    try bcp prior $line
    expect_status 1
    expect_one_sentence
    expect_output 'out\.prior exists and is not overwritten'
    [ "$(cat out.prior)" = precious ] || flunk "overwritten by $line"
  done
  cp out.prior out.csv
  try bcp prior export a.prior out.csv
  expect_status 1
  try bcp prior export a.prior out.csv --force
  expect_status 0
  try bcp prior merge a.prior b.prior --out out.prior --force
  expect_status 0
  try bcp prior export a.prior out.txt
  expect_status 1
  expect_output 'must end in \.csv, \.npy or \.html'
}

PriorFiles.RefusesOtherModelsAndDamagedFiles() {
  cd "$SCRATCH"
  learn a.prior a red
  head -c 100 "$priors/dense.prior" >cut.prior
  try bcp prior merge a.prior "$priors/dense.prior" --out out.prior
  expect_status 1
  expect_one_sentence
  expect_output 'dense\.prior was learnt with another model'
  local command
  for command in 'merge a.prior cut.prior --out out.prior' 'diff a.prior cut.prior' 'export cut.prior out.csv' 'reset cut.prior --force'; do
    # shellcheck disable=SC2086  # words
    try bcp prior $command
    expect_status 1
    expect_one_sentence
    expect_output 'cut\.prior is damaged'
  done
  [ "$(stat -c %s cut.prior)" -eq 100 ] || flunk "the damaged file was changed"
  [ ! -e out.prior ] || flunk "a file was written"
}
