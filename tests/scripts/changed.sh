# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# tests/lint/changed.py and what the lint cases count as changed, in a repository of its own.
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

in_repository() { git -C "$SCRATCH/tree" -c user.name=test -c user.email=test@example.org "$@"; }

# Commits the file $1 of the repository with the content $2.
commit() {
  mkdir -p "$(dirname "$SCRATCH/tree/$1")"
  printf '%s\n' "$2" >"$SCRATCH/tree/$1"
  in_repository add "$1"
  in_repository commit -qm "change $1"
}

# A repository with three sources and two headers, and a build directory that compiles the sources.
make_repository() {
  local file
  mkdir -p "$SCRATCH/tree/build"
  in_repository init -q
  commit src/a.hpp 'int a();'
  commit src/b.hpp '#include "a.hpp"'
  commit src/a.cpp '#include "a.hpp"'
  commit src/b.cpp '#include "b.hpp"'
  commit src/c.cpp 'int c;'
  for file in a b c; do
    printf '{"directory":"%s/tree/build","file":"../src/%s.cpp","output":"%s.o"}\n' "$SCRATCH" "$file" "$file"
  done | sed '1s/^/[/; $!s/$/,/; $s/$/]/' >"$SCRATCH/tree/build/compile_commands.json"
}

changed() { try /usr/bin/python3 "$ROOT/tests/lint/changed.py" "$SCRATCH/tree" "$SCRATCH/tree/build" "$@"; }

Changed.SourcesAreTheNewestFirst() {
  make_repository
  base=$(in_repository rev-parse HEAD)
  commit src/c.cpp 'int d;'
  commit src/b.cpp 'int b;'
  changed "$base" 9
  [ "$output" = $'../src/b.cpp\n../src/c.cpp' ] || flunk "$output"
}

Changed.AHeaderConcernsTheSourcesThatIncludeIt() {
  make_repository
  base=$(in_repository rev-parse HEAD)
  commit src/a.hpp 'long a();'
  changed "$base" 9
  [ "$output" = ../src/a.cpp ] || flunk "$output"
}

Changed.AFileThatWasChangedBackIsNotAmongThem() {
  make_repository
  base=$(in_repository rev-parse HEAD)
  commit src/c.cpp 'int d;'
  commit src/c.cpp 'int c;'
  changed "$base" 9
  [ -z "$output" ] || flunk "$output"
}

Changed.WhatIsNotCommittedIsAmongThem() {
  make_repository
  echo 'int e;' >"$SCRATCH/tree/src/c.cpp"
  changed HEAD 9
  [ "$output" = ../src/c.cpp ] || flunk "$output"
}

Changed.MoreThanTheLimitAreCounted() {
  make_repository
  base=$(in_repository rev-parse HEAD)
  commit src/c.cpp 'int d;'
  commit src/b.cpp 'int b;'
  changed "$base" 1
  expect_output '^1 more sources changed'
  expect_output '^\.\./src/b\.cpp$'
  expect_no_output 'c\.cpp'
}

Changed.CountsFromTheLastTagAndWithoutOneFromTheTenthCommitBack() {
  local number base
  make_repository
  for number in 1 2 3 4 5 6 7 8 9 10; do commit src/c.cpp "int c$number;"; done
  # shellcheck source=tests/lint/support.bash
  . "$ROOT/tests/lint/support.bash"
  ROOT=$SCRATCH/tree
  base=$(base_of_change)
  [ "$base" = "$(in_repository rev-parse HEAD~10)" ] || flunk "without a tag: $base"
  in_repository tag v1 HEAD~2
  base=$(base_of_change)
  [ "$base" = v1 ] || flunk "with a tag: $base"
}
