# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp run on a camera that disconnects and comes back. tests/bench/reconnect.py measures how fast.
set -euo pipefail
# shellcheck source=tests/tools/run.bash
. "${ROOT:?}/tests/tools/run.bash"
# shellcheck source=tests/common/rtsp.bash
. "$ROOT/tests/common/rtsp.bash"

# Starts gst-bcp run in the background; what it says is in run.err.
begin() {
  start_run "$@" >run.out 2>run.err
  processes+=("$run")
}

# Waits until so many more results have come than there are now.
more_results() {
  local known=0
  if [ -e made.jsonl ]; then known=$(wc -l <made.jsonl); fi
  wait_until "$run" has_lines made.jsonl $((known + $1))
}

# Waits until it has said so many lines that match.
said() { [ "$(grep -cE -- "$1" run.err)" -ge "$2" ]; }

interrupt() {
  local status=0
  kill -INT "$run"
  wait "$run" || status=$?
  [ "$status" -eq 130 ] || flunk "exit code $status: $(cat run.err)"
  expect_no_parts
}

# One stream: time goes on, and nothing that was learnt is lost.
expect_one_stream() {
  /usr/bin/python3 - <<'PYTHON'
import json
results = [json.loads(line) for line in open("made.jsonl")]
for before, after in zip(results, results[1:]):
    assert after["pts"] > before["pts"], (before["pts"], after["pts"])
    assert after["samples"] >= before["samples"], (before["samples"], after["samples"])
PYTHON
}

# The proxy in front of the last server; its address is $address, and it takes commands on descriptor 7.
network() {
  mkfifo commands
  /usr/bin/python3 "$ROOT/tests/common/rtsp_proxy.py" "$(port_of_address)" <commands >network.log 2>&1 &
  processes+=($!)
  exec 7>commands
  wait_until "${processes[-1]}" grep -q '[0-9]' network.log
  address=rtsp://127.0.0.1:$(head -1 network.log)/camera
}

RunReconnect.GoesOnWhenACameraRestarts() {
  local port run
  camera
  port=$(port_of_address)
  begin "$address" --jsonl made.jsonl --out made.mp4
  more_results 5
  kill_camera
  wait_until "$run" said 'is lost \(.*\); connecting again in' 1
  camera_with --port "$port"
  more_results 5
  kill_camera
  size=width=320,height=180 camera_with --port "$port"
  more_results 5
  said 'is back after [0-9.]+ s' 2 || flunk "$(cat run.err)"
  interrupt
  expect_one_stream
  try gst-launch-1.0 -q filesrc location=made.mp4 ! decodebin ! fakesink
  expect_status 0
  try env LC_ALL=C gst-discoverer-1.0 -v made.mp4
  expect_output 'Width: 160'
}

RunReconnect.ClosesAConnectionWithoutData() {
  local run
  camera
  network
  begin "$address" --jsonl made.jsonl
  more_results 5
  echo hole >&7
  wait_until "$run" said 'is lost \(nothing comes from it\)' 1
  echo pass >&7
  more_results 5
  interrupt
  expect_one_stream
}

# After it many packets come at once, and their times are not in order.
RunReconnect.SurvivesAStall() {
  local run
  camera
  network
  begin "$address" --jsonl made.jsonl --out made.mp4
  more_results 5
  echo stall >&7
  wait_until "$run" said 'is lost \(nothing comes from it\)' 1
  echo pass >&7
  more_results 5
  echo 'lose 30' >&7
  more_results 20
  interrupt
  expect_one_stream
  discover made.mp4
}

RunReconnect.FillsTheSoundOfACameraThatComesBackWithout() {
  local port run
  local video='videotestsrc is-live=true ! video/x-raw,width=160,height=120,framerate=10/1 ! x264enc tune=zerolatency ! rtph264pay name=pay0'
  serve "$server" --port 0 --path /camera -- "$video audiotestsrc is-live=true ! audio/x-raw,rate=8000 ! alawenc ! rtppcmapay name=pay1 pt=97"
  port=$(port_of_address)
  begin "$address" --jsonl made.jsonl --out made.mkv
  more_results 5
  kill_camera
  serve "$server" --port "$port" --path /camera -- "$video"
  more_results 20
  interrupt
  discover made.mkv
  expect_output 'video #.*H\.264'
  expect_output 'audio #.*Opus'
  gst-launch-1.0 -q filesrc location=made.mkv ! matroskademux name=demux demux.audio_0 ! queue ! filesink location=sound.bin \
    demux.video_0 ! queue ! fakesink
  [ -s sound.bin ] || flunk "there is no sound in the video"
}

# A camera that sends pictures over HTTP; $1 is its port, 0 a free one, which is in $port then, $2 how many it sends.
http_camera() {
  rm -f http.log
  if [ ! -e picture0.jpg ]; then
    gst-launch-1.0 -q videotestsrc num-buffers=10 pattern=ball ! video/x-raw,format=I420,width=160,height=120 ! jpegenc \
      ! multifilesink location=picture%d.jpg
  fi
  /usr/bin/python3 "$ROOT/tests/tools/http_camera.py" "$1" "${2:-0}" picture*.jpg >http.log 2>&1 &
  serving=$!
  processes+=("$serving")
  wait_until "$serving" grep -q '^[0-9]' http.log
  port=$(head -1 http.log)
}

# Its pictures have no times, and GStreamer does not know that its source is live.
RunReconnect.GoesOnWhenAnHttpCameraRestarts() {
  local port run
  http_camera 0
  begin --live "http://127.0.0.1:$port/" --jsonl made.jsonl --out made.mp4
  more_results 10
  kill_camera
  wait_until "$run" said 'is lost' 1
  sleep 2  # connections are refused meanwhile
  http_camera "$port"
  more_results 10
  interrupt
  expect_one_stream
  discover made.mp4
  expect_output 'Duration: 0:00:0[3-9]'
}

RunReconnect.NoticesAStreamThatEndsWithItsFirstPictures() {
  local port run
  http_camera 0 3
  begin --live "http://127.0.0.1:$port/" --jsonl made.jsonl
  wait_until "$run" said 'is lost' 3
  interrupt
  ! said 'nothing comes from it' 1 || flunk "$(cat run.err)"
}

RunReconnect.EndsAtOnceWhileACameraIsGone() {
  local run
  camera
  begin "$address" --jsonl made.jsonl --out made.mp4
  more_results 5
  kill_camera
  wait_until "$run" said 'is lost' 1
  interrupt
  discover made.mp4
  expect_output 'video #.*H\.264'
}

RunReconnect.WaitsForACameraThatIsUnreachableAtStart() {
  local port run
  camera
  port=$(port_of_address)
  kill_camera
  try bcp_run -q "$address"
  expect_status 1
  expect_output 'cannot be reached'
  begin "$address" --wait --jsonl made.jsonl --out made.mp4
  wait_until "$run" said 'cannot be reached: .*; waiting for it' 1
  camera_with --port "$port"
  more_results 3
  interrupt
  rm made.*
  kill_camera
  begin "$address" --wait --jsonl made.jsonl
  wait_until "$run" said 'is not there yet' 1
  camera_with --port "$port"
  more_results 3
  interrupt
}

# A camera that is starting: it resets every second connection, and does not answer on the others.
dazed_camera() {
  /usr/bin/python3 -u - >dazed.log 2>&1 <<'PYTHON' &
import itertools, socket
server, held = socket.create_server(("127.0.0.1", 0)), []
print(server.getsockname()[1])
for count in itertools.count():
    client, _ = server.accept()
    if count % 2 == 0:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        client.close()
    else:
        print("held")
        held.append(client)
PYTHON
  processes+=($!)
  wait_until "${processes[-1]}" grep -q '^[0-9]' dazed.log
  dazed=rtsp://127.0.0.1:$(head -1 dazed.log)/camera
}

# It is probed before its video begins, and a second connection finds out why it fails.
RunReconnect.EndsAtOnceWhileACameraIsProbed() {
  local run dazed began
  mkdir videos
  camera
  dazed_camera
  begin "$address" "$dazed" --wait --jsonl made.jsonl --out videos/
  more_results 5
  wait_until "$run" grep -q held dazed.log
  began=$(date +%s%3N)
  interrupt
  began=$(($(date +%s%3N) - began))
  [ "$began" -lt 2500 ] || flunk "it took $began ms: $(cat run.err)"
}

RunReconnect.ReportsACameraThatRejectsTheUser() {
  local password='hu@s/h%41:#?' run
  printf '%s\n' "$password" >password
  camera_with --port 0 --user me --password-file password
  local place=${address#rtsp://} option
  for option in --quiet --wait '--wait --out=made.mp4' '--retry-for=5 --verbose'; do
    # shellcheck disable=SC2086  # several options
    try bcp_run "rtsp://me:wr@ng/hush@$place" $option
    expect_status 1
    expect_output "rtsp://me:\*\*\*@$place rejects the user name or password"
    expect_no_output 'hush'
  done
  begin "rtsp://me:${password/\%/%25}@$place" --jsonl made.jsonl
  more_results 3
  interrupt
  ! grep -rqF 'hu@s' run.err run.out made.jsonl || flunk "the password is in what was written"
}
