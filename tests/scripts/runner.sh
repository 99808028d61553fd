# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# tests/runner.py counts right, also when programs do not behave. The programs here only look like GoogleTest's.
# shellcheck disable=SC2016  # what is quoted is for another shell
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

# Lets meson know of the tests $1, in JSON.
describe() {
  mkdir -p "$SCRATCH/build/meson-info"
  printf '[%s]' "$1" >"$SCRATCH/build/meson-info/intro-tests.json"
}

# Makes the core program $1: it lists Stub.One and Stub.Two, and runs the shell lines $2 instead of tests.
program() {
  describe "{\"name\":\"stub\",\"suite\":[\"gst-bcp:core\"],\"protocol\":\"gtest\",\"env\":{},\"cmd\":[\"$SCRATCH/build/$1\"]}"
  cat >"$SCRATCH/build/$1" <<PROGRAM
#!/usr/bin/env bash
for flag in "\$@"; do
  case \$flag in
    --gtest_list_tests) printf 'Stub.\n  One\n  Two  # GetParam() = 2\n'; exit 0 ;;
    --gtest_output=json:*) report=\${flag#--gtest_output=json:} ;;
  esac
done
passed='{"name":"One","result":"COMPLETED"}'
write() { printf '{"testsuites":[{"name":"Stub","testsuite":[%s]}]}' "\$1" >"\$report"; }
$2
PROGRAM
  chmod +x "$SCRATCH/build/$1"
}

runner() { /usr/bin/python3 "$ROOT/tests/runner.py" --root "$ROOT" --build "$SCRATCH/build" --suites core "$@"; }

expect_last_line() { [ "$(tail -n 1 <<<"$output")" = "$1" ] || flunk "the last line is not \"$1\": $output"; }

Runner.CountsEverySingleTest() {
  program core-good 'write "$passed,{\"name\":\"Two\",\"result\":\"COMPLETED\",\"failures\":[{\"failure\":\"no\"}]}"; exit 1'
  try runner
  expect_failure
  expect_output 'FAIL  core/core-good/Stub\.Two'
  expect_last_line '1 passed, 1 failed'
}

Runner.CountsTestsThatACrashKeptFromRunning() {
  program core-crash 'printf "[ RUN      ] Stub.One\n[       OK ] Stub.One (0 ms)\n[ RUN      ] Stub.Two\n"; kill -SEGV $$'
  try runner
  expect_failure
  expect_output 'crashed with SIGSEGV'
  expect_last_line '1 passed, 1 failed'
}

Runner.CountsALeakThatIsReportedAfterThePassingTests() {
  program core-leak 'write "$passed,{\"name\":\"Two\",\"result\":\"COMPLETED\"}"; echo "LeakSanitizer: 7 bytes"; exit 23'
  try runner
  expect_failure
  expect_output 'LeakSanitizer: 7 bytes'
  expect_last_line '2 passed, 1 failed'
}

Runner.DoesNotCountASkippedTestAsPassed() {
  program core-skip 'write "$passed,{\"name\":\"Two\",\"result\":\"SKIPPED\"}"'
  try runner
  expect_failure
  expect_last_line '1 passed, 1 failed'
  try runner --may-skip
  expect_status 0
  expect_output 'SKIP  core/core-skip/Stub\.Two'
  expect_last_line '1 passed, 0 failed'
}

Runner.FailsWhenThereIsNothingToRun() {
  describe ''
  try runner
  expect_failure
  expect_last_line '0 passed, 1 failed'
}

Runner.RunsOnlyTheTestsThatHaveTheNameInTheirs() {
  program core-some 'write "$passed"'
  try runner --name stub.one
  expect_status 0
  expect_last_line '1 passed, 0 failed'
  try runner --list --name Two
  [ "$output" = core/core-some/Stub.Two ] || flunk "$output"
}

Runner.CountsAProgramThatIsOneTestByItsExitCode() {
  describe '{"name":"good one","suite":["gst-bcp:core"],"protocol":"exitcode","env":{},"cmd":["true"]},
            {"name":"bad one","suite":["gst-bcp:core"],"protocol":"exitcode","env":{},"cmd":["sh","-c","echo why; exit 3"]}'
  try runner
  expect_failure
  expect_output 'FAIL  core/bad one'
  expect_output '^ +why$'
  expect_last_line '1 passed, 1 failed'
}

Runner.RunsOnlyTheProgramsWhoseNamesBeginAsAsked() {
  describe '{"name":"good","suite":["gst-bcp:core"],"protocol":"gtest","env":{},"cmd":["false"]},
            {"name":"other","suite":["gst-bcp:core"],"protocol":"exitcode","env":{},"cmd":["true"]}'
  try runner --programs core/false
  expect_failure
  expect_last_line '0 passed, 1 failed'
}

Runner.SumsUpSeveralRuns() {
  describe '{"name":"good","suite":["gst-bcp:core"],"protocol":"exitcode","env":{},"cmd":["true"]}'
  printf '[3, 1]' >"$SCRATCH/counts"
  try runner --add "$SCRATCH/counts" --carry "$SCRATCH/counts"
  expect_status 0
  expect_no_output 'passed,'
  try runner --add "$SCRATCH/counts"
  expect_status 0
  expect_last_line '5 passed, 1 failed'
}

# Each of the two waits until the other has started.
Runner.RunsAsManyProgramsAtATimeAsAsked() {
  local wait="for i in \$(seq 100); do [ -e \\\"$SCRATCH/\$1\\\" ] && exit 0; sleep 0.1; done; exit 1"
  describe "{\"name\":\"left\",\"suite\":[\"gst-bcp:core\"],\"protocol\":\"exitcode\",\"env\":{},\"cmd\":[\"sh\",\"-c\",\"touch $SCRATCH/left; $wait\",\"sh\",\"right\"]},
            {\"name\":\"right\",\"suite\":[\"gst-bcp:core\"],\"protocol\":\"exitcode\",\"env\":{},\"cmd\":[\"sh\",\"-c\",\"touch $SCRATCH/right; $wait\",\"sh\",\"left\"]}"
  try runner --jobs 2
  expect_status 0
  expect_last_line '2 passed, 0 failed'
}

Runner.RunsAFileThatAsksForItAlone() {
  describe "{\"name\":\"slow\",\"suite\":[\"gst-bcp:core\"],\"protocol\":\"exitcode\",\"env\":{},\"cmd\":[\"sh\",\"-c\",\"sleep 1; touch $SCRATCH/ended\"]}"
  mkdir -p "$SCRATCH/tree/tests/core" "$SCRATCH/tree/tests/common"
  : >"$SCRATCH/tree/tests/common/support.bash"
  printf '# Runs alone: it looks for the end of the others.\nAlone.ComesLast() { [ -e "%s/ended" ]; }\n' "$SCRATCH" \
    >"$SCRATCH/tree/tests/core/alone.sh"
  try runner --jobs 2 --root "$SCRATCH/tree"
  expect_status 0
  expect_last_line '2 passed, 0 failed'
}
