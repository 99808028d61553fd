# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# docs/results-format.md: every name of results, events, messages and numbers that the elements write, and no other.
# shellcheck disable=SC2016  # what is quoted is for another shell
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"
# shellcheck source=tests/docs/network.bash
. "$ROOT/tests/docs/network.bash"

# Starts a broker, and a run with a camera whose numbers are served at $metrics.
start_services() {
  metrics=''
  broker
  camera
  # shellcheck disable=SC2154  # camera sets it
  "$BUILD/tools/gst-bcp/gst-bcp" run --metrics 0 --quiet "$address" >/dev/null 2>"$SCRATCH/run.err" &
  processes+=($!)
  until metrics=$(sed -n 's/^metrics: //p' "$SCRATCH/run.err") && [ -n "$metrics" ] &&
    curl -sf "$metrics" | grep -q '^bcp_frames_scored_total'; do
    kill -0 "${processes[-1]}" 2>/dev/null || flunk "gst-bcp run ended: $(cat "$SCRATCH/run.err")"
    sleep 0.1
  done
}

# Compares the page $1 with what is written.
compare() {
  cd "$ROOT"
  in_fresh_environment bash --norc -euo pipefail -c '. pipelines/env.sh; exec /usr/bin/python3 tests/docs/fields.py "$@"' - \
    "$1" "mqtt://127.0.0.1:$broker_port" "$metrics" "$SCRATCH"
}

ResultsFormat.NamesEveryFieldThatIsWritten() {
  start_services
  compare "$ROOT/docs/results-format.md"
}

ResultsFormat.IsFoundOutWhenANameIsMissingOrOld() {
  sed 's/`labels.evidence`/`labels.proof`/; s/`bcp_faults_total`/`bcp_errors_total`/; s/`connected`, `address`/`connected`/' \
    "$ROOT/docs/results-format.md" >"$SCRATCH/page.md"
  start_services # not by try: what a subshell starts would outlive the case
  try compare "$SCRATCH/page.md"
  expect_failure
  expect_output 'JSON result: the page has labels\.proof, which nothing writes'
  expect_output 'JSON result: labels\.evidence is written, and not on the page'
  expect_output 'metrics-file: bcp_faults_total is written'
  expect_output 'bcp-mqtt: address is written'
}
