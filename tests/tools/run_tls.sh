# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp run on cameras and servers with TLS: which certificates are accepted, and what is said of the others.
set -euo pipefail
# shellcheck source=tests/tools/run.bash
. "${ROOT:?}/tests/tools/run.bash"
# shellcheck source=tests/common/rtsp.bash
. "$ROOT/tests/common/rtsp.bash"
# shellcheck source=tests/common/tls.bash
. "$ROOT/tests/common/tls.bash"

# A camera with the certificate $1.pem, on the port $2 (default: a free one). The rest are options of the server.
tls_camera() {
  local certificate=$1 port=${2:-0}
  shift
  if [ $# -gt 0 ]; then shift; fi
  camera_with --port "$port" --tls-cert "$certificate.pem" --tls-key "$certificate.key" "$@"
}

begin() {
  start_run "$@" >run.out 2>run.err
  processes+=("$run")
}

said() { grep -qE -- "$1" run.err; }

# Waits until so many more results have come than there are now.
more_results() {
  local known=0
  if [ -e made.jsonl ]; then known=$(wc -l <made.jsonl); fi
  wait_until "$run" has_lines made.jsonl $((known + $1))
}

interrupt() {
  local status=0
  kill -INT "$run"
  wait "$run" || status=$?
  [ "$status" -eq 130 ] || flunk "exit code $status: $(cat run.err)"
}

RunTls.WatchesACameraWhoseAuthorityIsTrusted() {
  local run
  make_authority authority
  make_signed camera authority
  tls_camera camera
  begin "$address" --tls-ca authority.pem --jsonl made.jsonl --out made.mp4
  more_results 5
  interrupt
  discover made.mp4
  expect_output 'video #.*H\.264'
}

# The option in the sentence that refuses the certificate is to be pasted; the fingerprint may be typed in other ways.
RunTls.ReportsTheOptionThatAcceptsASelfSignedCertificate() {
  local run print option
  make_self_signed camera
  tls_camera camera
  print=$(fingerprint_of camera)
  try bcp_run -q "$address"
  expect_status 1
  expect_one_sentence
  expect_output "^gst-bcp: $address is refused: no trusted authority has signed its certificate"
  expect_output "add --tls-fingerprint $print,"
  option=$(grep -oE -- '--tls-fingerprint [0-9A-F:]+' <<<"$output")
  for option in "$option" "--tls-fingerprint=$(tr -d : <<<"${print,,}")"; do
    # shellcheck disable=SC2086  # two words
    begin "$address" $option --jsonl made.jsonl
    more_results 3
    interrupt
    rm made.jsonl
  done
}

# Also one that an authority has signed: another certificate than the listed one is refused.
RunTls.AcceptsNoCertificateButTheListedOnes() {
  local run other
  make_authority authority
  make_signed camera authority
  make_signed other authority
  tls_camera camera
  other=$(fingerprint_of other)
  try bcp_run -q "$address" --tls-fingerprint "$other"
  expect_status 1
  expect_one_sentence
  expect_output "the SHA-256 fingerprint of its certificate is $(fingerprint_of camera), not $other"
  begin "$address" --tls-fingerprint "$other" --tls-fingerprint "$(fingerprint_of camera)" --jsonl made.jsonl
  more_results 3
  interrupt
}

RunTls.WarnsAtEachStartThatAnyCertificateIsAccepted() {
  local run
  make_self_signed camera DNS:elsewhere.example
  tls_camera camera
  begin "$address" --quiet --tls-insecure --jsonl made.jsonl
  more_results 3
  interrupt
  [ "$(grep -c 'warning: --tls-insecure accepts any certificate' run.err)" -eq 1 ] || flunk "$(cat run.err)"
}

RunTls.RefusesACertificateThatChangesUntilTheRightOneIsBack() {
  local run port right wrong
  make_self_signed camera
  make_self_signed other
  right=$(fingerprint_of camera)
  wrong=$(fingerprint_of other)
  tls_camera camera
  port=$(port_of_address)
  begin "$address" --tls-fingerprint "$right" --jsonl made.jsonl
  more_results 5
  kill_camera
  tls_camera other "$port"
  wait_until "$run" said "is lost \(its certificate is $wrong, not $right\); connecting again"
  sleep 3 # attempts follow, and nothing is said of them
  [ "$(grep -c "its certificate is $wrong" run.err)" -eq 1 ] || flunk "$(cat run.err)"
  kill_camera
  tls_camera camera "$port"
  more_results 5
  said 'is back after' || flunk "$(cat run.err)"
  interrupt
}

# With authorities there is no listed fingerprint: the other one is that of the certificate before.
RunTls.ReportsBothFingerprintsOfACameraThatLosesItsAuthority() {
  local run port
  make_authority authority
  make_signed camera authority
  make_self_signed other
  tls_camera camera
  port=$(port_of_address)
  begin "$address" --tls-ca authority.pem --jsonl made.jsonl
  more_results 5
  kill_camera
  tls_camera other "$port"
  wait_until "$run" said "its certificate is not trusted: $(fingerprint_of other), and was $(fingerprint_of camera)"
  interrupt
}

RunTls.SendsThePasswordAsADigestAndShowsItNowhere() {
  local run place password='gehe!m' where
  make_authority authority
  make_signed camera authority
  printf '%s\n' "$password" >password
  tls_camera camera 0 --user me --password-file password
  place=${address#rtsps://}
  GST_DEBUG='' begin "door=rtsps://me:$password@$place" --tls-ca authority.pem --jsonl made.jsonl --report page.html --metrics 0 \
    --set metrics-file=made.prom --set metrics-interval=1 --verbose
  more_results 5
  curl -s "$(sed -n 's/^metrics: //p' run.err)" >scraped.prom
  grep -q 'source="door"' scraped.prom || flunk "$(cat scraped.prom)"
  ! grep -qE "rtsps?:|127\.0\.0\.1" scraped.prom made.prom || flunk "an address is among the metrics"
  interrupt
  [ -s page.html ] || flunk "there is no report"
  for where in run.err run.out made.jsonl page.html scraped.prom made.prom; do
    ! grep -q 'gehe' "$where" || flunk "the password is in $where: $(grep -o '.\{60\}gehe.*' "$where" | head -1)"
  done
  grep -q "me:\*\*\*@$place" run.err || flunk "the camera is not named: $(cat run.err)"
  try bcp_run -q "rtsps://me:wrong-gehe@$place" --tls-ca authority.pem
  expect_status 1
  expect_one_sentence
  expect_output "^gst-bcp: rtsps://me:\*\*\*@$place rejects the user name or password: check them"
  expect_no_output 'gehe'
}

RunTls.RefusesOptionsThatMakeNoSense() {
  local camera=rtsps://127.0.0.1:1/camera good
  good=$(printf 'ab%.0s' {1..32})
  make_authority authority
  : >empty.pem
  echo nonsense >nonsense.pem
  while IFS='|' read -r sentence options; do
    # shellcheck disable=SC2086  # several words
    try bcp_run $options
    expect_status 2
    expect_one_sentence
    expect_output "$sentence"
  done <<END
--tls-ca and --tls-insecure exclude each other|$camera --tls-ca authority.pem --tls-insecure
--tls-ca and --tls-fingerprint exclude each other|$camera --tls-ca authority.pem --tls-fingerprint $good
--tls-fingerprint and --tls-insecure exclude each other|$camera --tls-insecure --tls-fingerprint $good
is not the SHA-256 of a certificate: give 64 hexadecimal digits|$camera --tls-fingerprint ${good:2}
is not the SHA-256 of a certificate|$camera --tls-fingerprint ${good}00
is not the SHA-256 of a certificate|$camera --tls-fingerprint x${good:1}
is not the SHA-256 of a certificate|$camera --tls-fingerprint a:${good:1}
is not the SHA-256 of a certificate|$camera --tls-fingerprint :$good
--tls-ca nowhere.pem cannot be used|$camera --tls-ca nowhere.pem
--tls-ca empty.pem|$camera --tls-ca empty.pem
--tls-ca nonsense.pem|$camera --tls-ca nonsense.pem
none of the inputs begins with rtsps:// or https://|rtsp://127.0.0.1:1/camera --tls-insecure
END
}

# A web server with the certificate $1.pem for the files here; its port is in $port.
tls_web_server() {
  /usr/bin/python3 -u - "$1" >web.log 2>&1 <<'PYTHON' &
import http.server, ssl, sys
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1] + ".pem", sys.argv[1] + ".key")
server.socket = context.wrap_socket(server.socket, server_side=True)
print("port", server.server_address[1])
server.serve_forever()
PYTHON
  processes+=($!)
  wait_until "${processes[-1]}" grep -q '^port' web.log
  port=$(sed -n 's/^port //p' web.log)
}

RunTls.ReadsAVideoFromAWebServerByTheSameRules() {
  local port option
  make_authority authority
  make_signed server authority
  make_video a.mp4 5
  tls_web_server server
  try bcp_run -q "https://127.0.0.1:$port/a.mp4"
  expect_status 1
  expect_one_sentence
  expect_output "add --tls-fingerprint $(fingerprint_of server),"
  for option in "--tls-ca=authority.pem" "--tls-fingerprint=$(fingerprint_of server)" --tls-insecure; do
    bcp_run -q "https://127.0.0.1:$port/a.mp4" "$option" --jsonl made.jsonl
    [ "$(wc -l <made.jsonl)" -eq 5 ] || flunk "$option: $(wc -l <made.jsonl) results"
    rm made.jsonl
  done
}
