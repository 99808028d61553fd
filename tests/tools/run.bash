# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shared by the tests of gst-bcp run.
# shellcheck source=tests/tools/cli.bash
. "${ROOT:?}/tests/tools/cli.bash"

# shellcheck disable=SC2034  # for the cases
clip=$ROOT/tests/data/clips/mdn_friday.mp4  # 6 s, with sound
cd "${SCRATCH:?}" || exit

# Runs gst-bcp run with the smallest model.
# By softmax: presence shows nothing with the six words of the toy.
bcp_run() { bcp run --model "$toy" --decision softmax "$@"; }

# The same in the background; its process is $run.
start_run() {
  "$BUILD/tools/gst-bcp/gst-bcp" run --model "$toy" --decision softmax "$@" &
  # shellcheck disable=SC2034  # for the cases
  run=$!
}

# A video of $2 frames (10 a second) without sound, 64x48, in $1. The rest are properties of its source.
make_video() {
  local file=$1 frames=$2
  shift 2
  gst-launch-1.0 -q videotestsrc num-buffers="$frames" "$@" ! video/x-raw,width=64,height=48,framerate=10/1 \
    ! x264enc speed-preset=ultrafast ! h264parse ! mp4mux ! filesink location="$file"
}

# What gst-discoverer-1.0 says of $1, into $output.
discover() {
  try env LC_ALL=C gst-discoverer-1.0 "$1"
  expect_status 0
}

# The results in $1 without the time of day, which no two runs share.
without_clock() { sed 's/"utc":"[^"]*"/"utc":null/' "$1"; }

# Waits until the command after the process id $1 succeeds; the process must not end before.
wait_until() {
  local process=$1
  shift
  until "$@"; do
    kill -0 "$process" 2>/dev/null || flunk "it ended too early: $*"
    sleep 0.05
  done
}

has_lines() { [ -e "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]; }

# A web server for the files in $1; its port is $port. For cases that end what is in $processes (tests/common/rtsp.bash).
web_server() {
  /usr/bin/python3 -u -m http.server 0 --bind 127.0.0.1 --directory "$1" >web.log 2>&1 &
  processes+=($!)
  wait_until "${processes[-1]}" grep -q 'port [0-9]' web.log
  # shellcheck disable=SC2034  # for the cases
  port=$(sed -n 's/.*port \([0-9]*\).*/\1/p' web.log | head -1)
}

# No incomplete file may be left behind.
expect_no_parts() {
  local parts
  parts=$(find . -name '*.part*' -o -name '.*.lock')
  [ -z "$parts" ] || flunk "parts are left behind: $parts"
}

expect_only() {
  local found
  found=$(find . -mindepth 1 -type f -printf '%P\n' | sort | tr '\n' ' ')
  [ "$found" = "$1 " ] || flunk "there is $found instead of $1"
}
