# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp eval --dataset: data sets of pictures, from the files they are published as to figures.
set -euo pipefail
# shellcheck source=tests/tools/cli.bash
. "${ROOT:?}/tests/tools/cli.bash"

export XDG_CACHE_HOME=$SCRATCH/user-cache

# Some frames of two clips: $SCRATCH/frames/CLIP-NUMBER.jpg.
make_frames() {
  mkdir -p "$SCRATCH/frames"
  take_frames intel_bottle-detection 1/4
  take_frames mdn_friday 2/1
}

# To the end of the clip: a pipeline that is cut short (identity's eos-after) hangs now and then.
take_frames() {
  gst-launch-1.0 -q filesrc location="$ROOT/tests/data/clips/$1.mp4" ! decodebin ! videorate ! "video/x-raw,framerate=$2" ! videoconvert \
    ! jpegenc ! multifilesink location="$SCRATCH/frames/$1-%03d.jpg"
}

# Arranges $3 frames (default: all; reused from the first if there are too few) as the data set $1 in $2.
lay_out() {
  local frames
  [ -d "$SCRATCH/frames" ] || make_frames
  frames=("$SCRATCH"/frames/*.jpg)
  while [ "${#frames[@]}" -lt "${3:-0}" ]; do frames+=("${frames[@]}"); done
  /usr/bin/python3 "$ROOT/tests/tools/dataset_layouts.py" "$1" "$2" "${frames[@]:0:${3:-${#frames[@]}}}"
}

# The expression $1 of the evaluation's JSON d, and of e if another file is named.
from_json() {
  /usr/bin/python3 -c '
import json, sys
d, e = (json.load(open(path)) for path in (sys.argv[2:] * 2)[:2])
print(eval(sys.argv[1]))' "$@"
}

# Two evaluations give the same figures, to $1 of a percent.
expect_same() {
  local apart
  apart=$(from_json 'max(abs(d[m][s] - e[m][s]) for m in ("zero_shot", "bcp", "bcp_video") for s in ("logits", "softmax"))' "$2" "$3")
  /usr/bin/python3 -c "exit(not $apart <= $1)" || flunk "figures of $2 and $3 are $apart apart"
}

# Waits until the program $1 has encoded some pictures of the cache $2.
await_pictures() {
  local tries file
  for ((tries = 0; tries < 600; tries++)); do
    for file in "$2"/*/pictures; do
      [ -f "$file" ] && [ "$(stat -c %s "$file")" -gt 20000 ] && return
    done
    kill -0 "$1" 2>/dev/null || flunk "it ended before it could be stopped"
    sleep 0.05
  done
  flunk "no picture was encoded in half a minute"
}

EvalDatasets.AgreesWithTheArraysOfTheSamePictures() {
  local id difficult word number=0
  lay_out voc2007 "$SCRATCH/voc" 12
  while read -r id; do
    bcp model embed "$SCRATCH/voc/VOCdevkit/VOC2007/JPEGImages/$id.jpg" "$SCRATCH/$((100 + number)).npy"
    number=$((number + 1))
  done <"$SCRATCH/voc/VOCdevkit/VOC2007/ImageSets/Main/test.txt"
  number=0
  for word in aeroplane bicycle bird boat bottle bus car cat chair cow 'dining table' dog horse motorbike person 'potted plant' sheep sofa train \
    'tv monitor'; do
    bcp model embed --text "$word" "$SCRATCH/$((200 + number)).npy"
    number=$((number + 1))
  done
  /usr/bin/python3 -c '
import glob, sys, numpy as np
scratch, root = sys.argv[1:]
rows = lambda kind: np.stack([np.load(path) for path in sorted(glob.glob(f"{scratch}/{kind}??.npy"))])
np.save(scratch + "/embeddings.npy", rows(1))
np.save(scratch + "/text.npy", rows(2))
names = "aeroplane bicycle bird boat bottle bus car cat chair cow diningtable dog horse motorbike person pottedplant sheep sofa train tvmonitor"
marks = {"1": 1, "-1": 0, "0": -1}
column = lambda name: [marks[line.split()[1]] for line in open(f"{root}/{name}_test.txt")]
np.save(scratch + "/truth.npy", np.array([column(name) for name in names.split()], np.int8).T)
' "$SCRATCH" "$SCRATCH/voc/VOCdevkit/VOC2007/ImageSets/Main"
  for difficult in absent ignore; do
    bcp eval --dataset voc2007 --root "$SCRATCH/voc" --difficult $difficult --json "$SCRATCH/pictures.json" >/dev/null
    bcp eval --embeddings "$SCRATCH/embeddings.npy" --text "$SCRATCH/text.npy" \
      --truth "$SCRATCH/truth.npy" --difficult $difficult --json "$SCRATCH/arrays.json" >/dev/null
    expect_same 0.001 "$SCRATCH/pictures.json" "$SCRATCH/arrays.json"
  done
  [ "$(from_json 'd["settings"]["dataset"], d["settings"]["model"], d["settings"]["samples"]' "$SCRATCH/pictures.json")" = \
    "('voc2007', 'mini', 12)" ] || flunk "the settings do not contain what was evaluated"
}

EvalDatasets.ReadsEveryLayout() {
  local name person expected=
  for name in voc2007 voc2012 folder coco2014 coco2017 nuswide; do
    lay_out "$name" "$SCRATCH/$name" 10
    # All of its list: two of the pictures show none of the concepts.
    [ "$name" != nuswide ] || set -- --list "$SCRATCH/nuswide/ImageList/TestImagelist.txt"
    bcp eval --dataset "$name" --root "$SCRATCH/$name" --json "$SCRATCH/$name.json" "$@" >/dev/null
    person=$(from_json '[(row["positives"], round(row["zero_shot"]["logits"], 4)) for row in d["per_class"] if row["label"] == "person"]' \
      "$SCRATCH/$name.json")
    expected=${expected:-$person}
    [ "$person" = "$expected" ] || flunk "$name finds $person of persons, and another layout $expected"
  done
  bcp eval --dataset nuswide --root "$SCRATCH/nuswide" --json "$SCRATCH/shown.json" >/dev/null
  [ "$(from_json 'd["settings"]["samples"]' "$SCRATCH/shown.json")" = 8 ] || flunk "pictures without a concept were counted"
}

EvalDatasets.EncodesLabelsWithATextTower() {
  lay_out folder "$SCRATCH/folder" 8
  bcp eval --dataset folder --root "$SCRATCH/folder" --model "$words" --prompt-template 'the {}' --json "$SCRATCH/a.json" >/dev/null
  [ "$(from_json 'd["settings"]["prompt-template"]' "$SCRATCH/a.json")" = "['the {}']" ] || flunk "the template is missing"
  try bcp eval --dataset folder --root "$SCRATCH/folder" --model "$words" --prompt-template 'none'
  expect_status 1
  expect_one_sentence
}

EvalDatasets.LeavesOutPicturesThatAreMissingOrCannotBeRead() {
  local each pictures=$SCRATCH/voc/VOCdevkit/VOC2007/JPEGImages
  lay_out voc2007 "$SCRATCH/voc" 10
  truncate -s 3000 "$pictures/000005.jpg"
  printf 'no picture' >"$pictures/000009.jpg"
  rm "$pictures/000001.jpg"
  try bcp eval --dataset voc2007 --root "$SCRATCH/voc" --json "$SCRATCH/out.json"
  expect_status 0
  expect_output '^note: 1 of 10 pictures are not in .*: 000001$'
  expect_output '^note: 2 of 9 pictures cannot be read .*: 000005, 000009; .*000005.jpg is cut short'
  [ "$(from_json 'd["settings"]["samples"], sum("were ignored:" in each or "were left out:" in each for each in d["warnings"])' "$SCRATCH/out.json")" = "(7, 2)" ] || flunk "they were counted"
  for each in "$pictures"/*; do printf 'no picture' >"$each"; done
  try bcp eval --dataset voc2007 --root "$SCRATCH/voc"
  expect_status 1
  expect_one_sentence
  expect_output 'none of the 9 pictures of voc2007 can be read'
}

EvalDatasets.ListsWhatIsMissing() {
  local name
  mkdir "$SCRATCH/empty"
  for name in voc2007 voc2012 coco2014 coco2017 nuswide; do
    try bcp eval --dataset "$name" --root "$SCRATCH/empty"
    expect_status 1
    expect_one_sentence
    expect_output '^missing in '
    expect_output '^  [A-Za-z0-9_/]+ .* from [A-Za-z0-9_]'
  done
  try bcp eval --dataset coco2014 --root "$SCRATCH/empty"
  expect_output '^  annotations/instances_val2014.json  the instances in the pictures  from annotations_trainval2014.zip$'
  expect_output '^  val2014/ +the pictures +from val2014.zip$'
  try bcp eval --dataset folder --root "$SCRATCH/empty"
  expect_status 1
  expect_one_sentence
  expect_output 'truth.csv is missing: write it'
}

EvalDatasets.RejectsOptionsThatExcludeEachOther() {
  local line
  for line in '--dataset voc2007' '--root .' '--dataset imagenet --root .' '--dataset voc2007 --root . --logits x.npy' \
    '--model mini --logits x.npy --truth y.npy' '--dataset voc2007 --root . --limit -1'; do
    # shellcheck disable=SC2086  # words
    try bcp eval $line
    expect_status 2
    expect_one_sentence
  done
}

EvalDatasets.ReportsErrorsBeforePicturesAreEncoded() {
  local line
  lay_out voc2007 "$SCRATCH/voc" 4
  for line in '--adapter none --protocol anchors' "--order $SCRATCH/missing.npy" '--novelty-distance 0.1 --novelty-interval 2'; do
    # shellcheck disable=SC2086  # words
    try bcp eval --dataset voc2007 --root "$SCRATCH/voc" $line
    expect_status 1
    expect_one_sentence
    expect_no_output '^encoding'
  done
  lay_out folder "$SCRATCH/folder" 4
  sed -i '2,$s/,1/,0/g' "$SCRATCH/folder/truth.csv"
  try bcp eval --dataset folder --root "$SCRATCH/folder"
  expect_status 1
  expect_one_sentence
  expect_output 'shows a label'
  expect_no_output '^encoding'
}

EvalDatasets.ResumesAfterItWasKilled() {
  local program signal
  lay_out voc2007 "$SCRATCH/voc" 120
  for signal in KILL INT; do
    # Not through bcp(): the signal is for the program, not for a shell around it.
    "$BUILD/tools/gst-bcp/gst-bcp" eval --dataset voc2007 --root "$SCRATCH/voc" --cache "$SCRATCH/$signal" 2>"$SCRATCH/stopped" >/dev/null &
    program=$!
    await_pictures "$program" "$SCRATCH/$signal"
    kill "-$signal" "$program"
    status=0
    wait "$program" 2>/dev/null || status=$?
    if [ "$signal" = INT ]; then
      expect_status 130
      grep -qE '^gst-bcp: stopped with [0-9]+ of 120 pictures encoded: run the same command again' "$SCRATCH/stopped" || flunk "it does not say how to go on"
    fi
    try bcp eval --dataset voc2007 --root "$SCRATCH/voc" --cache "$SCRATCH/$signal" --json "$SCRATCH/$signal.json"
    expect_status 0
    expect_output '^encoding [0-9]+ of 120 pictures; the others are cached'
    try bcp eval --dataset voc2007 --root "$SCRATCH/voc" --cache "$SCRATCH/$signal" --json "$SCRATCH/again.json"
    expect_no_output '^encoding'
    expect_same 0 "$SCRATCH/$signal.json" "$SCRATCH/again.json"
  done
  expect_same 0 "$SCRATCH/KILL.json" "$SCRATCH/INT.json"
}

EvalDatasets.ContinuesUnderNohupWhenItsTerminalCloses() {
  local program
  lay_out voc2007 "$SCRATCH/voc" 60
  nohup "$BUILD/tools/gst-bcp/gst-bcp" eval --dataset voc2007 --root "$SCRATCH/voc" --cache "$SCRATCH/cache" >/dev/null 2>&1 </dev/null &
  program=$!
  await_pictures "$program" "$SCRATCH/cache"
  kill -HUP "$program"
  wait "$program" || flunk "it ended with the terminal"
}

EvalDatasets.EncodesAgainWhatChangedOrWasDamaged() {
  lay_out voc2007 "$SCRATCH/voc" 6
  bcp eval --dataset voc2007 --root "$SCRATCH/voc" >/dev/null
  [ -f "$(echo "$SCRATCH"/user-cache/gst-bcp/eval/voc2007-*/embeddings.npy)" ] || flunk "nothing is in the user's cache"
  touch -d '2001-01-01' "$SCRATCH/voc/VOCdevkit/VOC2007/JPEGImages/000003.jpg"
  try bcp eval --dataset voc2007 --root "$SCRATCH/voc"
  expect_output '^encoding 1 of 6 pictures'
  printf 'x' | dd of="$(echo "$SCRATCH"/user-cache/gst-bcp/eval/voc2007-*/pictures)" bs=1 seek=300 conv=notrunc status=none
  try bcp eval --dataset voc2007 --root "$SCRATCH/voc"
  expect_status 0
  expect_output '^encoding 1 of 6 pictures'
  expect_output '^note: 1 of 7 embeddings in the cache .* were damaged'
}

EvalDatasets.KeepsPicturesOfTwoFoldersApart() {
  local each
  mkdir "$SCRATCH/a" "$SCRATCH/b"
  make_pictures
  # Two different pictures with the same name, size and time.
  for each in a b; do printf 'picture,person\n1.png,1\n' >"$SCRATCH/$each/truth.csv"; done
  cp "$SCRATCH/rgb.png" "$SCRATCH/a/1.png"
  cp "$SCRATCH/grey.png" "$SCRATCH/b/1.png"
  truncate -s 60000 "$SCRATCH/a/1.png" "$SCRATCH/b/1.png"
  touch -d '2001-01-01' "$SCRATCH/a/1.png" "$SCRATCH/b/1.png"
  for each in a b; do
    try bcp eval --dataset folder --root "$SCRATCH/$each" --cache "$SCRATCH/cache"
    expect_status 0
    expect_output '^encoding 1 pictures$'
  done
}

EvalDatasets.CanRunTwiceAtTheSameTime() {
  local first second
  lay_out voc2007 "$SCRATCH/voc" 40
  bcp eval --dataset voc2007 --root "$SCRATCH/voc" --cache "$SCRATCH/cache" --json "$SCRATCH/a.json" >/dev/null 2>&1 &
  first=$!
  bcp eval --dataset voc2007 --root "$SCRATCH/voc" --cache "$SCRATCH/cache" --json "$SCRATCH/b.json" >/dev/null 2>&1 &
  second=$!
  wait "$first"
  wait "$second"
  expect_same 0 "$SCRATCH/a.json" "$SCRATCH/b.json"
  try bcp eval --dataset voc2007 --root "$SCRATCH/voc" --cache "$SCRATCH/cache"
  expect_status 0
  expect_no_output '^(encoding|note)'
}

EvalDatasets.TakesTheFirstPicturesOrThoseOfAList() {
  lay_out voc2007 "$SCRATCH/voc" 9
  bcp eval --dataset voc2007 --root "$SCRATCH/voc" --limit 4 --json "$SCRATCH/a.json" >/dev/null
  printf '000007\n000001\n000003\n000005\n' >"$SCRATCH/list"
  bcp eval --dataset voc2007 --root "$SCRATCH/voc" --list "$SCRATCH/list" --json "$SCRATCH/b.json" >/dev/null
  [ "$(from_json 'd["settings"]["samples"]' "$SCRATCH/a.json")" = 4 ] || flunk "not the first four"
  expect_same 0 "$SCRATCH/a.json" "$SCRATCH/b.json"
}

EvalDatasets.SaysWhichLabelsAModelLacks() {
  lay_out folder "$SCRATCH/folder" 4
  sed -i '1s/chair/giraffe/' "$SCRATCH/folder/truth.csv"
  try bcp eval --dataset folder --root "$SCRATCH/folder" --model "$ROOT/tests/data/bundles/toy"
  expect_status 1
  expect_one_sentence
  expect_output '3 of 3 labels are not among them \(.*giraffe.*\): use a model with a text tower'
}
