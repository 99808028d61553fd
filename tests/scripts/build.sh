# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The build tree, installed and not.
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

Build.GivesNoWarning() {
  ! grep -n 'warning:' "$BUILD/build.log" || flunk "the compiler warned, see above"
}

Build.GivesAWorkingPluginInMesonsOwnEnvironment() {
  in_fresh_environment meson devenv -C "$BUILD" gst-inspect-1.0 bcp
  in_fresh_environment meson devenv -C "$BUILD" gst-inspect-1.0 bcptagger
}

# meson.build's is the only version there is.
Build.HasOneVersion() {
  local version
  version=$(meson introspect "$BUILD" --projectinfo | sed -n 's/.*"version": "\([^"]*\)".*/\1/p' | head -n 1)
  [ -n "$version" ] || flunk "meson names no version"
  grep -qx "Version: $version" "$BUILD/meson-private/gstreamer-bcp-1.0.pc" || flunk "pkg-config has another one than $version"
  [ -f "$BUILD/gst-plugin/meta/libgstbcpmeta-1.0.so.$version" ] || flunk "the metadata library has another one than $version"
  try "$BUILD/tools/gst-bcp/gst-bcp" --version
  expect_output "^gst-bcp ${version//./\\.}\$"
  try meson devenv -C "$BUILD" gst-inspect-1.0 bcp
  expect_output "Version +${version//./\\.}\$"
}

# Configured for a prefix of its own, as a packager would: only the installation is looked at.
Build.InstallsAWorkingPlugin() {
  local plugin libraries
  meson install -C "$BUILD" --no-rebuild --destdir "$SCRATCH/root" >/dev/null
  plugin=$(find "$SCRATCH/root" -name libgstbcp.so -printf '%h')
  libraries=$(find "$SCRATCH/root" -name 'libgstbcpmeta-1.0.so' -printf '%h')
  [ -n "$plugin" ] || flunk "meson install installed no plugin"
  in_fresh_environment env GST_PLUGIN_PATH="$plugin" LD_LIBRARY_PATH="$libraries" gst-inspect-1.0 bcp
  in_fresh_environment env GST_PLUGIN_PATH="$plugin" LD_LIBRARY_PATH="$libraries" gst-inspect-1.0 bcptagger
}
