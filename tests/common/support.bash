# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Common functions of the shell cases. The runner gives each case a shell with `set -euo pipefail`, the project in ROOT, the build in
# BUILD and an empty directory in SCRATCH, which it removes afterwards.
: "${ROOT:?}" "${BUILD:?}" "${SCRATCH:?}"

# Ends the case with a reason.
flunk() {
  printf '%s\n' "$*" >&2
  exit 1
}

# Runs a command, keeps its output in $output and its exit code in $status.
try() {
  status=0
  output=$("$@" 2>&1) || status=$?
}

expect_status() { [ "$status" -eq "$1" ] || flunk "exit code $status instead of $1; it printed: $output"; }

expect_failure() { [ "$status" -ne 0 ] || flunk "it succeeded; it printed: $output"; }

expect_output() { grep -qE -- "$1" <<<"$output" || flunk "nothing printed matches $1; it printed: $output"; }

expect_no_output() { ! grep -qE -- "$1" <<<"$output" || flunk "something printed matches $1: $output"; }

# The number of error sentences in the output of gst-bcp.
expect_one_sentence() {
  local count
  count=$(grep -c '^gst-bcp: ' <<<"$output") || true
  [ "$count" -eq 1 ] || flunk "$count sentences instead of one: $output"
}

# Runs a command as in a new shell of a user, without the runner's variables.
in_fresh_environment() {
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin env -u GST_PLUGIN_PATH -u GST_BCP_MODEL_PATH -u GI_TYPELIB_PATH -u LD_LIBRARY_PATH GST_REGISTRY="$SCRATCH/registry.bin" "$@"
}
