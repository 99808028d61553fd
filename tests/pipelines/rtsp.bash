# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# RTSP servers for a case, which end with it.
: "${BUILD:?}" "${SCRATCH:?}"

server=$BUILD/pipelines/rtsp/bcp-rtsp-server
processes=()
trap 'kill "${processes[@]}" 2>/dev/null || true' EXIT

# Starts a command that prints an rtsp:// address, in the background, and waits for it: the address is in $address, what it
# prints in $log.
serve() {
  log=$SCRATCH/server${#processes[@]}.log
  "$@" >"$log" 2>&1 &
  processes+=($!)
  until grep -q '^rtsp://' "$log"; do
    kill -0 "${processes[-1]}" 2>/dev/null || flunk "the server ended: $(cat "$log")"
    sleep 0.1
  done
  # shellcheck disable=SC2034  # for the case
  address=$(grep -m1 '^rtsp://' "$log")
}

# A camera that shows a ball.
camera() {
  serve "$server" --port 0 --path /camera -- videotestsrc is-live=true pattern=ball ! video/x-raw,width=160,height=120,framerate=10/1 \
    ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=10 ! rtph264pay name=pay0
}
