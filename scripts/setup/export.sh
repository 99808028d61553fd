# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Python environments for the tools in models/: .deps/export for export_clip.py, with Debian's torch, and .deps/quantise for
# quantise.py, with Debian's numpy; pinned wheels for the rest.
: "${here:?}" "${deps:?}" "${python:?}"

# The interpreter to run models/export_clip.py with.
export_python() { printf '%s' "$deps/export/bin/python"; }

# Makes $1 a Python environment with the packages of the file $2 of this folder; what pip prints goes to the file $3. Further arguments
# are options of venv.
make_environment() {
  local into=$1 requirements=$2 log=$3
  shift 3
  # Without pip inside: the system's pip installs into it, and ensurepip is a separate package on Debian.
  "$python" -m venv --without-pip "$@" "$into" >"$log" 2>&1 ||
    fail "$into could not be made a Python environment: the reason is in $log."
  if ! PIP_REQUIRE_VIRTUALENV=0 "$python" -m pip --python "$into/bin/python" install --quiet --no-deps --only-binary=:all: \
    --require-hashes --disable-pip-version-check --no-input --timeout 10 --retries 1 --progress-bar off \
    -r "$here/$requirements" >>"$log" 2>&1; then
    explain_pip_failure "$log" "the packages of scripts/setup/$requirements"
  fi
}

fill_export() {
  local into=$1 log=$deps/log/export.log
  say "To download: Python packages for exporting models: open_clip, transformers, onnx, onnxruntime and others (63 MB)"
  make_environment "$into" export-requirements.txt "$log" --system-site-packages
  "$into/bin/python" -c 'import huggingface_hub, onnx, onnxruntime, open_clip, timm, tokenizers, torch, transformers' >>"$log" 2>&1 || {
    show_tail "$log"
    fail "The packages for exporting do not work together: the reason is above; run models/export_clip.py in your own Python environment (pip install torch open_clip_torch onnx onnxruntime)."
  }
  say "  in place: .deps/export"
}

ensure_export() {
  [ -n "$("$python" -c 'import importlib.util as u; print(u.find_spec("torch") or "")' 2>/dev/null)" ] ||
    fail "Debian's torch is not installed: run scripts/setup.sh --export, or apt-get install python3-torch python3-torchvision."
  fill_directory "$deps/export" fill_export \
    "$("$python" --version) $(sha256_of "$here/export-requirements.txt") $(sha256_of "$here/quantise-requirements.txt")"
}

fill_quantise() {
  local into=$1 log=$deps/log/quantise.log
  say "To download: Python packages for quantising models: onnx, onnxruntime and others (37 MB)"
  make_environment "$into" quantise-requirements.txt "$log" --system-site-packages
  "$into/bin/python" -c 'import numpy, onnx, onnxruntime.quantization' >>"$log" 2>&1 || {
    show_tail "$log"
    fail "The packages for quantising do not work together: the reason is above; give models/quantise.py a Python environment of your own (pip install numpy onnx onnxruntime)."
  }
  say "  in place: .deps/quantise"
}

ensure_quantise() {
  fill_directory "$deps/quantise" fill_quantise "$("$python" --version) $(sha256_of "$here/quantise-requirements.txt")"
}
