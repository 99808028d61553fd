# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# RTSP in and out: bcp-rtsp-server, and pipelines/rtsp.sh on a camera that another one of it plays.
set -euo pipefail
# shellcheck source=tests/pipelines/support.bash
. "${ROOT:?}/tests/pipelines/support.bash"

export GST_BCP_BUILD=$BUILD
server=$BUILD/pipelines/rtsp/bcp-rtsp-server
servers=()
trap 'kill "${servers[@]}" 2>/dev/null || true' EXIT

# Starts a command that prints an rtsp:// address, in the background, and waits for it: the address is in $address.
serve() {
  local log=$SCRATCH/server${#servers[@]}.log
  "$@" >"$log" 2>&1 &
  servers+=($!)
  until grep -q '^rtsp://' "$log"; do
    kill -0 "${servers[-1]}" 2>/dev/null || flunk "the server ended: $(cat "$log")"
    sleep 0.1
  done
  address=$(grep -m1 '^rtsp://' "$log")
}

camera() {
  serve "$server" --port 0 --path /camera -- videotestsrc is-live=true pattern=ball ! video/x-raw,width=320,height=240,framerate=15/1 \
    ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=15 ! rtph264pay name=pay0
}

# Watches $1 for some frames.
watch() { try gst-launch-1.0 -q rtspsrc "location=$1" protocols=tcp ! decodebin ! fakesink num-buffers=15; }

Rtsp.ServesAPipelineToSeveral() {
  camera
  watch "$address" && expect_status 0
  watch "$address" && expect_status 0
}

Rtsp.ServesACameraWithItsLabels() {
  camera
  serve in_fresh_environment "$ROOT/pipelines/rtsp.sh" "$address" 0 'person, dog'
  watch "$address"
  expect_status 0
  grep -q '^\$ bcp-rtsp-server .*bcptagger' "$SCRATCH/server1.log" || flunk "the line was not shown: $(cat "$SCRATCH/server1.log")"
}

Rtsp.EndsQuietlyWhenItIsTold() {
  camera
  kill -TERM "${servers[0]}"
  wait "${servers[0]}" || flunk "exit code $?"
}

Rtsp.SaysWhatIsWrongBeforeAnybodyConnects() {
  try "$server" --port 0 -- videotestsrc ! nosuchelement name=pay0
  expect_status 1
  expect_output 'bcp-rtsp-server: the pipeline cannot be made: .*nosuchelement'
  try "$server" --port 0 -- videotestsrc ! fakesink
  expect_status 1
  expect_output 'called pay0'
  try "$server"
  expect_status 2
}

Rtsp.SaysThatThePortIsTaken() {
  local port
  camera
  port=${address#rtsp://*:}
  try "$server" --port "${port%%/*}" -- videotestsrc ! rtpvrawpay name=pay0
  expect_status 1
  expect_output 'cannot listen on 127\.0\.0\.1:[0-9]+'
}
