# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# pipelines/show.py, which a person reads.
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

# One result: result PTS LABEL:SHOWN:PROBABILITY:CORRECTION …
result() {
  local pts=$1 labels='' part name shown probability correction
  shift
  for part in "$@"; do
    IFS=: read -r name shown probability correction <<<"$part"
    labels+="${labels:+,}{\"label\":\"$name\",\"shown\":$shown,\"probability\":$probability,\"logit\":20,\"zero_shot\":20,\"correction\":$correction}"
  done
  printf '{"version":1,"source":"s","pts":%s,"region":null,"anchor":null,"samples":1,"labels":[%s]}\n' "$pts" "$labels"
}

show() { /usr/bin/python3 "$ROOT/pipelines/show.py" "$@"; }

Show.PrintsALineOnlyWhenTheLabelsChange() {
  { result 0.0 car:true:0.91:0 && result 0.5 car:true:0.72:0 && result 1.0 car:true:0.60:0 bus:true:0.30:0 && result 1.5; } >"$SCRATCH/in"
  try show <"$SCRATCH/in"
  expect_status 0
  [ "$(grep -c '^ *0:0' <<<"$output")" -eq 3 ] || flunk "$output"
  expect_output '^ +0:01\.0  car 0\.60  bus 0\.30$'
  expect_output '^ +0:01\.5  no label$'
}

Show.MarksRaisedLoweredAndRemovedLabels() {
  result 0.0 car:true:0.5:0 bus:true:0.3:1.2 cat:true:0.25:-0.8 dog:false:0.05:-3 >"$SCRATCH/in"
  try env PYTHONIOENCODING=utf8 /usr/bin/python3 "$ROOT/pipelines/show.py" <"$SCRATCH/in"
  expect_output 'car 0\.50  bus 0\.30 ↑  cat 0\.25 ↓  \(dog ↓\)'
}

Show.NamesTheContextOfAFrameWithoutLabels() {
  local labels='{"label":"boat","shown":false,"probability":0.04,"softmax":0.4,"prior":0.02,"evidence":0.6,"logit":20,"zero_shot":21,"correction":-1,"zero_shot_softmax":0.9,"zero_shot_shown":true}'
  printf '{"version":2,"source":"s","pts":0.5,"region":null,"decision":"presence","threshold":0.5,"calibrated":true,"context":{"word":"street","weight":0.4},"anchor":null,"samples":1,"labels":[%s]}\n' \
    "$labels" "${labels/false,/true,}" >"$SCRATCH/in"
  try show <"$SCRATCH/in"
  expect_status 0
  expect_output '^ +0:00\.5  none of the labels \(context: street\)$'
  expect_output '^ +0:00\.5  boat 0\.04$'
}

Show.SumsUpTheShareOfTimeNotOfResults() {
  # car for three seconds, then nothing for one; the last result lasts as long as the one before it.
  { result 0.0 car:true:0.9:0 && result 3.0 && result 3.5; } >"$SCRATCH/in"
  try show --results out/x.jsonl <"$SCRATCH/in"
  expect_output '^3 results in out/x\.jsonl$'
  expect_output '^share of the time: car 75%$'
}

Show.IgnoresEventsAndCountsInvalidLines() {
  { printf '{"event":"label-on","label":"car","pts":1}\nnonsense\n' && result null car:true:0.9:0; } >"$SCRATCH/in"
  try show <"$SCRATCH/in"
  expect_status 0
  expect_output '^1 results$'
  expect_output '^1 lines were not JSON results'
  expect_output -- '-:--  car 0\.90'
}

Show.FailsWhenNothingCame() {
  try show </dev/null
  expect_failure
  expect_output '^0 results'
}

Show.FollowsTheVideoOnATerminal() {
  { result 0.0 car:true:0.9:0 && result 5.0 car:true:0.8:0; } >"$SCRATCH/in"
  try script -qec "/usr/bin/python3 '$ROOT/pipelines/show.py' --duration 10 <'$SCRATCH/in'" /dev/null
  expect_output '0:05\.0 / 0:10\.0  car 0\.80'
}
