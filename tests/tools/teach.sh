# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp teach: corrections of pictures, and their effect.
set -euo pipefail
# shellcheck source=tests/tools/cli.bash
. "${ROOT:?}/tests/tools/cli.bash"

prior=$SCRATCH/a.prior

# The number in column $2 of the row of the label $1.
value_of() { awk -v label="$1" -v column="$2" '{ for (i = 1; i <= NF; i++) if ($i == label) { print $(i + column); exit } }' <<<"$output"; }

expect_less() { /usr/bin/python3 -c "exit(not $1 < $2)" || flunk "$1 is not less than $2: $output"; }

Teach.ChangesTheGivenLabelsInTheGivenDirection() {
  make_pictures
  try bcp teach --model "$toy" --prior "$prior" "$SCRATCH/rgb.png" --has yellow --not green
  expect_status 0
  expect_output '^note: no label is shown: a picture is compared with 6 words only'
  expect_output '^picture +label +taught +was +is +shown$'
  expect_output '^rgb\.png +green +absent '
  expect_output '^ +yellow +present '
  expect_output 'a\.prior, which contains 2 statements now\.$'
  expect_less "$(value_of yellow 2)" "$(value_of yellow 3)"
  expect_less "$(value_of green 3)" "$(value_of green 2)"
  local now
  now=$(value_of green 3)
  try bcp teach --model "$toy" --prior "$prior" "$SCRATCH/rgb.png" --not green
  [ "$(value_of green 2)" = "$now" ] || flunk "it does not go on from $now: $output"
  expect_output 'contains 3 statements now'
}

Teach.TakesAFullyLabelledPicture() {
  try bcp teach --prior "$prior" "$photograph" --all
  expect_status 0
  expect_output '^franz-kafka\.jpg +person +absent '
  expect_no_output '^ +cat '
  expect_output '^present and shown +0 of 0 +0 of 0$'
  expect_output '^absent but shown +1 '
  expect_output 'contains 1 statement now'
}

Teach.LeavesWhatAStreamHasLearntAsItIs() {
  local part before
  gst-launch-1.0 -q videotestsrc num-buffers=5 ! bcptagger model="$toy" preset=paper labels="red, green, blue" prior-file="$prior" ! fakesink
  bcp prior show --json "$prior" >"$SCRATCH/before.json"
  bcp teach --model "$toy" --prior "$prior" "$photograph" --has blue >/dev/null
  # Labels of its own, more and fewer than the file has.
  bcp teach --model "$toy" --prior "$prior" "$photograph" --labels "yellow, red" --has yellow >/dev/null
  bcp prior show --json "$prior" >"$SCRATCH/after.json"
  for part in samples labels together pairs model; do
    before=$(/usr/bin/python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$SCRATCH/before.json" "$part")
    [ "$before" = "$(/usr/bin/python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$SCRATCH/after.json" "$part")" ] ||
      flunk "$part has changed: $(cat "$SCRATCH/after.json")"
  done
}

Teach.TakesTheLabelsOfThePriorFile() {
  gst-launch-1.0 -q videotestsrc num-buffers=2 ! bcptagger model="$toy" labels="red, green" prior-file="$prior" ! fakesink
  try bcp teach --model "$toy" --prior "$prior" "$photograph" --has blue
  expect_status 1
  expect_one_sentence
  expect_output 'does not have the label "blue"; it has red, green: '
  try bcp teach --model "$toy" --prior "$prior" "$photograph" --has green
  expect_status 0
}

Teach.IsUsedByTheElementFromTheFirstFrameOn() {
  local mode
  make_pictures
  try bcp teach --model "$toy" --prior "$prior" "$SCRATCH/rgb.png" --has yellow --not green
  for mode in off read-only; do
    gst-launch-1.0 -q filesrc location="$SCRATCH/rgb.png" ! pngdec ! videoconvert ! bcptagger model="$toy" prior-file="$prior" \
      prior-mode="$mode" ! bcppublish all-labels=true location="$SCRATCH/$mode.jsonl" ! fakesink
  done
  /usr/bin/python3 - "$SCRATCH/off.jsonl" "$SCRATCH/read-only.jsonl" "$(value_of green 3)" "$(value_of yellow 3)" <<'PYTHON'
import json, sys
plain, taught = ({label["label"]: label["probability"] for label in json.loads(open(path).readline())["labels"]} for path in sys.argv[1:3])
assert taught["green"] < plain["green"] - 0.1 and taught["yellow"] > plain["yellow"] + 0.05, (plain, taught)
assert abs(taught["green"] - float(sys.argv[3])) < 0.01 and abs(taught["yellow"] - float(sys.argv[4])) < 0.01, (taught, sys.argv)
PYTHON
}

Teach.TakesLabelledPicturesInTheirForms() {
  mkdir -p "$SCRATCH/set/train" "$SCRATCH/set/annotations" "$SCRATCH/texts" "$SCRATCH/voc/Annotations" "$SCRATCH/voc/JPEGImages"
  local picture
  for picture in set/train/a set/train/b voc/JPEGImages/a texts/a; do cp "$photograph" "$SCRATCH/$picture.jpg"; done
  printf '%s' '{"images":[{"id":1,"file_name":"a.jpg"},{"id":2,"file_name":"b.jpg"}],"categories":[{"id":1,"name":"person"},{"id":2,"name":"giraffe"}],
    "annotations":[{"image_id":1,"category_id":1},{"image_id":2,"category_id":2}]}' >"$SCRATCH/set/annotations/instances_train.json"
  printf '<annotation><filename>a.jpg</filename><object><name>tvmonitor</name></object></annotation>' >"$SCRATCH/voc/Annotations/a.xml"
  printf 'person\n' >"$SCRATCH/texts/a.txt"
  printf '{"picture":"train/a.jpg","labels":["Person"]}\n' >"$SCRATCH/set/in.jsonl"
  try bcp teach --prior "$prior" --from "$SCRATCH/set/annotations/instances_train.json"
  expect_status 0
  expect_output '^note: labels that the stream does not have are ignored: giraffe$'
  expect_output '^note: the annotations never mention 49 labels of the stream'
  expect_output '^a\.jpg +person +present '
  expect_output '^b\.jpg +person +absent '
  expect_output 'contains 2 statements'
  try bcp teach --prior "$prior" --from "$SCRATCH/voc" --all
  expect_status 0
  expect_no_output 'never mention'
  expect_output '^a\.jpg +person +absent '
  expect_output '^ +tv +present '
  try bcp teach --prior "$prior" --from "$SCRATCH/texts"
  expect_output '^a\.jpg +person +present '
  try bcp teach --prior "$prior" --from "$SCRATCH/set/in.jsonl"
  expect_output 'contains 5 statements'
  mv "$SCRATCH/set/train" "$SCRATCH/elsewhere"
  try bcp teach --prior "$prior" --from "$SCRATCH/set/annotations/instances_train.json"
  expect_status 1
  expect_one_sentence
  expect_output 'none of the 2 pictures .*--pictures$'
  rm "$SCRATCH/elsewhere/b.jpg"
  try bcp teach --prior "$prior" --from "$SCRATCH/set/annotations/instances_train.json" --pictures "$SCRATCH/elsewhere"
  expect_status 0
  expect_output '^note: 1 picture of 2 ignored because the files are missing: .*/elsewhere/b\.jpg$'
}

Teach.RefusesWhatItCannotDoAndSavesNothing() {
  gst-launch-1.0 -q videotestsrc num-buffers=2 ! bcptagger model="$toy" prior-file="$prior" ! fakesink
  cp "$prior" "$SCRATCH/before"
  make_pictures
  try bcp teach --prior "$prior" "$photograph" --has person
  expect_status 1
  expect_one_sentence
  expect_output 'a\.prior was learnt with another model'
  local line
  for line in "$photograph" "$photograph --has nonsense" "$photograph --has red --not red" "$SCRATCH/cut.jpg --has red" "$SCRATCH/none.jpg --has red" \
    "--has red" "--from $SCRATCH/none" "--from $photograph" "$photograph $SCRATCH/cut.jpg --has red" "$photograph --has red --labels-file $SCRATCH/none"; do
    # shellcheck disable=SC2086  # words
    try bcp teach --model "$toy" --prior "$prior" $line
    expect_status 1
    expect_one_sentence
  done
  cmp "$prior" "$SCRATCH/before" || flunk "the prior file was changed"
  head -c 50 "$SCRATCH/before" >"$prior"
  try bcp teach --model "$toy" --prior "$prior" "$photograph" --has red
  expect_status 1
  expect_output 'is damaged'
  [ "$(stat -c %s "$prior")" -eq 50 ] || flunk "a damaged file was overwritten"
}

Teach.ExplainsItself() {
  try bcp teach --help
  expect_status 0
  expect_output '^Usage: gst-bcp teach'
  local line
  for line in 'teach' 'teach x.jpg --has red' 'teach --prior p --from x --has red' 'teach --prior p x.jpg --from y' 'teach --prior p x.jpg --has a --pictures d' \
    'teach --prior p x.jpg --has a --labels a --labels-file b' 'teach --prior p x.jpg --has a --threshold 2'; do
    # shellcheck disable=SC2086  # words
    try bcp $line
    expect_status 2
    expect_one_sentence
  done
}
