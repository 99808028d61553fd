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

RunLive.FollowsACameraUntilItIsToldToStop() {
  camera
  run_until made.jsonl 15 "$address" --jsonl made.jsonl --out made.mp4
  grep -qF "\"source\":\"$address\"" made.jsonl || flunk "$(head -1 made.jsonl)"
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
  run_until made.jsonl 40 "$first" "$second" a.mp4 --jsonl made.jsonl
  /usr/bin/python3 - "$first" "$second" <<'PYTHON'
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
  /usr/bin/python3 -u -m http.server 0 --bind 127.0.0.1 >server.log 2>&1 &
  processes+=($!)
  wait_until "${processes[0]}" grep -q 'port [0-9]' server.log
  port=$(sed -n 's/.*port \([0-9]*\).*/\1/p' server.log | head -1)
  mkdir out
  bcp_run -q "http://127.0.0.1:$port/a.mp4" --jsonl made.jsonl --out out/
  [ "$(wc -l <made.jsonl)" -eq 7 ] || flunk "$(wc -l <made.jsonl) results"
  [ "$(ls out)" = "127.0.0.1-$port-a.mp4" ] || flunk "made: $(ls out)"
  try bcp_run "http://127.0.0.1:$port/none.mp4"
  expect_status 1
  expect_output 'none\.mp4 cannot be reached'
}
