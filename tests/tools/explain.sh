# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp explain.
set -euo pipefail
# shellcheck source=tests/tools/cli.bash
. "${ROOT:?}/tests/tools/cli.bash"

# A label: label NAME SHOWN PROBABILITY PRIOR EVIDENCE PLAIN PLAIN_SHOWN.
label() {
  printf '{"label":"%s","shown":%s,"probability":%s,"softmax":0.1,"prior":%s,"evidence":%s,"logit":20,"zero_shot":20,"correction":0,"zero_shot_softmax":%s,"zero_shot_shown":%s}' "$@"
}

# A line of version 2: result PTS SOURCE CONTEXT LABEL …
result() {
  local pts=$1 source=$2 context=$3 IFS=,
  shift 3
  printf '{"version":2,"source":"%s","pts":%s,"region":null,"decision":"presence","threshold":0.5,"calibrated":true,"context":%s,"anchor":null,"samples":30,"labels":[%s]}\n' \
    "$source" "$pts" "$context" "$*"
}

# Three results of a camera, and an event between them.
street() {
  local car person boat sofa dog
  car=$(label car true 0.97 0.82 3.4 0.71 true)
  person=$(label person true 0.62 0.31 1.9 0.14 false)
  boat=$(label boat false 0.04 0.02 0.6 0.22 true)
  dog=$(label dog false 0.3 0.4 -0.4 0.05 false)
  sofa=$(label sofa false 0.01 0.01 -2.5 0.01 false)
  {
    result 12.36 cam null "$car"
    printf '{"event":"label-on","source":"cam","label":"person","pts":12.4}\n'
    result 12.433333333 cam '{"word":"street","weight":0.38}' "$car" "$person" "$boat" "$dog" "$sofa"
    result 61.5 cam null "$car"
  } >"$SCRATCH/in.jsonl"
}

Explain.GivesTheReasonsOfEachLabelShownOrNear() {
  street
  try bcp explain "$SCRATCH/in.jsonl@12.43"
  expect_status 0
  expect_output '^in\.jsonl at 12\.433333 s, source cam$'
  expect_output '^decision +presence, shown if at least 0\.50, '
  expect_output '^context +street 0\.38: matches the frame better than any label$'
  expect_output '^label +probability +prior +evidence +plain CLIP +shown +why$'
  expect_output '^car +0\.97 +0\.82 +\+3\.4 +0\.71 shown +yes +the rest of the frame, and its own evidence$'
  expect_output '^person +0\.62 +0\.31 +\+1\.9 +0\.14 +yes +its own evidence$'
  expect_output '^boat +0\.04 +0\.02 +\+0\.6 +0\.22 shown +no +unlikely given the rest of the frame$'
  expect_output '^dog +0\.30 +0\.40 +-0\.4 +0\.05 +no +matches the frame less than a random word$'
  expect_no_output sofa
  expect_output '^and 1 label below half of the threshold \(--all lists them\)$'
  try bcp explain "$SCRATCH/in.jsonl@12.43" --all
  expect_output '^sofa +0\.01'
  expect_no_output 'less than half'
}

Explain.TakesTheNearestOfTheTimesThatRoundToIt() {
  street
  try bcp explain "$SCRATCH/in.jsonl@12.4"
  expect_status 0
  expect_output 'at 12\.433333 s'
  expect_no_output '12\.36'
  try bcp explain "$SCRATCH/in.jsonl@12.36"
  expect_output 'at 12\.36 s'
  try bcp explain "$SCRATCH/in.jsonl@1:01.5"
  expect_output 'at 61\.5 s'
}

Explain.ListsTheNearestTimesIfNoneMatches() {
  street
  try bcp explain "$SCRATCH/in.jsonl@30"
  expect_status 1
  expect_one_sentence
  expect_output "there is no result at 30 s in .*in\.jsonl: the nearest is .*in\.jsonl@12\.433333 and .*in\.jsonl@61\.5$"
  try bcp explain "$SCRATCH/in.jsonl@100"
  expect_status 1
  expect_output 'the nearest is .*in\.jsonl@61\.5$'
  local named=${output##* }
  try bcp explain "$named"
  expect_status 0
}

Explain.AsksForATimeAndForAFile() {
  street
  try bcp explain "$SCRATCH/in.jsonl"
  expect_status 1
  expect_one_sentence
  expect_output 'contains 3 results from 12\.36 to 61\.5 s: add the time of one, such as .*in\.jsonl@12\.36$'
  try bcp explain "$SCRATCH/missing.jsonl@3"
  expect_status 1
  expect_one_sentence
  expect_output 'there is no file .*missing\.jsonl: give a file'
  local wrong
  for wrong in x '' -1 nan inf 1:75 1.5:3 1:2:3:4; do
    try bcp explain "$SCRATCH/in.jsonl@$wrong"
    expect_status 1
    expect_one_sentence
    expect_output "\"$wrong\" is not a time: "
  done
}

Explain.RefusesAFileWithoutResults() {
  printf 'nonsense\n' >"$SCRATCH/in.jsonl"
  try bcp explain "$SCRATCH/in.jsonl@1"
  expect_status 1
  expect_one_sentence
  expect_output 'there is no result in .*in\.jsonl \(in\.jsonl:1: not valid JSON'
  printf '{"version":3,"pts":1,"labels":[]}\n' >"$SCRATCH/in.jsonl"
  try bcp explain "$SCRATCH/in.jsonl@1"
  expect_status 1
  expect_output 'version 3 of the format, newer than this gst-bcp'
  result null cam null "$(label car true 0.9 0.5 1 0.5 true)" >"$SCRATCH/in.jsonl"
  try bcp explain "$SCRATCH/in.jsonl@1"
  expect_status 1
  expect_one_sentence
  expect_output 'have no stream time'
}

Explain.ExplainsEachSourceOfTheSameTime() {
  { result 1.5 door null "$(label car true 0.9 0.5 1 0.5 true)" && result 1.5 yard null "$(label dog true 0.9 0.5 1 0.5 true)"; } >"$SCRATCH/in.jsonl"
  try bcp explain "$SCRATCH/in.jsonl@1.5"
  expect_output 'source door$'
  expect_output 'source yard$'
}

Explain.ExplainsLabelsThatTheThresholdDoesNot() {
  result 1 cam null "$(label car true 0.45 0.5 1 0.5 true)" "$(label bus false 0.7 0.5 1 0.1 false)" >"$SCRATCH/in.jsonl"
  try bcp explain "$SCRATCH/in.jsonl@1"
  expect_output '^car .* yes +below the threshold: kept by threshold-off, '
  expect_output '^bus .* no +above the threshold: hidden by top-k or min-duration, '
}

Explain.SaysWhenProbabilitiesAreNotCalibrated() {
  result 1 cam null "$(label car true 0.9 0.5 1 0.5 true)" | sed 's/"calibrated":true/"calibrated":false/' >"$SCRATCH/in.jsonl"
  try bcp explain "$SCRATCH/in.jsonl@1"
  expect_output '^calibrated +no: '
}

Explain.ExplainsWhatItCanOfVersion1() {
  printf '{"version":1,"source":"s","pts":1,"region":7,"anchor":{"label":"car","probability":0.8},"samples":30,"labels":[%s,%s]}\n' \
    '{"label":"car","shown":true,"probability":0.9,"logit":20,"zero_shot":20,"correction":0,"zero_shot_probability":0.8,"zero_shot_shown":true}' \
    '{"label":"boat","shown":false,"probability":0.1,"logit":20,"zero_shot":20,"correction":-1.5,"zero_shot_probability":0.3,"zero_shot_shown":true}' >"$SCRATCH/in.jsonl"
  try bcp explain "$SCRATCH/in.jsonl@1"
  expect_status 0
  expect_output 'region 7$'
  expect_output '^anchor +car 0\.80$'
  expect_output '^boat +0\.10 +-1\.5 +0\.30 shown +no +lowered by the correction$'
  expect_output '^note: a line of version 1, '
}

Explain.ExplainsAPictureAsTheElementLabelsIt() {
  try bcp explain "$photograph"
  expect_status 0
  expect_output '^franz-kafka\.jpg, model mini$'
  expect_output '^decision +presence, shown if at least 0\.50, '
  expect_output '^label +probability +threshold +prior +evidence +plain CLIP +shown +why$'
  expect_output '^person +0\.8[0-9] +0\.50 +[0-9.]+ +\+[0-9.]+ +[0-9.]+ shown +yes +the rest of the frame, and its own evidence$'
  expect_output '^and 49 labels below half of the threshold'
  make_pictures
  gst-launch-1.0 -q filesrc location="$SCRATCH/rgb.png" ! pngdec ! bcptagger model=mini ! bcppublish all-labels=true location="$SCRATCH/element.jsonl" ! fakesink
  try bcp explain "$SCRATCH/rgb.png" --all
  [ "$(grep -cE ' (yes|no) ' <<<"$output")" -eq 50 ] || flunk "$output"
  /usr/bin/python3 - "$SCRATCH/element.jsonl" "$output" <<'PYTHON'
import json, re, sys
labels = json.loads(open(sys.argv[1]).readline())["labels"]
assert len(labels) == 50, labels
for label in labels:
    row = re.search(rf"^{label['label']} +(\S+) +\S+ +(\S+) +(\S+) +(\S+)", sys.argv[2], re.MULTILINE)
    for found, key, tolerance in zip(row.groups(), ("probability", "prior", "evidence", "zero_shot_softmax"), (0.006, 0.006, 0.06, 0.006)):
        assert abs(float(found) - label[key]) <= tolerance, (label, row[0])
PYTHON
}

Explain.NamesTheContextWordsAndWhereAPriorComesFrom() {
  try bcp explain "$photograph" --model "$ROOT/tests/data/bundles/tiny-clip" --labels "dog, zeppelin" --label dog
  expect_status 0
  expect_output '^context words +[a-z ]+ [01]\.[0-9]+, [a-z ]+ [01]\.[0-9]+, [a-z ]+ [01]\.[0-9]+$'
  expect_output '^dog '
  expect_output '^prior of dog: 0\.[0-9]+, from the words that match the picture$'
  expect_output '^word +share +P\(label \| word\) +adds$'
  /usr/bin/python3 - "$output" <<'PYTHON'
import re, sys
text = sys.argv[1][sys.argv[1].index("prior of dog"):]
rows = re.findall(r"^(?:.*\S) +([\d.]+) +([\d.]+) +([\d.]+)$", text, re.MULTILINE)
rest = float(re.search(r"other words? +([\d.]+)$", text, re.MULTILINE)[1])
assert rows and all(abs(float(s) * float(g) - float(a)) < 0.006 for s, g, a in rows), rows
assert [float(a) for _, _, a in rows] == sorted((float(a) for _, _, a in rows), reverse=True), rows
prior = float(re.search(r"prior of dog: ([\d.]+)", text)[1])
assert abs(sum(float(a) for _, _, a in rows) + rest - prior) < 0.01, text
PYTHON
  try bcp explain "$photograph" --model "$ROOT/tests/data/bundles/tiny-clip" --labels "dog, zeppelin" --label zeppelin
  expect_output '^prior of zeppelin: .*the label is not in the prior table$'
  try bcp explain "$photograph" --label zeppelin
  expect_status 1
  expect_one_sentence
  expect_output '"zeppelin" is not one of the labels, which are person, '
}

Explain.FollowsTheSettingsOfAPicture() {
  make_pictures
  printf '[{"label": "person", "threshold": 0.9}, {"label": "cat", "often": "always"}, "dog"]' >"$SCRATCH/labels.json"
  try bcp explain "$photograph" --labels-file "$SCRATCH/labels.json" --threshold 0.35 --all
  expect_output '^person +0\.8[0-9] +0\.90 '
  expect_output '^dog +[0-9.]+ +0\.35 '
  local plain
  plain=$(grep '^green ' <<<"$(bcp explain "$SCRATCH/rgb.png" --model "$toy")")
  bcp teach --model "$toy" --prior "$SCRATCH/a.prior" "$SCRATCH/rgb.png" --not green >/dev/null 2>&1
  try bcp explain "$SCRATCH/rgb.png" --model "$toy" --prior "$SCRATCH/a.prior" --label green
  expect_output '^taught +1 statement$'
  expect_output '^People have taught -[0-9.]+ on its log-odds\.$'
  expect_output '^green .* no +too few words to compare with$'
  [ "$(awk '{ print $2 }' <<<"$plain")" != "$(awk '$1 == "green" { print $2; exit }' <<<"$output")" ] || flunk "what was taught changes nothing: $output"
  try bcp explain "$SCRATCH/rgb.png" --model "$toy" --prior "$SCRATCH/none.prior"
  expect_status 1
  expect_one_sentence
  expect_output 'none\.prior'
  try bcp explain "$photograph" --prior-strength 0 --all --label dog
  expect_output '^dog +[0-9.]+ +[0-9.]+ +0\.10 '
}

Explain.RefusesPicturesItCannotReadAndOptionsThatDoNotFit() {
  make_pictures
  local line
  for line in "$SCRATCH/cut.jpg" "$SCRATCH/empty.png" "$SCRATCH/none.jpg"; do
    try bcp explain "$line"
    expect_status 1
    expect_one_sentence
    expect_output "$line"
  done
  street
  try bcp explain "$SCRATCH/in.jsonl@12.43" --label car
  expect_status 1
  expect_one_sentence
  expect_output '^gst-bcp: --label is for pictures, but .*in\.jsonl contains results'
}

Explain.EscapesControlCharacters() {
  result 1 cam '{"word":"\u001b[31mred","weight":0.4}' "$(label '\u001b[2Jcar' true 0.9 0.5 1 0.5 true)" >"$SCRATCH/in.jsonl"
  try bcp explain "$SCRATCH/in.jsonl@1"
  expect_status 0
  if grep -q $'\x1b' <<<"$output"; then flunk "an escape got through"; fi
}

Explain.OmitsWhatASiglipDoesNotHave() {
  try bcp explain "$photograph" --model "$ROOT/tests/data/families/siglip" --labels "dog, cat" --label dog
  expect_status 0
  expect_output '^context +not needed: the model scores each label independently$'
  expect_output '^dog +0\.[0-9]+ +0\.50 +- +[+-][0-9.]+ .* no +too little evidence$'
  expect_output '^prior of dog: none, because the model scores each label independently$'
}
