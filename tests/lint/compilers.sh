# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# No warning from either compiler.
set -euo pipefail
# shellcheck source=tests/lint/support.bash
. "${ROOT:?}/tests/lint/support.bash"

Compilers.GccHasNothingToSay() { build_without_a_warning "$ROOT/build-gcc" gcc g++; }

Compilers.ClangHasNothingToSay() {
  build_without_a_warning "$ROOT/build-clang" "$(first_of clang-14 clang)" "$(first_of clang++-14 clang++)"
}
