# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp run: the files it writes, their folders, and other runs with the same outputs.
set -euo pipefail
# shellcheck source=tests/tools/run.bash
. "${ROOT:?}/tests/tools/run.bash"

RunFiles.AreMadeByOneRunAtATime() {
  local run
  make_video a.mp4 60  # six seconds, for all that follows
  start_run -q --live a.mp4 --out made.mp4 --jsonl made.jsonl --report made.html
  wait_until "$run" test -s made.jsonl
  try bcp_run a.mp4 --out made.mp4
  expect_status 1
  expect_one_sentence
  expect_output '^gst-bcp: made\.mp4 is being written by another gst-bcp run: wait for it, or choose another name'
  try bcp_run a.mp4 --out made.mp4 --force
  expect_status 1
  expect_output 'made\.mp4 is being written by another'
  try bcp_run a.mp4 --report made.html
  expect_status 1
  expect_output 'made\.html is being written by another'
  try bcp_run a.mp4 --jsonl made.jsonl --force
  expect_status 1
  expect_output 'made\.jsonl is being written by another'
  wait "$run" || flunk "the first run failed"
  expect_only 'a.mp4 made.html made.jsonl made.mp4'
  discover made.mp4
  expect_output 'Duration: 0:00:06\.0'
  [ "$(wc -l <made.jsonl)" -gt 0 ] || flunk "there are no results"
}

RunFiles.OfAKilledRunBlockNoOtherRun() {
  local run
  make_video a.mp4 30
  start_run -q --live a.mp4 --out made.mp4 --jsonl made.jsonl
  wait_until "$run" test -s made.jsonl
  kill -KILL "$run"
  wait "$run" || true
  rm made.jsonl
  bcp_run -q a.mp4 --out made.mp4 --jsonl made.jsonl
  expect_only 'a.mp4 made.jsonl made.mp4'
}

RunFiles.OfPicturesAreMadeByOneRunAtATime() {
  local i codes=0 code run other
  mkdir in
  for i in 1 2 3 4 5 6; do cp "$photograph" "in/$i.jpg"; done
  start_run -q in --out out/ 2>first.txt
  other=$run
  start_run -q in --out out/ 2>second.txt
  for i in "$other" "$run"; do
    code=0
    wait "$i" || code=$?
    codes=$((codes * 10 + code))
  done
  [ "$codes" -eq 1 ] || [ "$codes" -eq 10 ] || flunk "exit codes $codes: $(cat first.txt second.txt)"
  cat first.txt second.txt >both.txt
  [ "$(grep -cE '^gst-bcp: out/[1-6]\.jpg (already exists|is being written)' both.txt)" -eq 1 ] || flunk "$(cat both.txt)"
  [ "$(find out -name '*.jpg' | wc -l)" -eq 6 ] || flunk "made: $(ls out)"
  expect_no_parts
}

RunFiles.GoToAFolderThatIsCreated() {
  mkdir in
  make_video in/a.mp4 2
  make_video in/b.mp4 2
  cp "$photograph" in/c.jpg
  bcp_run -q in --out out/deep/ --report pages/
  [ "$(ls out/deep)" = $'a.mp4\nb.mp4\nc.jpg' ] || flunk "made: $(ls out/deep)"
  [ "$(ls pages)" = $'a.html\nb.html\npictures.html' ] || flunk "made: $(ls pages)"
}

RunFiles.LeaveNoFolderWithoutAFile() {
  make_video a.mp4 2
  cp "$photograph" b.jpg
  try bcp run --model /nonexistent a.mp4 b.jpg --out out/deep/ --report pages/
  expect_status 1
  [ ! -e out ] || flunk "left behind: $(find out)"
  [ ! -e pages ] || flunk "left behind: $(find pages)"
  try bcp_run --print a.mp4 --out out/
  expect_status 0
  [ ! -e out ] || flunk "--print made a folder"
}

RunFiles.AreNamedInTheSummary() {
  mkdir in
  make_video in/a.mp4 2
  cp "$photograph" in/b.jpg
  cp "$photograph" in/c.jpg
  bcp_run in --out out/ --report pages/ --jsonl all.jsonl >out.txt 2>/dev/null
  [ "$(grep '^wrote' out.txt | sort)" = \
    $'wrote 2 pictures to out/\nwrote all.jsonl\nwrote out/a.mp4\nwrote pages/a.html\nwrote pages/pictures.html' ] || flunk "$(cat out.txt)"
  bcp_run in/a.mp4 --out made.mp4 --jsonl - >out.txt 2>err.txt
  grep -qx 'wrote made\.mp4' err.txt || flunk "$(cat err.txt)"
  ! grep -q wrote out.txt || flunk "among the results: $(cat out.txt)"
  try bcp_run -q in/b.jpg --out made.png
  [ -z "$output" ] || flunk "quiet said: $output"
  try bcp_run in/b.jpg --out made.png --force
  expect_output '^wrote made\.png$'
}
