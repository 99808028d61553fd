# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp run on what comes over a network: cameras (RTSP) and web servers.
set -euo pipefail
# shellcheck source=tests/tools/run.bash
. "${ROOT:?}/tests/tools/run.bash"
# shellcheck source=tests/common/rtsp.bash
. "$ROOT/tests/common/rtsp.bash"

# Runs gst-bcp run in the background with the rest, waits until $1 has $2 lines, and interrupts it.
run_until() {
  local file=$1 lines=$2 run status=0
  shift 2
  start_run "$@" >run.out 2>run.err
  processes+=("$run")
  wait_until "$run" has_lines "$file" "$lines"
  kill -INT "$run"
  wait "$run" || status=$?
  [ "$status" -eq 130 ] || flunk "exit code $status: $(cat run.err)"
}

RunLive.FollowsACameraUntilASignal() {
  camera
  run_until made.jsonl 15 "$address" --jsonl made.jsonl --out made.mp4
  grep -qF '"source":"camera-1"' made.jsonl || flunk "$(head -1 made.jsonl)"
  ! grep -q 127.0.0.1 made.jsonl || flunk "the address is in the results: $(head -1 made.jsonl)"
  expect_no_parts
  discover made.mp4
  expect_output 'video #.*H\.264'
}

RunLive.FollowsSeveralCamerasAndAFileIntoOneFile() {
  local first second
  camera
  first=$address
  camera
  second=$address
  make_video a.mp4 5
  run_until made.jsonl 40 "door=$first" "$second" a.mp4 --jsonl made.jsonl
  /usr/bin/python3 - door camera-1 <<'PYTHON'
import collections, json, sys
count = collections.Counter(json.loads(line)["source"] for line in open("made.jsonl"))
assert count["a.mp4"] == 5 and count[sys.argv[1]] > 2 and count[sys.argv[2]] > 2, count
PYTHON
}

RunLive.KeepsWhatItMadeOfACameraThatItGivesUp() {
  local run status=0
  camera
  start_run -q "$address" --retry-for 0 --jsonl made.jsonl --out made.mp4 2>run.err
  wait_until "$run" has_lines made.jsonl 5
  kill "${processes[0]}"
  wait "$run" || status=$?
  [ "$status" -eq 1 ] || flunk "exit code $status: $(cat run.err)"
  grep -q "^gst-bcp: $address .*: check " run.err || flunk "$(cat run.err)"
  expect_no_parts
  discover made.mp4
  expect_output 'video #.*H\.264'
}

RunLive.ReadsAVideoFromAWebServer() {
  local port
  make_video a.mp4 7
  web_server .
  mkdir out
  bcp_run -q "http://127.0.0.1:$port/a.mp4" --jsonl made.jsonl --out out/
  [ "$(wc -l <made.jsonl)" -eq 7 ] || flunk "$(wc -l <made.jsonl) results"
  [ "$(ls out)" = "127.0.0.1-$port-a.mp4" ] || flunk "made: $(ls out)"
  try bcp_run "http://127.0.0.1:$port/none.mp4"
  expect_status 1
  expect_output 'none\.mp4 cannot be reached'
}

# Paced by the clock, files are live inputs too, and have an end to wait for.
RunLive.FailsWhenTheDiskIsFullForSeveralInputs() {
  make_video a.mp4 5
  make_video b.mp4 5
  try bcp_run -q --live a.mp4 b.mp4 --jsonl /dev/full
  expect_status 1
  expect_one_sentence
  expect_output '^gst-bcp: /dev/full cannot be written to: the disk is full; free some space'
}

# As on a disk that fills up, and has room again when something is deleted: a limit on the size of files.
RunLive.KeepsWholeLinesWhenTheDiskIsFull() {
  local run status=0
  camera
  make_video a.mp4 60
  (
    trap '' XFSZ
    ulimit -f 8
    exec "$BUILD/tools/gst-bcp/gst-bcp" run --model "$toy" --decision softmax -q "$address" a.mp4 --jsonl made.jsonl 2>run.err
  ) &
  run=$!
  processes+=("$run")
  wait_until "$run" grep -q 'made\.jsonl cannot be written to' run.err
  kill -INT "$run"
  wait "$run" || status=$?
  [ "$status" -eq 130 ] || flunk "exit code $status: $(cat run.err)"
  [ "$(grep -c '^gst-bcp: ' run.err)" -eq 1 ] || flunk "$(cat run.err)"
  /usr/bin/python3 -c 'import json; assert len([json.loads(line) for line in open("made.jsonl")]) > 5'
}

RunLive.EndsWhenTheOutputOfSeveralInputsIsClosed() {
  local status=0
  camera
  make_video a.mp4 5
  bcp_run -q "$address" a.mp4 --jsonl - 2>run.err | head -2 >first || status=$?
  [ "$status" -ne 0 ] || flunk "it succeeded: $(cat run.err)"
  [ "$(wc -l <first)" -eq 2 ] || flunk "$(cat first)"
}

source_lines() { grep -cF "\"source\":\"$1\"" made.jsonl; }
has_source_lines() { [ -e made.jsonl ] && [ "$(source_lines "$1")" -ge "$2" ]; }

# A video in $1 of 400 frames whose thumbnails take long: each is decoded from the only whole picture, at the beginning.
long_video() {
  gst-launch-1.0 -q videotestsrc num-buffers=400 ! video/x-raw,width=320,height=180,framerate=10/1 \
    ! x264enc speed-preset=ultrafast key-int-max=10000 ! h264parse ! mp4mux ! filesink location="$1"
}

RunLive.FollowsACameraWhileAReportIsMade() {
  local run known status=0
  mkdir pages
  camera
  long_video a.mp4
  start_run -q "$address" a.mp4 --jsonl made.jsonl --report pages/ 2>run.err
  processes+=("$run")
  wait_until "$run" has_source_lines a.mp4 400
  known=$(source_lines camera-1) || true  # 0 lines are a failure of grep
  wait_until "$run" has_source_lines camera-1 $((known + 10))
  [ ! -e pages/a.html ] || flunk "the report was there before the camera went on"
  wait_until "$run" test -e pages/a.html
  kill -INT "$run"
  wait "$run" || status=$?
  [ "$status" -eq 130 ] || flunk "exit code $status: $(cat run.err)"
  [ "$(find pages -name '*.html' | wc -l)" -eq 2 ] || flunk "made: $(ls pages)"
  expect_no_parts
}

RunLive.DropsAReportThatIsStopped() {
  local run status=0
  long_video a.mp4
  start_run -q a.mp4 --report page.html 2>run.err
  processes+=("$run")
  wait_until "$run" has_lines .page.html.part.jsonl 400
  kill -INT "$run"
  sleep 0.5  # sooner it would be one signal
  kill -INT "$run"
  wait "$run" || status=$?
  [ "$status" -eq 130 ] || flunk "exit code $status: $(cat run.err)"
  [ ! -e page.html ] || flunk "the report was made"
  expect_no_parts
}
