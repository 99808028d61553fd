# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Fleets as users see them: pipelines of gst-launch-1.0 that share through a real Redis, and gst-bcp fleet status.
set -euo pipefail
# shellcheck source=tests/tools/run.bash
. "${ROOT:?}/tests/tools/run.bash"
# shellcheck source=tests/common/rtsp.bash
. "$ROOT/tests/common/rtsp.bash"
# shellcheck source=tests/common/tls.bash
. "$ROOT/tests/common/tls.bash"

secret=sEcrEt-4711

# Redis with the password $secret on $port. The rest are options of the server.
start_redis() {
  port=$(free_port)
  redis-server --port "$port" --bind 127.0.0.1 --save '' --dir "$SCRATCH" --requirepass "$secret" --logfile "$SCRATCH/redis.log" "$@" &
  processes+=($!)
  wait_until "${processes[-1]}" grep -q 'Ready to accept connections' "$SCRATCH/redis.log"
}

# A pipeline of a second; its node is $1, its prior-group $2. The rest are properties.
learn_in() {
  local node=$1 group=$2
  shift 2
  gst-launch-1.0 videotestsrc num-buffers=30 ! video/x-raw,framerate=30/1 ! \
    bcptagger model="$toy" preset=paper source-id="$node" prior-group="$group" "$@" ! fakesink sync=true
}

expect_no_secret() { expect_no_output "$secret"; }

CliFleet.SharesBetweenTwoProcesses() {
  local port node
  start_redis
  for node in door yard; do
    try learn_in "$node" "redis://:$secret@127.0.0.1:$port/0/street" prior-file="$node.prior"
    expect_status 0
    expect_no_output WARN
    expect_no_secret
  done
  try bcp fleet status "redis://:$secret@127.0.0.1:$port/0/street"
  expect_status 0
  expect_output "^[^ ]+/door +[0-9]+ s \(left\) +7 days +30 +6 "
  expect_output "^[^ ]+/yard +[0-9]+ s \(left\) +7 days +30 +6 "
  expect_output "^2 nodes in redis://127\.0\.0\.1:$port/0/street, 60 samples, "
  expect_no_secret
  # A prior file has what its own stream has learnt, under its own name.
  try bcp prior merge door.prior yard.prior --out street.prior
  expect_status 0
  try bcp prior show street.prior
  expect_output '^samples +60'
  expect_output '^door +toy +30 '
  expect_output '^yard +toy +30 '
  expect_no_secret
}

CliFleet.ExplainsWhatIsWrong() {
  local port
  start_redis
  try bcp fleet status "redis://:$secret-not@127.0.0.1:$port/0/street"
  expect_status 1
  expect_one_sentence
  expect_output 'refused the user or the password'
  expect_no_secret
  try learn_in door "redis://:$secret-not@127.0.0.1:$port/0/street"
  expect_status 0 # the video goes on
  [ "$(grep -c '^WARNING' <<<"$output")" -eq 1 ] || flunk "not one warning: $output"
  expect_output 'refused the user or the password'
  expect_no_secret
  local wrong
  for wrong in "reddis://:$secret@127.0.0.1:$port/0/street" "redis://:$secret@127.0.0.1:$port" "redis://door:$secret/0/street"; do
    try bcp fleet status "$wrong"
    expect_status 1
    expect_one_sentence
    expect_output 'redis://\[user:password@\]host|invalid port'
    expect_no_secret
    try learn_in door "$wrong"
    expect_failure
    expect_output '^ERROR: .*prior-group=redd?is://'
    expect_no_secret
  done
}

# Debian 12's hiredis has no TLS; the build says which it is.
CliFleet.UsesTlsOrRefusesIt() {
  local port secure node address
  secure=$(free_port)
  address=rediss://:$secret@127.0.0.1:$secure/0/street
  cd "$SCRATCH"
  make_authority authority
  make_signed server authority
  start_redis --tls-port "$secure" --tls-cert-file server.pem --tls-key-file server.key --tls-ca-cert-file authority.pem --tls-auth-clients no
  if grep -q '"hiredis_ssl"' "$BUILD/meson-info/intro-dependencies.json"; then
    for node in door yard; do
      try env SSL_CERT_FILE=authority.pem bash -c "$(declare -f learn_in); toy=$toy; learn_in $node $address"
      expect_status 0
      expect_no_output WARN
    done
    try env SSL_CERT_FILE=authority.pem "$BUILD/tools/gst-bcp/gst-bcp" fleet status "$address"
    expect_status 0
    expect_output "^2 nodes in rediss://127\.0\.0\.1:$secure/0/street, 60 samples, "
    try bcp fleet status "$address"
    expect_status 1
    expect_one_sentence
    expect_output 'has a certificate that is not accepted'
  else
    try bcp fleet status "$address"
    expect_status 1
    expect_one_sentence
    expect_output "^gst-bcp: rediss://127\.0\.0\.1:$secure/0/street needs hiredis with TLS"
    expect_no_secret
    try learn_in door "$address"
    expect_failure
    expect_output "^ERROR: .*rediss://127\.0\.0\.1:$secure/0/street needs hiredis with TLS"
  fi
  expect_no_secret
}
