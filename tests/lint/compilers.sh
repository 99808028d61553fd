# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# No warning from either compiler, from clang-tidy, or from the linker that sees all sources at once.
set -euo pipefail
# shellcheck source=tests/lint/support.bash
. "${ROOT:?}/tests/lint/support.bash"

Compilers.GccGivesNoWarning() { build_without_a_warning "$ROOT/build-gcc" gcc g++; }

Compilers.ClangGivesNoWarning() {
  build_without_a_warning "$ROOT/build-clang" "$(first_of clang-14 clang)" "$(first_of clang++-14 clang++)"
}

# The list in .clang-tidy is for clang-tidy 14; others find other things.
Compilers.ClangTidyFindsNothing() {
  configure_strictly "$ROOT/build-clang" "$(first_of clang-14 clang)" "$(first_of clang++-14 clang++)"
  if ! command -v clang-tidy-14 >/dev/null; then return 0; fi
  if [ "$scope" = all ]; then
    every_source "$ROOT/build-clang"
  else
    changed_sources "$ROOT/build-clang"
  fi
  [ ${#sources[@]} -gt 0 ] || return 0
  cd "$ROOT/build-clang"
  printf '%s\0' "${sources[@]}" | xargs -0 -n 1 -P "$(jobs_at_once)" clang-tidy-14 --quiet -p . --warnings-as-errors='*'
}

# Two definitions of one name that differ are undefined behaviour, and only link-time optimisation sees both (-Wodr). All
# programs in the scope "all"; otherwise the objects of what changed, linked with each other.
Compilers.NoTwoDefinitionsOfANameDiffer() {
  local objects=() source
  configure_strictly "$ROOT/build-lto" gcc g++ -Db_lto=true -Doptimization=1 -Dbenchmarks=disabled \
    -Dintrospection=disabled "-Dcpp_link_args=-Werror=odr -Werror=lto-type-mismatch"
  if [ "$scope" = all ]; then
    build "$ROOT/build-lto"
    return
  fi
  changed_sources "$ROOT/build-lto"
  for source in "${sources[@]}"; do
    case $source in ../tests/*) ;; *.cpp) objects+=("$source") ;; esac
  done
  [ ${#objects[@]} -gt 0 ] || return 0
  build "$ROOT/build-lto" "${objects[@]/%/^}"
  mapfile -t objects < <(objects_of "$ROOT/build-lto" "${objects[@]}")
  cd "$ROOT/build-lto"
  # In one partition: GCC 12 breaks off when it divides objects that are linked without the rest.
  g++ -flto -flto-partition=none -O1 -Werror=odr -Werror=lto-type-mismatch -r -flinker-output=nolto-rel \
    -o "$SCRATCH/together.o" "${objects[@]}"
}
