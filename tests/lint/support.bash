# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the lint cases share: the helpers of the shell suites, and a way to build with warnings as errors.
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

# Builds everything in the directory $1 with the C compiler $2 and the C++ compiler $3; any warning fails.
build_without_a_warning() {
  local options
  root=$ROOT
  # shellcheck source=scripts/setup/parts.sh
  . "$root/scripts/setup/parts.sh"
  mapfile -t options < <(common_options)
  export CC=$2 CXX=$3
  configure "$1" "${options[@]}" -Dwerror=true
  build "$1"
}

# The first of the given programs that is installed.
first_of() {
  local name
  for name in "$@"; do command -v "$name" && return; done
  flunk "none of these is installed: $*"
}

# The committed files that match the given patterns, as an array in $files.
committed() {
  mapfile -d '' -t files < <(git -C "$ROOT" ls-files -z -- "$@")
  [ ${#files[@]} -gt 0 ] || flunk "no file matches $*"
  files=("${files[@]/#/$ROOT/}")
}
