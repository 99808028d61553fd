# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# ONNX Runtime: the library from the Python wheel, the headers from Debian 13's package. Debian 12 has no package of it, and
# the library of Debian 13's prints five hundred "Schema error" lines at every start: it registers its operators twice.
# A library that is newer than its headers supports their version of the API, so the two need not match.
: "${here:?}" "${deps:?}" "${python:?}"

ort_version=1.31.1
ort_sha256_x86_64=1f3dea47f2f0e5117c2404cea7d21fd253ae7836a3bf167a501cdfbb2600d536
ort_sha256_aarch64=0b9a492176886992e0e875f06bc0367e333f5fff11711a2d642e18b02f3009cc
ort_gpu_sha256_x86_64=05d548956197b9d01f59b625de740e0d6be3593f874e241a12dc0362650ecdf7
# The newest build with OpenVINO's provider has an older version. It also contains the CPU provider, with the same speed, so a
# tree with it needs no other library.
ort_openvino_version=1.24.1
ort_openvino_sha256_x86_64=d617fac2f59a6ab5ea59a788c3e1592240a129642519aaeaa774761dfe35150e
# The checksum of all header files' checksums: a rebuilt Debian package with the same headers also matches.
ort_headers_sha256=4a19a1408126c4aa31d6912612988abba045481c036312048ee06b93204755af

# The sum that pins a tree of files: names and contents, nothing else.
tree_sha256() {
  (cd "$1" && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -d ' ' -f 1)
}

# Puts the headers into "$1/include/onnxruntime".
fetch_ort_headers() {
  local into=$1 work=$1/apt
  unpack_from_trixie "$work" headers.log "ONNX Runtime's headers" \
    "install ONNX Runtime 1.21 or newer yourself and set GST_BCP_ONNXRUNTIME to its prefix" libonnxruntime-dev
  mkdir -p "$into/include"
  mv "$work/tree/usr/include/onnxruntime" "$into/include/onnxruntime"
  rm -rf "$work"
  [ "$(tree_sha256 "$into/include/onnxruntime")" = "$ort_headers_sha256" ] ||
    fail "ONNX Runtime's headers from Debian 13 are not the pinned ones: its package has changed; review them, then update ort_headers_sha256 in scripts/setup/onnxruntime.sh."
}

# Puts the wheel's libraries into "$1/lib", with the links for the linker and the loader.
# Usage: fetch_ort_library INTO PACKAGE VERSION SHA256 MEMBER…
fetch_ort_library() {
  local into=$1 package=$2 version=$3 sha256=$4 wheel
  shift 4
  # The wheel's Python version does not matter: only the C library in it is used.
  wheel=$(fetch_wheel "$into/wheel" "$package==$version" "$sha256" \
    --python-version 3.12 --platform "manylinux_2_28_$(uname -m)") || exit 1
  "$python" "$here/unpack.py" "$wheel" "$into/lib" "onnxruntime/capi/libonnxruntime.so.$version" \
    onnxruntime/capi/libonnxruntime_providers_shared.so "$@"
  "$python" "$here/unpack.py" "$wheel" "$into" onnxruntime/LICENSE onnxruntime/ThirdPartyNotices.txt
  ln -s "libonnxruntime.so.$version" "$into/lib/libonnxruntime.so.1"
  ln -s libonnxruntime.so.1 "$into/lib/libonnxruntime.so"
  rm -rf "$into/wheel"
}

fill_ort() {
  local into=$1 sha256=$2
  say "To download: ONNX Runtime $ort_version (24 MB) and its headers (10 MB of package lists, 0.2 MB)"
  fetch_ort_headers "$into"
  fetch_ort_library "$into" onnxruntime "$ort_version" "$sha256"
  say "  in place: .deps/onnxruntime"
}

# Puts the headers into "$1/include/onnxruntime": existing ones, or Debian's.
copy_ort_headers() {
  local into=$1 known
  for known in "$deps/onnxruntime/include/onnxruntime" /usr/include/onnxruntime; do
    if [ -d "$known" ]; then
      mkdir -p "$into/include"
      cp -r "$known" "$into/include/onnxruntime"
      break
    fi
  done
  [ -d "$into/include" ] || fetch_ort_headers "$into"
}

fill_ort_gpu() {
  local into=$1 sha256=$2
  say "To download: ONNX Runtime $ort_version with CUDA (256 MB)"
  copy_ort_headers "$into"
  fetch_ort_library "$into" onnxruntime-gpu "$ort_version" "$sha256" onnxruntime/capi/libonnxruntime_providers_cuda.so
  say "  in place: .deps/onnxruntime-gpu"
}

# Only the parts of OpenVINO for the CPU: its plugins for GPUs and NPUs are not used.
fill_ort_openvino() {
  local into=$1 sha256=$2
  say "To download: ONNX Runtime $ort_openvino_version with OpenVINO (84 MB)"
  copy_ort_headers "$into"
  fetch_ort_library "$into" onnxruntime-openvino "$ort_openvino_version" "$sha256" \
    onnxruntime/capi/libonnxruntime_providers_openvino.so 'onnxruntime/capi/libopenvino.so.????' \
    'onnxruntime/capi/libopenvino_onnx_frontend.so.????' onnxruntime/capi/libopenvino_intel_cpu_plugin.so \
    onnxruntime/capi/libtbb.so.12
  say "  in place: .deps/onnxruntime-openvino"
}

# The prefix to build with; empty: pkg-config finds it. A library's symbols contain its version, so a plugin runs only with the
# library that it was built with.
ort_prefix() {
  if [ -n "${GST_BCP_ONNXRUNTIME:-}" ]; then
    printf '%s' "$GST_BCP_ONNXRUNTIME"
  elif [ -f "$deps/openvino.chosen" ] && [ -f "$deps/onnxruntime-openvino/.complete" ]; then
    printf '%s' "$deps/onnxruntime-openvino"
  elif [ -f "$deps/onnxruntime/.complete" ]; then
    printf '%s' "$deps/onnxruntime"
  fi
}

ensure_onnxruntime() {
  local sha256
  if [ -n "${GST_BCP_ONNXRUNTIME:-}" ]; then return 0; fi
  case $(uname -m) in
    x86_64) sha256=$ort_sha256_x86_64 ;;
    aarch64) sha256=$ort_sha256_aarch64 ;;
    *) fail "There is no ONNX Runtime for $(uname -m) to download: build it yourself and set GST_BCP_ONNXRUNTIME to its prefix." ;;
  esac
  fill_directory "$deps/onnxruntime" fill_ort "$ort_version $sha256 $ort_headers_sha256" "$sha256"
}

ensure_onnxruntime_gpu() {
  [ "$(uname -m)" = x86_64 ] || fail "The CUDA build of ONNX Runtime is published for x86-64 only; this is $(uname -m)."
  fill_directory "$deps/onnxruntime-gpu" fill_ort_gpu "$ort_version $ort_gpu_sha256_x86_64" "$ort_gpu_sha256_x86_64"
}

# Builds use it from then on, unless "$1" is no: tests use it in a separate build. Removing .deps/openvino.chosen switches back
# to the plain library.
ensure_onnxruntime_openvino() {
  [ "$(uname -m)" = x86_64 ] || fail "ONNX Runtime with OpenVINO is published for x86-64 only; this is $(uname -m)."
  fill_directory "$deps/onnxruntime-openvino" fill_ort_openvino "$ort_openvino_version $ort_openvino_sha256_x86_64" \
    "$ort_openvino_sha256_x86_64"
  if [ "$1" != no ]; then : >"$deps/openvino.chosen"; fi
}
