#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sets up, builds, and runs the tests. The last line is "N passed, N failed".
#
#   tests/run.sh                 every test: suites core, eval, gst, tools, models, scripts, pipelines, docs
#   tests/run.sh NAME            the tests whose name (SUITE/PROGRAM/Subject.Sentence) contains NAME
#   tests/run.sh --list [NAME]   their names
#   tests/run.sh --sanitize      core and gst under AddressSanitizer and UBSan, then under ThreadSanitizer
#   tests/run.sh --cuda          the refusals of the real CUDA build of ONNX Runtime (downloads 256 MB)
#   tests/run.sh --export        models/export_clip.py on all architectures (installs Debian's torch, takes minutes)
#   tests/run.sh --lint          both compilers without a warning, formatting, scripts, spelling
#   tests/run.sh --bench         the benchmarks
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=scripts/setup/parts.sh
. "$root/scripts/setup/parts.sh"

mode=test name='' suites=core,eval,gst,tools,models,scripts,pipelines,docs
for argument in "$@"; do
  case $argument in
    --list | --sanitize | --cuda | --export | --lint | --bench) mode=${argument#--} ;;
    -h | --help)
      sed -n '3,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    -*) fail "tests/run.sh does not know $argument: see tests/run.sh --help." ;;
    *) name=$argument ;;
  esac
done

# Runs the runner on the programs of a build directory, with nothing of the user's own in reach.
# Usage: run_suites BUILD [ARGUMENT…]
run_suites() {
  local build=$1
  shift
  "$python" "$root/tests/runner.py" --root "$root" --build "$build" --name "$name" "$@"
}

# Builds the directory $1 with a sanitizer. Introspection runs the code it scans and cannot load a sanitizer late.
build_with() {
  local directory=$1 sanitizer=$2 options
  mapfile -t options < <(common_options)
  configure "$directory" "${options[@]}" -Dbuildtype=debugoptimized "-Db_sanitize=$sanitizer" -Db_lundef=false \
    -Dintrospection=disabled -Dbenchmarks=disabled -Dcli=disabled
  build "$directory"
}

# Both sanitizers report through the exit code of a program, which the runner counts. ThreadSanitizer gets no suppressions:
# it sees every lock of the core, and tests/sanitize/glib_locks.c shows it GLib's. What GLib and GStreamer themselves do is
# not its business (ignore_noninstrumented_modules): they are not built for it.
sanitize() {
  local status=0 list=$root/tests/sanitize
  build_with "$root/build-asan" address,undefined
  build_with "$root/build-tsan" thread
  # The run that finds no registry loads every plugin of the system to make one, and would be blamed for their leaks.
  GST_REGISTRY=$root/build-asan/test-registry.bin GST_PLUGIN_PATH=$root/build-asan/gst-plugin ASAN_OPTIONS=detect_leaks=0 \
    "$root/build-asan/tests/gst/gst-tests" --gtest_list_tests >/dev/null
  say "AddressSanitizer and UndefinedBehaviorSanitizer: core, gst"
  ASAN_OPTIONS=fast_unwind_on_malloc=0:detect_stack_use_after_return=1 LSAN_OPTIONS=suppressions=$list/lsan.supp:print_suppressions=0 \
    UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
    run_suites "$root/build-asan" --suites core,gst --slower 10 --carry "$root/build-asan/counts" || status=1
  say "ThreadSanitizer: core"
  TSAN_OPTIONS=halt_on_error=0:exitcode=66 run_suites "$root/build-tsan" --suites core --slower 10 \
    --add "$root/build-asan/counts" --carry "$root/build-tsan/counts-core" || status=1
  say "ThreadSanitizer: gst"
  TSAN_OPTIONS=halt_on_error=0:exitcode=66:ignore_noninstrumented_modules=1 run_suites "$root/build-tsan" --suites gst --slower 10 \
    --add "$root/build-tsan/counts-core" || status=1
  return $status
}

# Builds against the CUDA build itself: a library of another version cannot stand in for it, its symbols carry the version.
# What needs a GPU is skipped without one: that is no package one could install.
cuda() {
  local options=("-Donnxruntime_prefix=$deps/onnxruntime-gpu" -Donnx=enabled -Dintrospection=disabled)
  configure "$root/build-cuda" "${options[@]}"
  build "$root/build-cuda" tests/core/core-cuda
  LD_LIBRARY_PATH=$deps/onnxruntime-gpu/lib run_suites "$root/build-cuda" --suites cuda --may-skip
}

# A locale that writes 0,5 for the tests that ask for one: a minimal Debian has none, and the system's list stays as it is.
make_comma_locale() {
  export LOCPATH=$root/build/locale
  if [ -e "$LOCPATH/de_DE.UTF-8" ]; then return 0; fi
  mkdir -p "$LOCPATH"
  localedef -i de_DE -f UTF-8 "$LOCPATH/de_DE.UTF-8" || fail "localedef could not make a German locale: is the package locales installed?"
}

# What the element costs beyond the bare run of its model, with the demo model and with one of a real CLIP's size.
bench_overhead() {
  need_vit
  "$1" "$root/models/demo" 640 360 200
  "$1" "$vit" 1920 1080 30
}

# What a slow model does to a camera: ViT-B/32 on two tiles and one thread takes some 200 ms.
bench_live() {
  need_vit
  "$1" "$vit" 20
}

# Many live streams on one model. The demo model is a twentieth of the other's size, so with it the streams' own memory shows.
bench_streams() {
  need_vit
  "$1" "$vit" 8 15 3
  "$1" "$root/models/demo" 8 15 1
}

# What everything costs while nothing happens.
bench_idle() {
  local cli=$root/build/tools/gst-bcp/gst-bcp
  if [ -x "$cli" ]; then "$1" "$root/models/demo" "$cli"; else "$1" "$root/models/demo"; fi
}

# What changes of labels do to the frames, with a text tower that takes some 70 ms a run.
bench_labels() { "$1" "$root/tests/data/bundles/toy-slow-words" 30; }

vit=$deps/vit-b32
need_vit() { fill_directory "$vit" make_vit "$(sha256_of "$root/tests/bench/make_vit.py")"; }
# shellcheck disable=SC2317  # called by fill_directory
make_vit() { "$python" "$root/tests/bench/make_vit.py" "$1"; }

bench() {
  local program name found=no
  export GST_PLUGIN_PATH=$root/build/gst-plugin GST_REGISTRY=$root/build/registry.bin
  for program in "$root"/build/tests/bench/bench-*; do
    if [ -f "$program" ] && [ -x "$program" ]; then
      found=yes
      name=$(basename "$program")
      say "== $name"
      case $name in
        bench-overhead) bench_overhead "$program" ;;
        bench-idle) bench_idle "$program" ;;
        bench-labels) bench_labels "$program" ;;
        bench-live) bench_live "$program" ;;
        bench-streams) bench_streams "$program" ;;
        *) "$program" ;;
      esac
    fi
  done
  if [ -x "$root/build/tools/gst-bcp/gst-bcp" ] && [ -x "$root/build/tools/rtsp-server/bcp-rtsp-server" ]; then
    say "== reconnect.py"
    "$python" "$root/tests/bench/reconnect.py" "$root/build"
  fi
  [ "$found" = yes ] || fail "There is no benchmark in build/tests/bench: is libbenchmark-dev installed?"
}

# The user's own caches, data and plugins stay out of the tests, and the tests out of them.
private=$(mktemp -d)
trap 'rm -rf "$private"' EXIT
export XDG_CACHE_HOME=$private/cache XDG_DATA_HOME=$private/data XDG_CONFIG_HOME=$private/config
export GST_REGISTRY_FORK=no LC_ALL=C.UTF-8
unset GST_PLUGIN_PATH GST_PLUGIN_PATH_1_0 GST_PLUGIN_SYSTEM_PATH GST_PLUGIN_SYSTEM_PATH_1_0 GST_BCP_MODEL_PATH GST_DEBUG

cd "$root"
case $mode in
  lint) "$root/scripts/setup.sh" --lint ;;
  cuda) "$root/scripts/setup.sh" --tests --cuda --no-build ;;
  export) "$root/scripts/setup.sh" --tests && "$root/scripts/setup.sh" --export ;;
  sanitize) "$root/scripts/setup.sh" --tests --no-build ;;
  *) "$root/scripts/setup.sh" --tests ;;
esac </dev/null
make_comma_locale

status=0
case $mode in
  test) run_suites "$root/build" --suites "$suites" || status=1 ;;
  list) run_suites "$root/build" --suites "$suites" --list ;;
  sanitize) sanitize || status=1 ;;
  cuda) cuda || status=1 ;;
  export) run_suites "$root/build" --suites export || status=1 ;;
  lint) run_suites "$root/build" --suites lint --slower 3 || status=1 ;;
  bench) bench ;;
esac
exit $status
