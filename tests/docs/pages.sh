# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Every Markdown page of the project: its links lead somewhere, its blocks of commands are run by a test or say why not, and those
# that need a camera, a broker or Redis work with real ones.
# shellcheck disable=SC2016  # what is quoted is for another shell
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"
# shellcheck source=tests/docs/network.bash
. "$ROOT/tests/docs/network.bash"

pages() { /usr/bin/python3 "$ROOT/tests/docs/pages.py" "$@"; }

# All pages, in $files, relative to the project.
committed_pages() {
  cd "$ROOT"
  mapfile -d '' -t files < <(git ls-files -z -- '*.md')
  [ ${#files[@]} -gt 0 ] || flunk "no page is committed"
}

Pages.LinkToFilesAndHeadingsThatExist() {
  committed_pages
  pages links "${files[@]}" || flunk "links lead nowhere, see above"
}

Pages.HaveAReasonForEachBlockThatNoTestRuns() {
  committed_pages
  pages blocks "${files[@]}" || flunk "blocks are not as tests/docs/pages.py wants them, see above"
}

Pages.AreFoundOutWhenALinkLeadsNowhere() {
  printf '%s\n' '# One thing' '[a](#one-thing) [b](#another) [c](missing.md) [d](https://example.org/x) `[e](none.md)`' >"$SCRATCH/page.md"
  try pages links "$SCRATCH/page.md"
  expect_failure
  expect_output 'page\.md:2: #another: there is no such heading'
  expect_output 'page\.md:2: missing\.md: there is no such file'
  [ "$(wc -l <<<"$output")" -eq 2 ] || flunk "$output"
}

Pages.AreFoundOutWhenABlockHasNoReason() {
  printf '%s\n' '```sh no-test' one '```' '```sh no-test: needs a GPU' two '```' '```sh' three '```' '```sh needs: luck' four '```' >"$SCRATCH/page.md"
  try pages blocks "$SCRATCH/page.md"
  expect_failure
  expect_output 'page\.md:1: write why'
  expect_output 'page\.md:7: no test runs'
  expect_output 'page\.md:10: '
  for ((i = 0; i < 11; ++i)); do printf '%s\n' '```sh no-test: needs a GPU' x '```'; done >"$SCRATCH/page.md"
  try pages blocks "$SCRATCH/page.md"
  expect_failure
  expect_output '11 blocks are not tested, 10 may be'
}

# Runs a block with this case's camera, broker and Redis in place of those it names. A camera has no end, so such a block is interrupted
# when there is a result, as a person would do it.
run_block() {
  local needs=$1 text=$2 file=$SCRATCH/results until=()
  # shellcheck disable=SC2154  # camera sets it
  text=${text//rtsp:\/\/user:password@camera\/stream/$address}
  text=${text//rtsp:\/\/camera\/stream/$address}
  text=${text//mqtt:\/\/broker.local/mqtt://127.0.0.1:$broker_port}
  text=${text//redis:\/\/redis.local/redis://127.0.0.1:$redis_port}
  text=${text//--metrics 9090/--metrics 0}
  ! grep -qE 'camera/stream|(broker|redis)\.local' <<<"$text" || flunk "an address in this block is unknown to the test: $text"
  printf '%s\n' "$text" >"$SCRATCH/block"
  case $text in
    *"--jsonl door.jsonl"*) file=$SCRATCH/door.jsonl ;;
    *"--record recordings/"*) file="$SCRATCH/recordings/door/*.mp4" ;;
  esac
  case $needs in *camera*) until=(/usr/bin/python3 "$ROOT/tests/docs/interrupt.py" "$file") ;; esac
  cd "$SCRATCH"
  rm -f door.jsonl  # of the block before
  # shellcheck disable=SC2094  # the files are not the same
  in_fresh_environment "${until[@]}" bash --norc -euo pipefail -c '. "$1"; . "$2"' - "$ROOT/pipelines/env.sh" "$SCRATCH/block" \
    >"$SCRATCH/block.out" 2>&1 || flunk "exit code $?: $text $(cat "$SCRATCH/block.out")"
}

# The subscriber has more results than $1, now or within seconds.
expect_result_after() {
  local tries
  for ((tries = 0; tries < 100; ++tries)); do
    [ "$(wc -l <"$SCRATCH/results")" -le "$1" ] || return 0
    sleep 0.1
  done
  flunk "no result reached the broker: $(cat "$SCRATCH/block" "$SCRATCH/block.out")"
}

Pages.HaveCommandsThatWorkWithACameraABrokerAndRedis() {
  local needs text count=0 before
  committed_pages
  pages needs "${files[@]}" >"$SCRATCH/blocks"
  camera
  broker
  redis
  : >"$SCRATCH/results"
  mosquitto_sub -p "$broker_port" -t 'gst-bcp/+/result' -t 'gst-bcp/+/labels' >>"$SCRATCH/results" &
  processes+=($!)
  until grep -q ready "$SCRATCH/results"; do
    mosquitto_pub -p "$broker_port" -t gst-bcp/test/result -m ready
    sleep 0.1
  done
  while IFS= read -r -d '' needs && IFS= read -r -d '' text; do
    before=$(wc -l <"$SCRATCH/results")
    run_block "$needs" "$text"
    case $needs in *broker*) expect_result_after "$before" ;; esac
    count=$((count + 1))
  done <"$SCRATCH/blocks"
  [ "$count" -gt 0 ] || flunk "no page has a block that needs a camera, a broker or Redis"
}
