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
