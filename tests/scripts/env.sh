# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# pipelines/env.sh, in the shells people have.
# shellcheck disable=SC2016  # what is quoted is for another shell
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

Env.GivesTheElementsInAFreshBashFromAnywhere() {
  cd /
  in_fresh_environment bash --norc -c '. "$1/pipelines/env.sh" && gst-inspect-1.0 bcptagger && gst-inspect-1.0 bcppublish' - "$ROOT"
}

Env.GivesTheElementsInAPosixShellInsideTheTree() {
  cd "$ROOT/tests"
  in_fresh_environment dash -c '. ../pipelines/env.sh && gst-inspect-1.0 bcptagger'
}

Env.ChangesNothingTheSecondTime() {
  in_fresh_environment bash --norc -c '
    . "$1/pipelines/env.sh"; env | grep -v "^_=" | sort >"$2/once"
    . "$1/pipelines/env.sh"; env | grep -v "^_=" | sort >"$2/twice"' - "$ROOT" "$SCRATCH"
  diff "$SCRATCH/once" "$SCRATCH/twice"
  grep -q '^GST_PLUGIN_PATH=' "$SCRATCH/once"
}

Env.KeepsTheEarlierPaths() {
  try in_fresh_environment env GST_PLUGIN_PATH=/opt/other bash --norc -c '. "$1/pipelines/env.sh"; echo "$GST_PLUGIN_PATH"' - "$ROOT"
  expect_output "^$BUILD/gst-plugin:/opt/other$"
}

Env.KeepsTheShellsOptionsAndVariables() {
  try in_fresh_environment bash --norc -euo pipefail -c '
    before=$(set +o; shopt); . "$1/pipelines/env.sh"; [ "$before" = "$(set +o; shopt)" ]; set | grep "^_bcp" || echo clean' - "$ROOT"
  expect_status 0
  expect_output '^clean$'
}

Env.SaysWhatToDoWhenNothingIsBuilt() {
  try in_fresh_environment env GST_BCP_BUILD="$SCRATCH/none" bash --norc -c '. "$1/pipelines/env.sh"' - "$ROOT"
  expect_one_sentence
  expect_output 'scripts/setup\.sh'
}
