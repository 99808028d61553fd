# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The pages in docs: their commands work, and give the figures that the pages show. docs_blocks.py describes how a page marks
# both, and `update` brings its figures up to date.
# shellcheck disable=SC2016  # what is quoted is for another shell
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

blocks() { in_fresh_environment /usr/bin/python3 "$ROOT/tests/docs/docs_blocks.py" "$@"; }

Docs.ShowTheFiguresThatTheirCommandsGive() {
  cd "$ROOT"
  local page pages=0
  for page in docs/*.md models/README.md; do
    grep -qE '^(```sh$|<!-- output of: )' "$page" || continue
    blocks check "$page" || flunk "$page is out of date: tests/docs/docs_blocks.py update $page"
    pages=$((pages + 1))
  done
  [ "$pages" -gt 0 ] || flunk "no page in docs has a command"
}

Docs.AreListedInTheirMap() {
  local page
  for page in "$ROOT"/docs/*.md; do
    page=${page##*/}
    [ "$page" = README.md ] || grep -qF "($page)" "$ROOT/docs/README.md" || flunk "docs/README.md does not name $page"
  done
}

# The tables themselves are compared above.
Docs.HaveTablesOfEveryElement() {
  local element elements table
  elements=$(gst-inspect-1.0 "${BUILD:?}/gst-plugin/libgstbcp.so" | sed -nE 's/^  (bcp[a-z]+):.*/\1/p')
  [ -n "$elements" ] || flunk "the plugin has no element"
  for element in $elements; do
    for table in properties pads; do
      grep -qxF -- "<!-- output of: docs/elements.py $table $element -->" "$ROOT/docs/elements.md" || flunk "docs/elements.md has no $table of $element"
    done
    # An element with signals has a table of them.
    [ "$(in_fresh_environment bash --norc -c '. "$1/pipelines/env.sh"; "$1/docs/elements.py" signals "$2"' - "$ROOT" "$element" | wc -l)" -eq 2 ] ||
      grep -qxF -- "<!-- output of: docs/elements.py signals $element -->" "$ROOT/docs/elements.md" || flunk "docs/elements.md has no signals of $element"
  done
}

# A page whose commands print "a 1" and "b 2".
page() {
  printf '%s\n' '```sh' 'what=b' '```' '```sh no-test: fails' 'exit 1' '```' '```sh' 'printf "a 1\n\n%s\n2\n" $what' '```' '```text' b "$1" '```' \
    '<!-- output of: echo $what 3 -->' '' "$2" '' '<!-- end of output -->' >"$SCRATCH/page.md"
}

Docs.AreFoundOutWhenAFigureChanges() {
  cd "$ROOT"
  page 2 'b 3'
  try blocks check "$SCRATCH/page.md"
  expect_status 0
  page 4 'b 3'
  try blocks check "$SCRATCH/page.md"
  expect_failure
  expect_output 'page\.md:12: the page has'
  page 2 'b 4'
  try blocks check "$SCRATCH/page.md"
  expect_failure
  printf '%s\n' '```sh' false '```' >"$SCRATCH/page.md"
  try blocks check "$SCRATCH/page.md"
  expect_failure
}

Docs.CanBeBroughtUpToDate() {
  cd "$ROOT"
  page 2 'b 3'
  cp "$SCRATCH/page.md" "$SCRATCH/right.md"
  page 5 'b 6'
  blocks update "$SCRATCH/page.md"
  cmp "$SCRATCH/right.md" "$SCRATCH/page.md" || flunk "$(cat "$SCRATCH/page.md")"
  # The first line of a paragraph was reworded.
  printf '%s\n' '```sh' 'printf "The labels that appear\n1\n"' '```' '```text' 'The labels that are shown' 1 '```' >"$SCRATCH/page.md"
  try blocks check "$SCRATCH/page.md"
  expect_failure
  blocks update "$SCRATCH/page.md"
  blocks check "$SCRATCH/page.md"
}
