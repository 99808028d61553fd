# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# RTSP in and out: bcp-rtsp-server, and pipelines/rtsp.sh on a camera that another one of it plays.
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"
# shellcheck source=tests/common/rtsp.bash
. "$ROOT/tests/common/rtsp.bash"

export GST_BCP_BUILD=$BUILD
# Watches $1 for some frames.
watch() { try gst-launch-1.0 -v rtspsrc "location=$1" protocols=tcp latency=200 ! decodebin ! fakesink silent=false num-buffers=15; }

# The frames that were watched are the camera's, ten a second by their own time, and none was left out between them.
expect_every_frame() {
  grep -o 'last-message = chain .* pts: [0-9:.]*' <<<"$output" | sed 's/.* pts: //' | awk -F: '
    { time = $1 * 3600 + $2 * 60 + $3; if (NR == 1) first = time }
    END { if (NR != 15 || time - first > 2) { print NR " frames in " time - first " s"; exit 1 } }' || flunk "frames are missing: $output"
}

Rtsp.ServesAPipelineToSeveral() {
  camera
  watch "$address"
  expect_status 0
  watch "$address"
  expect_status 0
}

Rtsp.ServesACameraWithItsLabels() {
  camera
  serve in_fresh_environment "$ROOT/pipelines/rtsp.sh" "$address" 0 'person, dog'
  watch "$address"
  expect_status 0
  expect_every_frame
  grep -q '^\$ bcp-rtsp-server .*bcptagger' "$log" || flunk "the line was not shown: $(cat "$log")"
}

# No viewer keeps a connection without data.
Rtsp.DisconnectsItsViewersWhenThePipelineFails() {
  serve "$server" --port 0 -- videotestsrc is-live=true ! identity error-after=20 ! x264enc tune=zerolatency ! rtph264pay name=pay0
  try gst-launch-1.0 -q rtspsrc "location=$address" protocols=tcp latency=200 ! decodebin ! fakesink
  grep -q '^bcp-rtsp-server: the pipeline failed: identity' "$log" || flunk "it says nothing of it: $(cat "$log")"
  kill -0 "$serving" || flunk "the server ended"
}

Rtsp.EndsWithoutErrorsOnASignal() {
  camera
  kill -TERM "${processes[0]}"
  wait "${processes[0]}" || flunk "exit code $?"
}

Rtsp.ReportsErrorsBeforeTheFirstConnection() {
  try "$server" --port 0 -- videotestsrc ! nosuchelement name=pay0
  expect_status 1
  expect_output 'bcp-rtsp-server: the pipeline cannot be made: .*nosuchelement'
  try "$server" --port 0 -- videotestsrc ! fakesink
  expect_status 1
  expect_output 'has the name pay0'
  try "$server"
  expect_status 2
}

Rtsp.SaysThatThePortIsTaken() {
  camera
  try "$server" --port "$(port_of_address)" -- videotestsrc ! rtpvrawpay name=pay0
  expect_status 1
  expect_output 'cannot listen on 127\.0\.0\.1:[0-9]+'
}
