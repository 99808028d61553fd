# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Packages of Debian 13 for what Debian 12 does not have, unpacked into .deps.
: "${here:?}" "${deps:?}" "${python:?}"

# Unpacks packages of Debian 13 into the directory $1/tree without touching the machine's own package sources. $2 is the name of the
# log, $3 what they are for, $4 what to do instead where no Debian archive is known.
# Usage: unpack_from_trixie WORK LOG WHAT INSTEAD PACKAGE…
unpack_from_trixie() {
  local work=$1 log=$deps/log/$2 what=$3 instead=$4 source package
  shift 4
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
  source=$("$python" "$here/trixie_source.py" /etc/apt "$work" 2>"$log") ||
    fail "There is no Debian archive in /etc/apt, so $what cannot be downloaded: $instead."
  local options=(-o "Dir::Etc::SourceList=$source" -o Dir::Etc::SourceParts=/nonexistent -o "Dir::State::Lists=$work/lists"
    -o "Dir::Cache=$work/cache" -o APT::Sandbox::User= -o Acquire::Languages=none -o Acquire::Retries=1
    -o Acquire::http::Timeout=10 -o Acquire::https::Timeout=10)
  if ! (cd "$work" && apt-get "${options[@]}" update && apt-get "${options[@]}" download "$@") </dev/null >>"$log" 2>&1; then
    if grep -qi 'no space left' "$log"; then fail "The disk is full: free some space and run this again."; fi
    fail "The package archive is out of reach, so $what could not be fetched: check the network, then run this again (details: $log)."
  fi
  for package in "$work"/*.deb; do dpkg-deb -x "$package" "$work/tree"; done
}

# Debian 12's hiredis is the only one without TLS. The library of Debian 13 runs on it.
fill_hiredis() {
  local into=$1 work=$1/apt file
  say "To download: Debian 13's hiredis, which has TLS (10 MB of package lists, 0.1 MB)"
  unpack_from_trixie "$work" hiredis.log "hiredis with TLS" "install hiredis 1.0 or newer yourself" libhiredis-dev libhiredis1.1.0
  mkdir -p "$into/lib"
  mv "$work/tree/usr/include" "$into/include"
  mv "$work"/tree/usr/lib/*/libhiredis*.so* "$work"/tree/usr/lib/*/pkgconfig "$into/lib"
  for file in "$into"/lib/pkgconfig/*.pc; do
    # shellcheck disable=SC2016  # variables of pkg-config
    sed -i 's|^prefix=.*|prefix=${pcfiledir}/../..|; s|^libdir=.*|libdir=${prefix}/lib|; s|^includedir=.*|includedir=${prefix}/include|;
      s|^pkgincludedir=.*|pkgincludedir=${prefix}/include/hiredis|' "$file"
  done
  rm -rf "$work"
  say "  in place: .deps/hiredis"
}

ensure_hiredis() {
  if ! is_newer_than_debian_12; then fill_directory "$deps/hiredis" fill_hiredis trixie; fi
}
