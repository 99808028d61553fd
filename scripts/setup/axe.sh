# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# axe-core, which finds what keeps people from using a web page: a script that tests put into pages. It is licensed under MPL-2.0,
# is fetched and not committed, and is in nothing that is built.
: "${here:?}" "${deps:?}" "${python:?}"

axe_sha256=84494fec757e4710dc751c8d7a636e457f4532f08f85c86dc9070133fbff53bc
axe_wheel_sha256=fdd263c998388f1a8e67cad02677e612d946248bd44d163be5e8650ea31f95f8

fill_axe() {
  local into=$1 wheel
  say "To download: axe-core 4.12.1, from the Python package axe-playwright-python (0.2 MB)"
  wheel=$(fetch_wheel "$into/wheel" axe-playwright-python==0.1.8 "$axe_wheel_sha256") || exit 1
  "$python" "$here/unpack.py" "$wheel" "$into" axe_playwright_python/axe.min.js
  [ "$(sha256_of "$into/axe.min.js")" = "$axe_sha256" ] ||
    fail "axe.min.js in axe-playwright-python 0.1.8 does not have the pinned sha256: the download was altered; run this again."
  rm -rf "$into/wheel"
}

ensure_axe() { fill_directory "$deps/axe" fill_axe "$axe_sha256"; }
