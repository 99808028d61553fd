# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp prior table: every form of labelled pictures, and its errors.
set -euo pipefail
# shellcheck source=tests/tools/cli.bash
. "${ROOT:?}/tests/tools/cli.bash"

# The same four pictures in each form: dog and person twice, person alone, none.
as_lines() {
  printf '%s\n' '{"picture":"a.jpg","labels":["Dog","person"]}' '{"picture":"b.jpg","labels":["person"]}' '' \
    '{"picture":"c.jpg","labels":[]}' '{"picture":"sub/d.jpg","labels":["person","dog","person"]}' >"$1"
}

as_list() {
  as_lines "$SCRATCH/lines"
  grep . "$SCRATCH/lines" | paste -sd, | sed 's/.*/[&]/' >"$1"
}

as_coco() {
  cat >"$1" <<'JSON'
{
  "images": [{"id": 5, "file_name": "a.jpg"}, {"id": 6, "file_name": "b.jpg"}, {"id": 7, "file_name": "c.jpg"},
             {"id": 8, "file_name": "d.jpg"}],
  "annotations": [{"image_id": 5, "category_id": 1, "bbox": [1, 2, 3, 4]}, {"image_id": 5, "category_id": 9},
                  {"image_id": 6, "category_id": 1}, {"image_id": 8, "category_id": 9}, {"image_id": 8, "category_id": 1},
                  {"image_id": 8, "category_id": 1}],
  "categories": [{"id": 1, "name": "person"}, {"id": 9, "name": "dog"}, {"id": 3, "name": "zebra"}]
}
JSON
}

# annotation FOLDER NAME OBJECT…
annotation() {
  local folder=$1 name=$2 object
  shift 2
  {
    printf '<annotation><filename>%s</filename><owner><name>Jane</name></owner>' "$name.jpg"
    for object in "$@"; do printf '<object><name>%s</name><part><name>head</name></part></object>' "$object"; done
    printf '</annotation>\n'
  } >"$folder/$name.xml"
}

as_voc() {
  mkdir -p "$1/VOC2007/Annotations"
  annotation "$1/VOC2007/Annotations" a dog person
  annotation "$1/VOC2007/Annotations" b person
  annotation "$1/VOC2007/Annotations" c
  annotation "$1/VOC2007/Annotations" d person dog person
}

as_texts() {
  mkdir -p "$1/sub"
  cp "$photograph" "$1/a.jpg"
  : | tee "$1/b.PNG" "$1/c.jpg" "$1/sub/d.jpeg" "$1/unlabelled.jpg"
  printf 'dog\nperson\n' >"$1/a.txt"
  printf 'person' >"$1/b.txt"
  printf '\n' >"$1/c.txt"
  printf 'person, dog\r\n' >"$1/sub/d.txt"
}

expect_table() {
  /usr/bin/python3 - "$1" <<'PYTHON'
import json, sys
table = json.load(open(sys.argv[1]))
assert table["format"] == "gst-bcp prior table" and table["version"] == 1, table
assert table["pictures"] == 4 and table["labels"] == ["person", "dog"] and table["count"] == [3, 2], table
assert table["together"] == [[3, 2], [2, 2]], table
PYTHON
}

PriorTable.CountsEveryFormOfLabelledPicturesAlike() {
  local form
  for form in lines list coco voc texts; do
    "as_$form" "$SCRATCH/in.$form"
    try bcp prior table "$SCRATCH/$form.json" "$SCRATCH/in.$form"
    expect_status 0
    expect_output '^counted +4 pictures, 2 labels, 1\.25 labels per picture, 1 pair seen together$'
    expect_output '^person +3 +75\.0 %$'
    expect_table "$SCRATCH/$form.json"
  done
}

PriorTable.IsUsedByTheElement() {
  as_lines "$SCRATCH/in.jsonl"
  bcp prior table "$SCRATCH/table.json" "$SCRATCH/in.jsonl" >/dev/null
  gst-launch-1.0 -q videotestsrc num-buffers=2 ! bcptagger model="$toy" prior-table="$SCRATCH/table.json" ! fakesink
}

PriorTable.ListsTheStrongestPairs() {
  local i
  {
    for i in 1 2 3 4 5; do printf '{"picture":"%s.jpg","labels":["fork","knife"]}\n' "$i"; done
    for i in 6 7 8 9; do printf '{"picture":"%s.jpg","labels":["car","wheel"]}\n' "$i"; done
    printf '{"picture":"10.jpg","labels":["fork","car"]}\n'
  } >"$SCRATCH/in.jsonl"
  try bcp prior table "$SCRATCH/out.json" "$SCRATCH/in.jsonl"
  expect_output '^fork, knife +5 +3\.0 +1\.7$'
  expect_no_output '^car, wheel'
  try bcp prior table "$SCRATCH/out.json" "$SCRATCH/in.jsonl" --min-count 6 --source 'a "test"' --top 1
  expect_status 0
  expect_output '^source +a "test"$'
  expect_output '^counted +10 pictures, 1 label,'
  expect_output '^No two labels occur together'
  grep -q '"source": "a \\"test\\""' "$SCRATCH/out.json"
}

PriorTable.CountsSeveralInputsTogether() {
  as_lines "$SCRATCH/in.jsonl"
  as_voc "$SCRATCH/voc"
  try bcp prior table "$SCRATCH/out.json" "$SCRATCH/in.jsonl" "$SCRATCH/voc/"
  expect_output '^source +counted by gst-bcp prior table in in\.jsonl, voc$'
  expect_output '^counted +8 pictures, 2 labels,'
}

PriorTable.SplitsTheJoinedWordsOfVoc() {
  mkdir "$SCRATCH/voc"
  annotation "$SCRATCH/voc" a diningtable tvmonitor
  try bcp prior table "$SCRATCH/out.json" "$SCRATCH/voc"
  expect_output '^dining table '
  expect_output '^tv monitor '
}

PriorTable.RejectsInputsWithoutLabelsAndWritesNothing() {
  mkdir "$SCRATCH/empty" "$SCRATCH/yolo" "$SCRATCH/xml"
  : | tee "$SCRATCH/empty.json" "$SCRATCH/yolo/a.jpg"
  echo '0 0.5 0.5 0.1 0.1' >"$SCRATCH/yolo/a.txt"
  echo '<html></html>' >"$SCRATCH/xml/a.xml"
  echo '<annotation>' >"$SCRATCH/xml/b.xml"
  echo '[]' >"$SCRATCH/list.json"
  echo '{"images": [{"id": 1, "file_name": "a.jpg"}], "categories": [{"id": 1, "name": "dog"}], "annotations": []}' >"$SCRATCH/bare.json"
  echo 'label,picture' >"$SCRATCH/table.csv"
  local input
  for input in empty empty.json yolo xml list.json bare.json table.csv missing; do
    try bcp prior table "$SCRATCH/out.json" "$SCRATCH/$input"
    expect_status 1
    expect_one_sentence
    expect_output "$SCRATCH/$input"
    [ ! -e "$SCRATCH/out.json" ] || flunk "a table was written from $input"
  done
  try bcp prior table "$SCRATCH/out.json" "$SCRATCH/yolo"
  expect_output 'a\.txt contains numbers: write the names'
  rm "$SCRATCH/xml/a.xml"
  try bcp prior table "$SCRATCH/out.json" "$SCRATCH/xml"
  expect_output 'b\.xml is not valid XML'
}

PriorTable.NamesTheLineThatIsWrong() {
  local line
  for line in '{"picture":"x.jpg"' '{"labels":["dog"]}' '{"picture":"x.jpg","labels":"dog"}' '{"picture":"x.jpg","labels":[{"label":"dog"}]}' \
    '{"picture":"a.jpg","labels":["dog"]}'; do
    printf '%s\n' '{"picture":"a.jpg","labels":["dog"]}' "$line" >"$SCRATCH/in.jsonl"
    try bcp prior table "$SCRATCH/out.json" "$SCRATCH/in.jsonl"
    expect_status 1
    expect_one_sentence
    expect_output 'in\.jsonl:2'
  done
  expect_output 'a\.jpg is listed twice'
}

PriorTable.OverwritesNothingButATable() {
  as_lines "$SCRATCH/in.json"
  cp "$SCRATCH/in.json" "$SCRATCH/kept.json"
  try bcp prior table "$SCRATCH/in.json" "$SCRATCH/kept.json"
  expect_status 1
  expect_output 'in\.json exists and is not a prior table, so it is not overwritten: the output comes first'
  cmp "$SCRATCH/in.json" "$SCRATCH/kept.json"
  bcp prior table "$SCRATCH/out.json" "$SCRATCH/in.json" >/dev/null
  bcp prior table "$SCRATCH/out.json" "$SCRATCH/in.json" >/dev/null
  expect_table "$SCRATCH/out.json"
  try bcp prior table "$SCRATCH/out.json" "$SCRATCH/in.json" --min-count 100
  expect_status 1
  expect_output 'none of the 2 labels is in 100 pictures or more: lower --min-count'
  expect_table "$SCRATCH/out.json"
}

PriorTable.ExplainsItself() {
  try bcp prior table --help
  expect_status 0
  expect_output '^Usage: gst-bcp prior table'
  local line
  for line in 'prior table' 'prior table x.json' 'prior table x.txt y' 'prior table x.json y --min-count 0'; do
    # shellcheck disable=SC2086  # words
    try bcp $line
    expect_status 2
    expect_one_sentence
  done
}
