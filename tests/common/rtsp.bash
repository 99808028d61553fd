# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# RTSP servers for a case, which end with it; if it fails, their output is shown.
: "${BUILD:?}" "${SCRATCH:?}"

server=$BUILD/tools/rtsp-server/bcp-rtsp-server
processes=()
trap 'end_servers $?' EXIT

end_servers() {
  local failed=$1 log process
  for process in "${processes[@]}"; do
    if [ "$failed" -ne 0 ] && ! kill -0 "$process" 2>/dev/null; then printf 'process %s had ended\n' "$process" >&2; fi
    kill "$process" 2>/dev/null || true
    kill -CONT "$process" 2>/dev/null || true  # a case may have stopped it
  done
  if [ "$failed" -eq 0 ]; then return 0; fi
  for log in "$SCRATCH"/server*.log; do
    if [ -s "$log" ]; then printf -- '-- %s\n%s\n' "${log##*/}" "$(cat "$log")" >&2; fi
  done
}

# A port for a server that cannot choose one: not an ephemeral one, which another process could get before the server binds it.
free_port() {
  /usr/bin/python3 - <<'PYTHON'
import random, socket
while True:
    port = random.randint(10_000, 32_000)
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", port)) != 0:
            break
print(port)
PYTHON
}

# Starts a command that prints an rtsp:// or rtsps:// address, in the background, and waits for it: the address is in $address,
# its output in $log.
serve() {
  log=$SCRATCH/server${#processes[@]}.log
  "$@" >"$log" 2>&1 &
  serving=$!
  processes+=("$serving")
  until grep -qE '^rtsps?://' "$log"; do
    kill -0 "${processes[-1]}" 2>/dev/null || flunk "the server ended: $(cat "$log")"
    sleep 0.1
  done
  # shellcheck disable=SC2034  # for the case
  address=$(grep -m1 -E '^rtsps?://' "$log")
}

# A camera that shows a ball.
camera() { camera_with --port 0; }

# The same with options of the server; $size is that of the picture.
camera_with() {
  serve "$server" --path /camera "$@" -- videotestsrc is-live=true pattern=ball ! "video/x-raw,${size:-width=160,height=120},framerate=10/1" \
    ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=10 ! rtph264pay name=pay0
}

# The port in $address.
port_of_address() {
  local rest=${address#rtsp*://*:}
  printf '%s' "${rest%%/*}"
}

# Ends the server that was started last, like a power failure.
kill_camera() {
  kill -9 "$serving"
  wait "$serving" 2>/dev/null || true
}
