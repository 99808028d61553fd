# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp run on a camera that cannot be watched: each cause has a sentence, with or without a video to be written. And how
# often a camera is connected to.
set -euo pipefail
# shellcheck source=tests/tools/run.bash
. "${ROOT:?}/tests/tools/run.bash"
# shellcheck source=tests/common/rtsp.bash
. "$ROOT/tests/common/rtsp.bash"
# shellcheck source=tests/common/tls.bash
. "$ROOT/tests/common/tls.bash"

# The one sentence of gst-bcp run about the camera $1 matches $2; the rest are options. The camera is named without its
# password.
explains() {
  local camera=$1 sentence=$2 out
  shift 2
  for out in '' --out=made.mp4; do
    # shellcheck disable=SC2086  # none, or one
    try bcp_run -q "$camera" $out "$@"
    expect_status 1
    expect_one_sentence
    expect_output "^gst-bcp: rtsps?://(me:\*\*\*@)?[^ ]+ .*$sentence"
    expect_no_output 'geheim'
    expect_no_parts
  done
}

RunCameraFaults.NameAHostThatIsUnknown() {
  explains rtsp://me:geheim@nowhere.invalid/1 'cannot be reached: no host is called nowhere\.invalid; check its spelling'
}

RunCameraFaults.NameAPortThatIsClosed() {
  explains rtsps://me:geheim@127.0.0.1:1/1 'cannot be reached: 127\.0\.0\.1 refuses connections to port 1; check the port'
}

RunCameraFaults.NameAUserThatIsRefused() {
  echo geheim >password
  camera_with --port 0 --user me --password-file password
  explains "${address/:\/\//://me:geheim-wrong@}" 'rejects the user name or password: check them in the address'
}

RunCameraFaults.NameAPathThatIsNotThere() {
  camera
  explains "${address%/camera}/nothing" 'the camera has no stream /nothing; check the path'
}

# Some servers say so of a path that they do not have.
RunCameraFaults.NameTheAnswerOfACamera() {
  /usr/bin/python3 -u - >answers.log 2>&1 <<'PYTHON' &
import re, socketserver

class Camera(socketserver.StreamRequestHandler):
    def handle(self):
        head = b""
        while line := self.rfile.readline():
            head += line
            if line.strip():
                continue
            number = re.search(rb"(?i)cseq: *(\d+)", head).group(1)
            status = b"200 OK" if head.startswith(b"OPTIONS") else b"400 Bad Request"
            self.wfile.write(b"RTSP/1.0 " + status + b"\r\nCSeq: " + number + b"\r\nPublic: OPTIONS, DESCRIBE, SETUP, PLAY\r\n\r\n")
            head = b""

server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Camera)
print(server.server_address[1])
server.serve_forever()
PYTHON
  processes+=($!)
  wait_until "${processes[-1]}" has_lines answers.log 1
  explains "rtsp://me:geheim@127.0.0.1:$(head -1 answers.log)/1" 'the camera answers Bad Request \(400\); check the path'
}

RunCameraFaults.NameAPortWithoutTls() {
  camera
  explains "${address/rtsp:/rtsps:}" 'does not speak TLS; write rtsp:// instead of rtsps://'
}

RunCameraFaults.NameAPortWithTls() {
  make_self_signed camera
  camera_with --port 0 --tls-cert camera.pem --tls-key camera.key
  explains "${address/rtsps:/rtsp:}" 'gives no RTSP answer; check the port, and whether the camera wants rtsp:// or rtsps://'
}

RunCameraFaults.NameWhatIsWrongWithACertificate() {
  make_authority authority
  make_authority stranger
  make_signed untrusted stranger
  make_signed expired authority '' expired
  make_signed elsewhere authority DNS:elsewhere.example
  local certificate sentence
  while IFS='|' read -r certificate sentence; do
    camera_with --port 0 --tls-cert "$certificate.pem" --tls-key "$certificate.key"
    explains "$address" "$sentence.*--tls-fingerprint $(fingerprint_of "$certificate")" --tls-ca authority.pem
  done <<'END'
untrusted|no trusted authority has signed its certificate
expired|its certificate expired on 20[0-9-]+; renew it
elsewhere|its certificate is for elsewhere\.example, not for 127\.0\.0\.1; write one of these names
END
}

RunCameraFaults.NameASessionWithoutVideo() {
  serve "$server" --port 0 --path /camera -- audiotestsrc is-live=true ! audio/x-raw,rate=8000 ! alawenc ! rtppcmapay name=pay0
  explains "$address" 'its session has no video stream; check the path'
}

# A server whose queue of connections is full does not answer at all, as a machine that is off.
RunCameraFaults.NameAHostThatDoesNotAnswer() {
  local port
  /usr/bin/python3 -u - >silent.log <<'PYTHON' &
import socket, time
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(0)
held = []
for _ in range(4):
    client = socket.socket()
    client.setblocking(False)
    client.connect_ex(server.getsockname())
    held.append(client)
print(server.getsockname()[1])
time.sleep(600)
PYTHON
  processes+=($!)
  wait_until "${processes[-1]}" has_lines silent.log 1
  port=$(cat silent.log)
  explains "rtsp://me:geheim@127.0.0.1:$port/1" "cannot be reached: 127\.0\.0\.1 does not answer on port $port; check that the camera is on"
}

# Counts the connections to the last server; $address goes through it.
counting_network() {
  /usr/bin/python3 -u - "$(port_of_address)" >count.log 2>&1 <<'PYTHON' &
import asyncio, sys

async def copy(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    writer.close()

async def serve(reader, writer):
    print("connection")
    far_reader, far_writer = await asyncio.open_connection("127.0.0.1", int(sys.argv[1]))
    await asyncio.gather(copy(reader, far_writer), copy(far_reader, writer))

async def main():
    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    print("port", listener.sockets[0].getsockname()[1])
    await listener.serve_forever()

asyncio.run(main())
PYTHON
  processes+=($!)
  wait_until "${processes[-1]}" grep -q '^port' count.log
  address=${address/:$(port_of_address)/:$(sed -n 's/^port //p' count.log)}
}

# Runs with the rest until $1 results have come, and counts the connections.
expect_one_connection() {
  local results=$1 run status=0
  shift
  start_run "$address" --jsonl made.jsonl "$@" >run.out 2>run.err
  processes+=("$run")
  wait_until "$run" has_lines made.jsonl "$results"
  kill -INT "$run"
  wait "$run" || status=$?
  [ "$status" -eq 130 ] || flunk "exit code $status: $(cat run.err)"
  [ "$(grep -c '^connection' count.log)" -eq 1 ] || flunk "$(grep -c '^connection' count.log) connections: $(cat run.err)"
}

# What an ONVIF camera serves: video, sound, and metadata that no element decodes.
onvif_camera() {
  serve "$server" --port 0 --path /camera "$@" -- "videotestsrc is-live=true ! video/x-raw,width=160,height=120,framerate=10/1 ! x264enc tune=zerolatency ! rtph264pay name=pay0 audiotestsrc is-live=true ! audio/x-raw,rate=8000 ! alawenc ! rtppcmapay name=pay1 pt=97 fakesrc is-live=true do-timestamp=true sizetype=fixed sizemax=100 datarate=1000 ! application/x-onvif-metadata ! rtpgstpay name=pay2 pt=98"
}

RunCameraConnections.AreOneWithoutAVideo() {
  onvif_camera
  counting_network
  expect_one_connection 5
}

RunCameraConnections.AreOneWithAVideo() {
  size=width=322,height=182 camera
  counting_network
  expect_one_connection 10 --out made.mp4
  try env LC_ALL=C gst-discoverer-1.0 -v made.mp4
  expect_output 'Width: 322'
  expect_output 'Height: 182'
  expect_no_output 'audio #'
}

RunCameraConnections.AreOneWithSoundOverTls() {
  make_self_signed camera
  onvif_camera --tls-cert camera.pem --tls-key camera.key
  counting_network
  expect_one_connection 20 --out made.mkv --tls-fingerprint "$(fingerprint_of camera)"
  discover made.mkv
  expect_output 'video #.*H\.264'
  expect_output 'audio #.*Opus'
}
