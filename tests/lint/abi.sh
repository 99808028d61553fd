# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What programs linked to libgstbcpmeta-1.0 rely on. Compared on Debian 12 only: elsewhere scripts/abi.sh says why it does
# nothing, and the cases pass.
set -euo pipefail
# shellcheck source=tests/lint/support.bash
. "${ROOT:?}/tests/lint/support.bash"

dump=$ROOT/gst-plugin/meta/libgstbcpmeta-1.0.abi

Abi.IsTheCommittedOne() { "$ROOT/scripts/abi.sh"; }

# As if the library had lost, changed or gained something since: $1 is a sed script that makes the dump before that.
expect_difference() {
  sed "$1" "$dump" >"$SCRATCH/before.abi"
  ! cmp -s "$dump" "$SCRATCH/before.abi" || flunk "the dump has nothing that matches $1"
  try "$ROOT/scripts/abi.sh" --against "$SCRATCH/before.abi"
  if grep -q 'on Debian 12 only' <<<"$output"; then
    printf '%s\n' "$output"
    return
  fi
  expect_failure
  expect_output "$2"
}

Abi.MissesAFunctionThatIsGone() {
  expect_difference 's/gst_bcp_labels_find/gst_bcp_labels_search/g' '1 Removed.* function'
}

Abi.NoticesANewFunction() {
  expect_difference "/<function-decl name='gst_bcp_labels_find'/,/<\/function-decl>/d;/<elf-symbol name='gst_bcp_labels_find'/d" \
    '1 Added function'
}

Abi.NoticesAnotherParameter() {
  expect_difference "/<function-decl name='gst_bcp_labels_find'/,/<\/function-decl>/{/<parameter/{x;s/^/x/;/^x\{2\}$/{x;d};x}}" \
    '1 Changed.* function'
}

Abi.NoticesAnotherFieldOfTheMeta() {
  expect_difference "/<class-decl name='GstBcpMeta'/,/<\/class-decl>/s/name='held'/name='repeated'/" 'GstBcpMeta::held'
}

Abi.NoticesANewEnumerator() {
  expect_difference "/name='GST_BCP_SCORE_FIELD_PROBABILITY'/d" 'GST_BCP_SCORE_FIELD_PROBABILITY'
}

# The documentation of a declaration says since which version it exists.
Abi.SaysSinceWhichVersionEverythingIs() {
  local undocumented
  committed 'gst-plugin/meta/gst/bcp/*.h'
  undocumented=$(awk '/Since: [0-9]+\.[0-9]+$/ { since = 1 } /^(GST_BCP_API|typedef)/ { if (!since) print FILENAME ": " $0; since = 0 }' "${files[@]}")
  [ -z "$undocumented" ] || flunk "no \"Since:\" before"$'\n'"$undocumented"
}
