# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Configures and builds.
: "${root:?}" "${python:?}"

# What the result of `meson setup` depends on: the options, the directory, and the installed packages, for which the time of
# dpkg's list is used.
configuration_of() {
  printf '%s\n' "$root" "$@"
  stat -c %Y /var/lib/dpkg/status 2>/dev/null || true
}

# Configures the directory $1, again if it was configured before; a build directory of another meson version is replaced.
run_meson() {
  local directory=$1 log=$1/setup.log
  shift
  mkdir -p "$directory"
  if [ -f "$directory/build.ninja" ]; then
    if meson setup --reconfigure "$directory" "$root" "$@" >"$log" 2>&1; then return 0; fi
    if ! grep -qi 'meson version' "$log"; then return 1; fi
  fi
  rm -rf "$directory"
  mkdir -p "$directory"
  meson setup "$directory" "$root" "$@" >"$log" 2>&1
}

# Configures the directory $1 with the meson options that follow, if anything has changed.
configure() {
  local directory=$1 wanted
  shift
  wanted=$(configuration_of "$@")
  if [ -f "$directory/build.ninja" ] && [ "$(cat "$directory/.configured" 2>/dev/null)" = "$wanted" ]; then return 0; fi
  # The build is kept, except in a tree that was moved: meson cannot reconfigure that in place.
  if [ -f "$directory/.configured" ] && [ "$(head -n 1 "$directory/.configured")" != "$root" ]; then rm -rf "$directory"; fi
  if ! run_meson "$directory" "$@"; then
    show_tail "$directory/setup.log"
    # What a compiler answered to a check of meson is only in meson's own log.
    if [ -s "$directory/meson-logs/meson-log.txt" ]; then show_tail "$directory/meson-logs/meson-log.txt"; fi
    fail "The build could not be configured: the reason is above, the whole logs in $directory/setup.log and $directory/meson-logs."
  fi
  printf '%s\n' "$wanted" >"$directory/.configured"
}

# What pipelines/ and a user's shell need, as ninja targets of the directory $1: the plugin, the metadata library with it, the
# programs and the completion of the shell. Not the tests, nor the typelib, which only bindings of other languages read. The
# RTSP server is two files.
product_targets() {
  "$python" - "$1" "$root/tests/" <<'PYTHON'
import json, os, sys
directory, tests = sys.argv[1:]
for target in json.load(open(os.path.join(directory, "meson-info", "intro-targets.json"))):
    wanted = target["type"] in ("executable", "shared library", "shared module") or target["name"] == "bash-completion"
    if wanted and target["build_by_default"] and not target["defined_in"].startswith(tests):
        for name in target["filename"]:
            print(os.path.relpath(name, directory))
PYTHON
}

# Builds targets (default: all) in the directory $1. Shows the progress; warnings are in build.log.
build() {
  local directory=$1 log=$1/build.log start=$SECONDS name
  shift
  name=${directory#"$root/"}
  # ninja counts the cores of the machine; a small machine with many cores runs out of memory in Eigen's templates.
  if ! ninja -C "$directory" -j "$(jobs_at_once)" "$@" 2>&1 | log_with_progress "$log" "Building $name"; then
    # A compiler may add a hundred notes to one error.
    grep -E '^FAILED:| error: |undefined reference' "$log" | cut -c 1-400 | head -n 30 >&2 || show_tail "$log" 40
    fail "The build failed: the reason is above, the whole log in $log."
  fi
  if [ $((SECONDS - start)) -gt 5 ]; then say "Built $name in $((SECONDS - start)) s"; fi
}

# As many compilers as there are cores, but no more than fit in memory at 2 GB each: the largest source of a unity build takes that
# much with sanitizers.
jobs_at_once() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 2097152) }' /proc/meminfo)
  if [ "${memory:-1}" -lt 1 ]; then memory=1; fi
  if [ "$memory" -lt "$cores" ]; then printf '%s' "$memory"; else printf '%s' "$cores"; fi
}

# The options of every build of the project, one per line.
common_options() {
  printf '%s\n' "-Donnxruntime_prefix=$(ort_prefix)" -Donnx=enabled
}

# Compiles the sources of each library together, which takes half the time, because headers are read once. The linters check
# single sources, so they do not use it.
unity_options() { printf '%s\n' -Dunity=on -Dunity_size=40; }

# Builds in build/: what users run (product), or that and the tests (everything). One directory serves both, so the demo
# and the tests never rebuild each other's work.
build_tree() {
  local what=$1 options targets=()
  mapfile -t options < <(common_options && unity_options)
  configure "$root/build" "${options[@]}"
  if [ "$what" = product ]; then mapfile -t targets < <(product_targets "$root/build"); fi
  build "$root/build" "${targets[@]}"
}
