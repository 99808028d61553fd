# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What tests/bench/compare runs beside gst-bcp: a Python environment in .deps/compare, and a Debian 13 tree with GStreamer's own
# onnxinference in .deps/debian13. On a machine that cannot have one of them the rest is measured.
: "${here:?}" "${deps:?}" "${python:?}"

fill_compare() {
  local into=$1 log=$deps/log/compare.log
  say "To download: Python packages to compare with: OpenCV, Pillow, ONNX Runtime, OpenVINO (170 MB)"
  make_environment "$into" compare-requirements.txt "$log"
  say "  in place: .deps/compare"
}

# The packages of GStreamer are installed in a second step: debootstrap cannot order those with many dependencies.
fill_debian13() {
  local into=$1 log=$deps/log/debian13.log source mirror
  local wanted=(gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-plugins-bad python3-gi python3-numpy
    gir1.2-gst-plugins-base-1.0 gir1.2-gst-plugins-bad-1.0)
  say "To download: a Debian 13 tree with GStreamer 1.26, for its onnxinference (200 MB, takes minutes)"
  source=$("$python" "$here/trixie_source.py" /etc/apt "$into" 2>"$log") || fail "No Debian archive is named in /etc/apt."
  mirror=$(sed -nE 's/^URIs: *([^ ]+).*/\1/p; s/^deb +(\[[^]]*\] +)?([^ ]+) .*/\2/p' "$source" | head -n 1)
  rm -f "$source"
  if ! debootstrap --variant=minbase --include=ca-certificates trixie "$into" "$mirror" >>"$log" 2>&1 ||
    ! cp /etc/apt/apt.conf.d/* "$into/etc/apt/apt.conf.d/" 2>>"$log" ||
    ! chroot "$into" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 apt-get -y --no-install-recommends install "${wanted[@]}" \
      </dev/null >>"$log" 2>&1; then
    show_tail "$log"
    fail "The Debian 13 tree could not be made: the reason is above, the whole log in $log."
  fi
  say "  in place: .deps/debian13"
}

ensure_compare() {
  fill_directory "$deps/compare" fill_compare "$("$python" --version) $(sha256_of "$here/compare-requirements.txt")"
  if [ "$(id -u)" -ne 0 ]; then
    say "The Debian 13 tree for GStreamer's onnxinference needs root: left out."
  else
    fill_directory "$deps/debian13" fill_debian13 trixie
  fi
}
