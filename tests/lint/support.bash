# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the lint cases share: the helpers of the shell suites, the files to check, and builds with warnings as errors.
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

# all: the whole tree (tests/run.sh --lint). changed: what changed (.ci/run), for the cases that take minutes.
scope=${GST_BCP_LINT:-all}
# So many sources are checked in the scope "changed" that it stays within minutes; tests/run.sh --lint checks the rest.
most_changed=25

# Configures the directory $1 for the C compiler $2 and the C++ compiler $3 with warnings as errors; further arguments are
# meson's.
configure_strictly() {
  local directory=$1 options
  root=$ROOT
  # shellcheck source=scripts/setup/parts.sh
  . "$root/scripts/setup/parts.sh"
  mapfile -t options < <(common_options)
  export CC=$2 CXX=$3
  shift 3
  configure "$directory" "${options[@]}" -Dwerror=true "$@"
}

# Builds everything in the directory $1, configured as above, or the objects of what changed.
build_without_a_warning() {
  local targets=()
  configure_strictly "$@"
  if [ "$scope" = changed ]; then
    changed_sources "$1"
    [ ${#sources[@]} -gt 0 ] || return 0
    targets=("${sources[@]/%/^}")
  fi
  build "$1" "${targets[@]}"
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

# The commit that "changed" is counted from: the last tag, or without one the tenth commit before HEAD, or the oldest that a
# shallow clone has (which is HEAD itself in a clone of depth one: then only what is not committed has changed).
base_of_change() {
  git -C "$ROOT" describe --tags --abbrev=0 HEAD^ 2>/dev/null ||
    git -C "$ROOT" rev-list --first-parent --max-count=11 HEAD | tail -n 1
}

# The C and C++ sources to check, as an array in $sources, in the spelling of the build directory $1: see changed.py.
changed_sources() {
  local base found
  base=$(base_of_change)
  found=$("$python" "$ROOT/tests/lint/changed.py" "$ROOT" "$1" "$base" "$most_changed") || flunk "changed.py failed, see above"
  sources=()
  if [ -n "$found" ]; then mapfile -t sources <<<"$found"; fi
  printf 'Changed since %s: %s\n' "$base" "${sources[*]:-no source}"
}

# Every source of the build directory $1, as an array in $sources.
every_source() {
  mapfile -t sources < <("$python" - "$1/compile_commands.json" <<'PYTHON'
import json, sys
print(*sorted({entry["file"] for entry in json.load(open(sys.argv[1])) if entry["file"].endswith((".c", ".cpp"))}), sep="\n")
PYTHON
  )
}

# The object of each source after the build directory $1, one a line: the first, where several targets compile a source.
objects_of() {
  "$python" - "$@" <<'PYTHON'
import json, sys
objects = {}
for entry in json.load(open(sys.argv[1] + "/compile_commands.json")):
    objects.setdefault(entry["file"], entry["output"])
for source in sys.argv[2:]:
    print(objects[source])
PYTHON
}
