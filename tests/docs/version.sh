# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The version: meson.build has it, and everything else takes it from there.
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

version() { sed -n "s/^  version: '\([0-9.]*\)'.*/\1/p" "$ROOT/meson.build"; }

Version.IsWrittenInOnePlace() {
  local version pattern
  version=$(version)
  [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || flunk "meson.build has no version such as 1.2.3: '$version'"
  pattern="(^|[^0-9.])${version//./\\.}($|[^0-9.])"
  # A changelog names versions; data is not ours.
  try git -C "$ROOT" grep -nE "$pattern" -- . ':!meson.build' ':!CHANGELOG.md' ':!tests/data' ':!*.json' ':!*requirements.txt'
  expect_failure
}

Version.IsWhatTheProgramsReport() {
  try "${BUILD:?}/tools/gst-bcp/gst-bcp" --version
  expect_output "(^| )$(version)( |\$)"
  try gst-inspect-1.0 "$BUILD/gst-plugin/libgstbcp.so"
  expect_output "Version +$(version)\$"
}

# "Unreleased", or the version of this tree.
Version.HasTheFirstHeadingOfTheChangelog() {
  local heading
  heading=$(grep -m1 '^## ' "$ROOT/CHANGELOG.md")
  [[ $heading == '## Unreleased' || $heading == "## $(version) "* ]] || flunk "the first heading of CHANGELOG.md is $heading"
}
