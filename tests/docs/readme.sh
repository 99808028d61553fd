# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The README's commands do what it says: every block fenced as ```sh runs, in order, in one shell in the project's root
# after env.sh. pages.py describes the other kinds of blocks.
# shellcheck disable=SC2016  # what is quoted is for another shell
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

# Prints the tested blocks of the Markdown file $1.
tested_blocks() {
  awk '/^```/ { tested = !fenced && $0 == "```sh"; fenced = !fenced; next } tested' "$1"
}

Readme.CommandsWork() {
  [ -f "$ROOT/README.md" ] || flunk "there is no README.md"
  tested_blocks "$ROOT/README.md" >"$SCRATCH/commands"
  [ -s "$SCRATCH/commands" ] || flunk "README.md has no block fenced as \`\`\`sh"
  ! grep -n 'tests/run\.sh' "$SCRATCH/commands" || flunk "the tests cannot run the tests: fence that block as \`\`\`sh no-test: REASON"
  cd "$ROOT"
  in_fresh_environment bash --norc -euxo pipefail -c '. pipelines/env.sh; . "$1"' - "$SCRATCH/commands"
}

# The first block's output, of which the page shows lines that are shortened with "…".
Readme.ShowsLinesThatItsFirstCommandPrints() {
  local line
  cd "$ROOT"
  awk '/^```/ && tested { exit } tested; /^```sh$/ { tested = 1 }' README.md >"$SCRATCH/command"
  grep -q bcppublish "$SCRATCH/command" || flunk "the first command of README.md prints no result: $(cat "$SCRATCH/command")"
  in_fresh_environment bash --norc -euo pipefail -c '. pipelines/env.sh; . "$1"' - "$SCRATCH/command" >"$SCRATCH/printed"
  awk '/^```/ { shown = $0 == "```text"; next } shown' README.md >"$SCRATCH/shown"
  [ -s "$SCRATCH/shown" ] || flunk "README.md shows no output"
  while IFS= read -r line; do
    line=$(sed 's/[][\\.*^$]/\\&/g; s/…/.*/g' <<<"$line")
    grep -q -- "$line" "$SCRATCH/printed" || flunk "no line that is printed matches $line"
  done <"$SCRATCH/shown"
}

Readme.LeavesOutBlocksThatAreNotToBeTested() {
  printf '%s\n' 'text' '```sh' 'one' '```' '```sh no-test: reason' 'two' '```' '```json' 'three' '```' '```sh' 'four' '```' >"$SCRATCH/page.md"
  [ "$(tested_blocks "$SCRATCH/page.md")" = $'one\nfour' ] || flunk "$(tested_blocks "$SCRATCH/page.md")"
}
