#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2317  # gates are called by name
# Sets up, builds, and runs the tests. The last line is "N passed, N failed".
#
#   tests/run.sh                 every test: suites core, eval, gst, tools, models, scripts, pipelines, docs
#   tests/run.sh NAME            the tests whose name (SUITE/PROGRAM/Subject.Sentence) contains NAME
#   tests/run.sh --list [NAME]   their names
#   tests/run.sh --ci            every gate of .ci/run: the cheap linters, every test, AddressSanitizer and UBSan
#   tests/run.sh --sanitize      core, eval, gst and the command line under AddressSanitizer and UBSan; core and gst under
#                                ThreadSanitizer
#   tests/run.sh --cuda          errors of the real CUDA build of ONNX Runtime (downloads 256 MB)
#   tests/run.sh --openvino      ONNX Runtime with OpenVINO: agreement, precision, errors (downloads 84 MB)
#   tests/run.sh --redis-tls     fleets through Redis with TLS (on Debian 12, downloads Debian 13's hiredis)
#   tests/run.sh --export        models/export_clip.py on all architectures, models/quantise.py (installs Debian's torch, takes minutes)
#   tests/run.sh --lint          both compilers, clang-tidy and link-time optimisation (-Wodr) without a warning over everything;
#                                formatting, scripts, licence lines, spelling, the ABI
#   tests/run.sh --bench [NAME]  the benchmarks (whose name contains NAME); "compare" is the page of tables of docs/performance.md
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=scripts/setup/parts.sh
. "$root/scripts/setup/parts.sh"

mode=test name='' suites=core,eval,gst,tools,models,scripts,pipelines,docs
for argument in "$@"; do
  case $argument in
    --list | --ci | --sanitize | --cuda | --openvino | --redis-tls | --export | --lint | --bench) mode=${argument#--} ;;
    -h | --help)
      sed -n '4,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    -*) fail "tests/run.sh does not know $argument: see tests/run.sh --help." ;;
    *) name=$argument ;;
  esac
done

# Runs the runner on the programs of a build directory, without the user's own files, as many at a time as there are cores.
# Usage: run_suites BUILD [ARGUMENT…]
run_suites() {
  local build=$1
  shift
  "$python" "$root/tests/runner.py" --root "$root" --build "$build" --name "$name" --jobs "$(jobs_at_once)" "$@"
}

# Builds the directory $1 with the sanitizer $2 and further options of meson. Introspection runs the code it scans and cannot load a sanitizer late. At -O1
# with line numbers only, a build takes half the time and the stacks in reports stay complete. Leaks of the program that writes the
# completion are left to the tests.
build_with() {
  local directory=$1 sanitizer=$2 options
  shift 2
  mapfile -t options < <(common_options && unity_options)
  configure "$directory" "${options[@]}" -Doptimization=1 -Ddebug=true -Dc_args=-g1 "-Dcpp_args=-g1 -D_GLIBCXX_ASSERTIONS" "-Db_sanitize=$sanitizer" \
    -Db_lundef=false -Dintrospection=disabled -Dbenchmarks=disabled "$@"
  ASAN_OPTIONS=detect_leaks=0 build "$directory"
}

# The programs that run under AddressSanitizer. Of the command line: its parts, and the shell cases that read models
# (cli_check). --sanitize adds those that run its threads (run*) and adapt, which take too long for .ci/run. Not the cases of pages,
# which are tests of scripts in a browser, nor those of eval, whose library is in suite eval, nor those that run gst-launch-1.0,
# which cannot load a sanitized plugin (cli_prior).
sanitized_core=core/,eval/ sanitized_programs=gst,tools/tools-tests,tools/cli_check

# Runs programs of build-asan; counts are in $1: the suites $2, the programs $3, the option $4 of AddressSanitizer.
sanitized() {
  local list=$root/tests/sanitize build=$root/build-asan
  ASAN_OPTIONS=$4:detect_stack_use_after_return=1:log_path=$build/reports/asan \
    LSAN_OPTIONS=suppressions=$list/lsan.supp:print_suppressions=0 \
    UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:log_path=$build/reports/ubsan \
    run_suites "$build" --suites "$2" --programs "$3" --slower 10 --add "$1" --carry "$1"
}

# Builds and runs these with AddressSanitizer and UBSan; adds to the counts in the file $1. Reports go to files: a shell case
# that expects a command to fail, or reads its output, would hide one.
address_sanitizer() {
  local counts=$1 build=$root/build-asan report status=0
  (build_with "$build" address,undefined) || return 2
  # A run without a registry loads every plugin of the system to create one, and would report their leaks.
  GST_REGISTRY=$build/test-registry.bin GST_PLUGIN_PATH=$build/gst-plugin ASAN_OPTIONS=detect_leaks=0 \
    "$build/tests/gst/gst-tests" --gtest_list_tests >/dev/null || return 2
  rm -rf "$build/reports"
  mkdir "$build/reports"
  # GLib is built without frame pointers: only slow unwinding finds the allocating function, which lsan.supp needs. The core's
  # tests do not use GLib, and take a third of the time without it.
  sanitized "$counts" core,eval "$sanitized_core" fast_unwind_on_malloc=1 || status=1
  sanitized "$counts" gst,tools "$sanitized_programs" fast_unwind_on_malloc=0 || status=1
  for report in "$build"/reports/*; do
    if [ -e "$report" ]; then
      head -n 60 "$report"
      count_failure "$counts" "a sanitizer reported the above (whole: $report)"
      status=1
    fi
  done
  return "$status"
}

# ThreadSanitizer gets no suppressions: it sees every lock of the core, and tests/sanitize/glib_locks.c shows it GLib's. What
# ONNX Runtime, GLib and GStreamer themselves do is left out (ignore_noninstrumented_modules): they are not built for it. ONNX
# Runtime's destructors, at the end of the process, free what its own background threads used, which is reported otherwise.
thread_sanitizer() {
  local counts=$1 build=$root/build-tsan status=0
  (build_with "$build" thread -Dcli=disabled) || return 2
  say "ThreadSanitizer: core"
  TSAN_OPTIONS=halt_on_error=0:exitcode=66:ignore_noninstrumented_modules=1 run_suites "$build" --suites core --slower 10 \
    --add "$counts" --carry "$counts" || status=1
  say "ThreadSanitizer: gst"
  TSAN_OPTIONS=halt_on_error=0:exitcode=66:ignore_noninstrumented_modules=1 run_suites "$build" --suites gst --slower 10 \
    --add "$counts" --carry "$counts" || status=1
  return "$status"
}

# The linters over the scope $2: all, or changed (defined in tests/lint/README.md). Those that compile use all cores themselves.
lint() { GST_BCP_LINT=$2 run_suites "$root/build" --suites lint --jobs 1 --slower 3 --add "$1" --carry "$1"; }

every_test() { run_suites "$root/build" --suites "$suites" --add "$1" --carry "$1"; }

# Adds a failure without a test to the counts in the file $1 and prints the description $2.
count_failure() {
  say "FAIL  $2"
  "$python" -c 'import json, sys; p, f = json.load(open(sys.argv[1])); json.dump([p, f + 1], open(sys.argv[1], "w"))' "$1"
}

# Runs gates one after the other, each a function with its arguments in one word; the last line is the total. A gate that could
# not be built (exit code 2) counts as one failure.
gates() {
  local counts=$private/counts gate start code status=0 words
  printf '[0, 0]' >"$counts"
  for gate in "$@"; do
    read -ra words <<<"$gate"
    say "== ${words[0]//_/ }"
    start=$SECONDS code=0
    "${words[0]}" "$counts" "${words[@]:1}" || code=$? status=1
    if [ "$code" -gt 1 ]; then count_failure "$counts" "${words[0]//_/ }: it could not be built or started, see above"; fi
    say "== ${words[0]//_/ }: $((SECONDS - start)) s"
  done
  "$python" -c 'import json, sys; print("{} passed, {} failed".format(*json.load(open(sys.argv[1]))))' "$counts"
  return "$status"
}

# Builds against the CUDA build itself: a library of another version cannot replace it, because its symbols have the version.
# Tests that need a GPU are skipped without one.
cuda() {
  local options=("-Donnxruntime_prefix=$deps/onnxruntime-gpu" -Donnx=enabled -Dintrospection=disabled)
  configure "$root/build-cuda" "${options[@]}"
  build "$root/build-cuda" tests/core/core-cuda
  LD_LIBRARY_PATH=$deps/onnxruntime-gpu/lib run_suites "$root/build-cuda" --suites cuda --may-skip
}

configure_openvino() {
  local options
  mapfile -t options < <(unity_options)
  configure "$root/build-openvino" "-Donnxruntime_prefix=$deps/onnxruntime-openvino" -Donnx=enabled -Dintrospection=disabled \
    "${options[@]}"
}

# Builds against the library with OpenVINO. Tests that need bf16 are skipped on processors without it.
openvino() {
  configure_openvino
  build "$root/build-openvino" tests/core/core-openvino
  run_suites "$root/build-openvino" --suites openvino --may-skip
}

# Builds with a hiredis that has TLS: Debian 12's has not. All tests of fleets, since the library is another.
redis_tls() {
  local options
  mapfile -t options < <(common_options && unity_options)
  if [ -d "$deps/hiredis" ]; then options+=("-Dpkg_config_path=$deps/hiredis/lib/pkgconfig"); fi
  configure "$root/build-redis-tls" "${options[@]}" -Dfleet=enabled -Dintrospection=disabled
  grep -q '"hiredis_ssl"' "$root/build-redis-tls/meson-info/intro-dependencies.json" || fail "hiredis in $deps/hiredis has no TLS."
  build "$root/build-redis-tls" tests/core/core-fleet
  run_suites "$root/build-redis-tls" --suites core --programs core/core-fleet
}

# A locale that writes 0,5, for the tests that need it: a minimal Debian does not have one, and the system's list is not changed.
make_comma_locale() {
  export LOCPATH=$root/build/locale
  if [ -e "$LOCPATH/de_DE.UTF-8" ]; then return 0; fi
  mkdir -p "$LOCPATH"
  localedef -i de_DE -f UTF-8 "$LOCPATH/de_DE.UTF-8" || fail "localedef could not make a German locale: is the package locales installed?"
}

# What the element costs beyond the bare run of its model, with the bundled model and with one of a real CLIP's size.
bench_overhead() {
  need_vit
  "$1" "$root/models/mini" 640 360 200
  "$1" "$root/models/mini" 1920 1080 100
  "$1" "$vit" 1920 1080 30
}

# What a slow model does to a camera: ViT-B/32 on two tiles and one thread takes about 200 ms.
bench_live() {
  need_vit
  "$1" "$vit" 20
}

# Many live streams on one model. The bundled model is a sixteenth of the other's size, so with it the streams' own memory shows.
bench_streams() {
  need_vit
  "$1" "$vit" 8 15 3
  "$1" "$root/models/mini" 8 15 1
}

# Time to the first label and memory, with the bundled model and with one of a real CLIP's size.
bench_start() {
  need_vit
  "$1" "$root/models/mini"
  "$1" "$vit"
}

# What everything costs while nothing happens.
bench_idle() {
  local cli=$root/build/tools/gst-bcp/gst-bcp
  if [ -x "$cli" ]; then "$1" "$root/models/mini" "$cli"; else "$1" "$root/models/mini"; fi
}

# What changes of labels do to the frames, with a text tower that takes about 70 ms a run.
bench_labels() { "$1" "$root/tests/data/bundles/toy-slow-words" 30; }

# What skip-static saves and misses, on made-up scenes and on the clips.
bench_still() {
  local clips=$root/tests/data/clips
  "$1" "$root/models/mini" "$clips/intel_one-by-one.mp4" "$clips/mdn_friday.mp4" "$clips"/*.mp4
}

# The page of tables of docs/performance.md: the whole beside what others need for the same work (tests/bench/compare). What cannot
# be had here is named in it.
bench_table() {
  local arguments=(--build "$root/build" --model "$root/models/mini" --model "$vit")
  need_vit
  "$root/scripts/setup.sh" --compare
  if [ "$(uname -m)" = x86_64 ]; then
    "$root/scripts/setup.sh" --tests --openvino --no-build
    configure_openvino
    build "$root/build-openvino" gst-plugin/libgstbcp.so tests/bench/contender
    arguments+=(--openvino-build "$root/build-openvino")
  fi
  if [ -d "$deps/debian13" ]; then arguments+=(--tree "$deps/debian13"); fi
  "$python" "$root/tests/bench/compare/table.py" --python "$deps/compare/bin/python" "${arguments[@]}"
}

vit=$deps/vit-b32
need_vit() { fill_directory "$vit" make_vit "$(sha256_of "$root/tests/bench/make_vit.py")"; }
# shellcheck disable=SC2317  # called by fill_directory
make_vit() { "$python" "$root/tests/bench/make_vit.py" "$1"; }

bench() {
  local program benchmark found=no
  if [[ compare/table.py == *"$name"* ]]; then
    found=yes
    say "== compare/table.py"
    bench_table
  fi
  export GST_PLUGIN_PATH=$root/build/gst-plugin GST_REGISTRY=$root/build/registry.bin
  for program in "$root"/build/tests/bench/bench-*; do
    benchmark=$(basename "$program")
    if [ -f "$program" ] && [ -x "$program" ] && [[ $benchmark == *"$name"* ]]; then
      found=yes
      say "== $benchmark"
      case $benchmark in
        bench-overhead) bench_overhead "$program" ;;
        bench-idle) bench_idle "$program" ;;
        bench-labels) bench_labels "$program" ;;
        bench-live) bench_live "$program" ;;
        bench-start) bench_start "$program" ;;
        bench-still) bench_still "$program" ;;
        bench-streams) bench_streams "$program" ;;
        *) "$program" ;;
      esac
    fi
  done
  if [[ reconnect.py == *"$name"* ]] && [ -x "$root/build/tools/gst-bcp/gst-bcp" ] && [ -x "$root/build/tools/rtsp-server/bcp-rtsp-server" ]; then
    found=yes
    say "== reconnect.py"
    "$python" "$root/tests/bench/reconnect.py" "$root/build"
  fi
  [ "$found" = yes ] || fail "There is no benchmark in build/tests/bench with \"$name\" in its name: is libbenchmark-dev installed?"
}

# Tests do not use the user's caches, data and plugins.
private=$(mktemp -d)
trap 'rm -rf "$private"' EXIT
export XDG_CACHE_HOME=$private/cache XDG_DATA_HOME=$private/data XDG_CONFIG_HOME=$private/config
export GST_REGISTRY_FORK=no LC_ALL=C.UTF-8
unset GST_PLUGIN_PATH GST_PLUGIN_PATH_1_0 GST_PLUGIN_SYSTEM_PATH GST_PLUGIN_SYSTEM_PATH_1_0 GST_BCP_MODEL_PATH GST_DEBUG

cd "$root"
set_up() {
  case $mode in
    lint | ci) "$root/scripts/setup.sh" --lint ;;
    cuda) "$root/scripts/setup.sh" --tests --cuda --no-build ;;
    openvino) "$root/scripts/setup.sh" --tests --openvino --no-build ;;
    redis-tls) "$root/scripts/setup.sh" --tests --redis-tls --no-build ;;
    export) "$root/scripts/setup.sh" --tests && "$root/scripts/setup.sh" --export ;;
    sanitize) "$root/scripts/setup.sh" --tests --no-build ;;
    *) "$root/scripts/setup.sh" --tests ;;
  esac </dev/null
}
# The last line of .ci/run always has the total.
if ! set_up; then
  if [ "$mode" = ci ]; then say "0 passed, 1 failed"; fi
  exit 1
fi
make_comma_locale

status=0
case $mode in
  test) run_suites "$root/build" --suites "$suites" || status=1 ;;
  list) run_suites "$root/build" --suites "$suites" --list ;;
  ci) gates 'lint changed' every_test address_sanitizer || status=1 ;;
  sanitize)
    sanitized_programs+=,tools/run,tools/adapt
    gates address_sanitizer thread_sanitizer || status=1
    ;;
  cuda) cuda || status=1 ;;
  openvino) openvino || status=1 ;;
  redis-tls) redis_tls || status=1 ;;
  export) run_suites "$root/build" --suites export || status=1 ;;
  lint) gates 'lint all' || status=1 ;;
  bench) bench ;;
esac
exit $status
