# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sources every part of the set-up, in the order of their dependencies. The caller sets $root, the project's directory.
here=${root:?}/scripts/setup
deps=${GST_BCP_DEPS:-$root/.deps}

# shellcheck source=scripts/setup/say.sh
. "$here/say.sh"
# shellcheck source=scripts/setup/packages.sh
. "$here/packages.sh"
# shellcheck source=scripts/setup/download.sh
. "$here/download.sh"
# shellcheck source=scripts/setup/trixie.sh
. "$here/trixie.sh"
# shellcheck source=scripts/setup/onnxruntime.sh
. "$here/onnxruntime.sh"
# shellcheck source=scripts/setup/clip.sh
. "$here/clip.sh"
# shellcheck source=scripts/setup/axe.sh
. "$here/axe.sh"
# shellcheck source=scripts/setup/export.sh
. "$here/export.sh"
# shellcheck source=scripts/setup/compare.sh
. "$here/compare.sh"
# shellcheck source=scripts/setup/build.sh
. "$here/build.sh"

mkdir -p "$deps/log" 2>/dev/null ||
  fail "$deps is not writable: change the owner of the tree (chown), or set GST_BCP_DEPS to another directory."
