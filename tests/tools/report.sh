# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp report: the command, and its page in a browser.
set -euo pipefail
# shellcheck source=tests/tools/cli.bash
. "${ROOT:?}/tests/tools/cli.bash"

clip=$ROOT/tests/data/clips/mdn_friday.mp4

stream() { /usr/bin/python3 "$ROOT/tests/tools/report_stream.py" "$@"; }

# Opens page $2 in a browser for the checks $1 of report_page.py, with commas between them.
check() { SCRATCH=$SCRATCH /usr/bin/python3 "$ROOT/tests/tools/report_page.py" "$@" || flunk "$1"; }

# A page about two minutes, with what was learnt.
make_page() {
  stream "$SCRATCH/street.jsonl" --prior "$SCRATCH/street.prior"
  bcp report "$SCRATCH/street.jsonl" --prior "$SCRATCH/street.prior" >/dev/null
}

# One result: result PTS LABELS-AS-JSON.
result() { printf '{"version":1,"source":"s","pts":%s,"region":null,"anchor":null,"samples":30,"labels":[%s]}\n' "$1" "$2"; }

car='{"label":"car","shown":true,"probability":0.9,"correction":0,"zero_shot_probability":0.9,"zero_shot_shown":true}'
added='{"label":"bus","shown":true,"probability":0.3,"correction":1,"zero_shot_probability":0.1,"zero_shot_shown":false}'

Report.ReportsSortsAndExplainsChanges() {
  make_page
  check reports_what_was_done,sorts_the_changes,explains_a_change,shows_what_is_under_the_pointer,sorts_the_heat_map "$SCRATCH/street.html" "$SCRATCH/street.jsonl"
}

Report.SuitsKeyboardsScreenReadersScreensAndPaper() {
  make_page
  check follows_the_keys,can_be_reached_by_tab,is_readable_aloud,scrolls_by_keyboard_on_a_phone,changes_its_theme,fits_small_and_large_screens,prints,follows_axe "$SCRATCH/street.html"
}

Report.ExplainsPresence() {
  stream "$SCRATCH/presence.jsonl" --presence
  bcp report "$SCRATCH/presence.jsonl" >/dev/null
  check follows_axe,explains_presence,shows_the_reasons_under_the_pointer,gives_screen_readers_the_context,can_be_reached_by_tab_with_presence,fits_small_and_large_screens "$SCRATCH/presence.html"
}

Report.ShowsChangesThatContradictTheResultsAround() {
  local person chair couch time
  person='{"label":"person","shown":true,"probability":0.9,"correction":0,"zero_shot_probability":0.9,"zero_shot_shown":true}'
  chair=${person//person/chair}
  couch=${added//bus/couch}
  for time in 0.0 0.1 0.2 0.3 0.4 0.5; do
    case $time in
      0.2) result $time "$chair,${person/true,\"prob/false,\"prob}" ;;
      0.4) result $time "$person,$couch" ;;
      *) result $time "$person" ;;
    esac
  done >"$SCRATCH/odd.jsonl"
  bcp report "$SCRATCH/odd.jsonl" >/dev/null
  check shows_harm_around_it "$SCRATCH/odd.html"
}

Report.ExplainsAChangeByWhatWasKnownThen() {
  { result 0 "$car" && result 1 "$car,$added" && result 2 "$car"; } | sed 's/"anchor":null/"anchor":{"label":"car","probability":0.9}/' >"$SCRATCH/then.jsonl"
  PYTHONPATH=$ROOT/tests/tools /usr/bin/python3 - "$SCRATCH/then.prior" <<'END'
import sys
import numpy
from report_stream import Adapter
learnt = Adapter(2)
for bus in [0.01] * 9 + [0.99]:
    learnt.learn(numpy.array([1 - bus, bus]))
with open(sys.argv[1], "wb") as file:
    file.write(learnt.snapshot(["car", "bus"]))
END
  bcp report "$SCRATCH/then.jsonl" --prior "$SCRATCH/then.prior" >/dev/null
  check explains_by_what_was_known_then "$SCRATCH/then.html"
}

Report.ExplainsAChangeCausedByOtherLabels() {
  local lowered=${added/:1,/:-0.01,}
  { result 0 "$car" && result 1 "$car,$lowered" && result 2 "$car" && result 3 "$car,$lowered"; } |
    sed '2s/"anchor":null/"anchor":{"label":"car","probability":0.9}/' >"$SCRATCH/others.jsonl"
  bcp report "$SCRATCH/others.jsonl" >/dev/null
  check explains_by_the_others "$SCRATCH/others.html"
}

Report.ReportsACorrectionWithoutAnAnchor() {
  { result 0 "$car" && result 1 "$car,$added"; } >"$SCRATCH/peer.jsonl"
  bcp report "$SCRATCH/peer.jsonl" >/dev/null
  check reports_a_missing_anchor "$SCRATCH/peer.html"
}

Report.OffersAChoiceOfSources() {
  stream "$SCRATCH/two.jsonl"
  stream "$SCRATCH/two.jsonl" --append --source door --results 50 --seconds 5 --seed 2
  bcp report "$SCRATCH/two.jsonl" >/dev/null
  check changes_its_source "$SCRATCH/two.html"
}

Report.HoldsTwoHoursOfAThousandLabels() {
  stream "$SCRATCH/long.jsonl" --prior "$SCRATCH/long.prior" --results 20000 --labels 1000 --seconds 7200
  bcp report "$SCRATCH/long.jsonl" --prior "$SCRATCH/long.prior" >/dev/null
  local size
  size=$(stat -c %s "$SCRATCH/long.html")
  [ "$size" -lt 6000000 ] || flunk "the page has $size bytes"
  check stays_quick "$SCRATCH/long.html"
}

Report.ShowsFramesOfTheVideo() {
  { result 0.1 "$car" && result 1.0 "$car,$added" && result 2.0 "$car"; } >"$SCRATCH/in.jsonl"
  try bcp report "$SCRATCH/in.jsonl" --video "$clip"
  expect_status 0
  expect_no_output note
  check has_pictures "$SCRATCH/in.html"
}

Report.IsWrittenWithoutPicturesOfAVideoThatCannotBeRead() {
  result 0.1 "$car" >"$SCRATCH/in.jsonl"
  head -c 2000 /dev/urandom >"$SCRATCH/noise.mp4"
  local video
  for video in "$SCRATCH/noise.mp4" "$SCRATCH/missing.mp4"; do
    try bcp report "$SCRATCH/in.jsonl" --video "$video" --force
    expect_status 0
    expect_output "^note: there are no thumbnails of $video: "
    check has_no_pictures "$SCRATCH/in.html"
  done
}

Report.ShowsNoPasswordOfAnAddress() {
  result 0.1 "$car" >"$SCRATCH/in.jsonl"
  try bcp report "$SCRATCH/in.jsonl" --video 'http://me:hush@127.0.0.1:9/a.mp4?token=hush'
  expect_status 0
  expect_output '^note: there are no thumbnails of http://me:\*\*\*@127'
  expect_no_output hush
  if grep -q 'hush@\|=hush' "$SCRATCH/in.html"; then flunk "it is in the page"; fi
}

Report.SkipsCountsAndNamesABrokenLine() {
  { result 0 "$car" && result 1 "$car" && printf '{"version":1,"labe\n' && printf '{"event":"label-on","label":"car","pts":1}\n' && result 2 "$car"; } >"$SCRATCH/broken.jsonl"
  try bcp report "$SCRATCH/broken.jsonl"
  expect_status 0
  expect_output ': 3 results, '
  expect_output '^skipped 1 line that is not a result:$'
  expect_output '^  broken\.jsonl:3: not valid JSON'
  check names_the_broken_line "$SCRATCH/broken.html"
}

Report.NeverInterpretsALabel() {
  local names='<img src=x onerror=hurt=1>|</script><script>hurt=1</script>|<!-- <b>bold</b>|{bold\|rich}|\u0007bell\nline|\u202eesrever|مرحبا بالعالم|{{x}}|__proto__|@DATA@' name label='' i=0
  IFS='|' read -r -a names <<<"${names//\\|/$'\x01'}"
  for name in "${names[@]}"; do
    name=${name//$'\x01'/|}
    label+=${label:+,}$(/usr/bin/python3 -c 'import json, sys; print(json.dumps({"label": json.loads("\"" + sys.argv[1].replace("\"", "\\\"") + "\""), "shown": True, "probability": 0.3, "correction": 1, "zero_shot_probability": 0.1, "zero_shot_shown": False}))' "$name")
  done
  for i in 0 1 2; do result "$i" "$label"; done | sed 's|"source":"s"|"source":"</title><b>s"|' >"$SCRATCH/in.jsonl"
  bcp report "$SCRATCH/in.jsonl" --title '</title><script>hurt=1</script>' >/dev/null
  check interprets_no_label "$SCRATCH/in.html"
}

Report.SaysWhatOlderFilesLack() {
  result 0 '{"label":"car","shown":true,"probability":0.9,"logit":20,"zero_shot":20,"correction":0}' >"$SCRATCH/old.jsonl"
  bcp report "$SCRATCH/old.jsonl" >/dev/null
  check says_what_older_files_lack "$SCRATCH/old.html"
}

Report.NumbersResultsThatHaveNoTime() {
  { result null "$car" && result null "$car,$added"; } >"$SCRATCH/in.jsonl"
  bcp report "$SCRATCH/in.jsonl" >/dev/null
  check works_without_time "$SCRATCH/in.html"
}

Report.RejectsMissingAndInvalidResults() {
  try bcp report "$SCRATCH/missing.jsonl"
  expect_status 1
  expect_one_sentence
  expect_output 'there is no file .*missing\.jsonl: '
  printf 'nonsense\n' >"$SCRATCH/in.jsonl"
  try bcp report "$SCRATCH/in.jsonl"
  expect_status 1
  expect_one_sentence
  expect_output 'there is no result in .*in\.jsonl \(in\.jsonl:1: not valid JSON'
  [ ! -e "$SCRATCH/in.html" ] || flunk "a page was written"
}

Report.RefusesADamagedPrior() {
  result 0 "$car" >"$SCRATCH/in.jsonl"
  head -c 60 "$ROOT/tests/data/priors/dense.prior" >"$SCRATCH/cut.prior"
  try bcp report "$SCRATCH/in.jsonl" --prior "$SCRATCH/cut.prior"
  expect_status 1
  expect_one_sentence
  expect_output 'cut\.prior'
  [ ! -e "$SCRATCH/in.html" ] || flunk "a page was written"
}

Report.ReplacesAPageOnlyWithForce() {
  result 0 "$car" >"$SCRATCH/in.jsonl"
  printf 'mine' >"$SCRATCH/in.html"
  try bcp report "$SCRATCH/in.jsonl"
  expect_status 1
  expect_one_sentence
  expect_output 'already exists: add --force'
  [ "$(cat "$SCRATCH/in.html")" = mine ] || flunk "the page was replaced"
  try bcp report "$SCRATCH/in.jsonl" --force
  expect_status 0
  grep -q '<!doctype html>' "$SCRATCH/in.html" || flunk "the page was not replaced"
}

Report.NeverReplacesItsInput() {
  result 0 "$car" >"$SCRATCH/in.jsonl"
  cp "$SCRATCH/in.jsonl" "$SCRATCH/before"
  try bcp report "$SCRATCH/in.jsonl" --out "$SCRATCH/in.jsonl" --force
  expect_status 1
  expect_one_sentence
  cmp -s "$SCRATCH/before" "$SCRATCH/in.jsonl" || flunk "the results were replaced"
}

Report.SaysWhereItCannotWrite() {
  result 0 "$car" >"$SCRATCH/in.jsonl"
  try bcp report "$SCRATCH/in.jsonl" --out "$SCRATCH/missing/in.html"
  expect_status 1
  expect_one_sentence
  expect_output 'missing'
  try bcp report "$SCRATCH/in.jsonl" --out /dev/null --force
  expect_status 1
  expect_output 'not a regular file'
  [ -c /dev/null ] || flunk "a device was replaced"
}

# Text in a page must not end the script that contains it.
Report.ChartsAreSafeInAPage() {
  ! grep -qiE '</script|<!--' "$ROOT"/tools/gst-bcp/html/third_party/echarts/* "$ROOT"/tools/gst-bcp/{html,*/page}/*.js || flunk "a script would end early"
  local wanted
  wanted=$(grep -oE '[0-9a-f]{64}' "$ROOT/tools/gst-bcp/html/third_party/README.md")
  sha256sum --check --status <<<"$wanted  $ROOT/tools/gst-bcp/html/third_party/echarts/echarts.min.js" || flunk "the charts are not those the README names"
}
