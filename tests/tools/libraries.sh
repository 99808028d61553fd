# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Which libraries the built files need.
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

# Whether $1 needs libsoup, itself or through a library that it needs.
needs_libsoup() {
  try ldd "$1"
  expect_status 0
  grep -q libsoup <<<"$output"
}

# A process that has loaded libsoup 2.4 and 3 aborts, and an application that loads the plugin may have either.
Libraries.OnlyGstBcpNeedsLibsoup() {
  local file checked=0
  needs_libsoup "$BUILD/tools/gst-bcp/gst-bcp" || flunk "gst-bcp does not need libsoup: this test checks nothing"
  while read -r file; do
    ! needs_libsoup "$file" || flunk "$file needs libsoup: $(grep libsoup <<<"$output")"
    checked=$((checked + 1))
  done < <(
    find "$BUILD/gst-plugin" -name '*.so*' -type f -not -path '*.p/*'
    # Programs of bcp-core and of the plugin's libraries, without gst-bcp.
    find "$BUILD/tests/core" "$BUILD/tests/gst" "$BUILD/tools/rtsp-server" -maxdepth 1 -type f -executable
  )
  [ "$checked" -ge 3 ] || flunk "only $checked files were checked"
}
