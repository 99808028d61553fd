#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Compares the ABI of the metadata library with its committed dump, gst-plugin/meta/libgstbcpmeta-1.0.abi. Needs
# abigail-tools and Debian 12: elsewhere GLib's own types, which are part of the dump, differ, and nothing is compared.
#
#   scripts/abi.sh                  fails and prints the difference if there is one; additions count too
#   scripts/abi.sh --against FILE   the same with another dump, such as that of an earlier version
#   scripts/abi.sh --renew LINE     updates the dump, and adds LINE below "### ABI" to CHANGELOG.md
#
# Until 1.0 the ABI may change. A removal or change needs a new minor version (meson.build), because the soname contains
# it.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=scripts/setup/parts.sh
. "$root/scripts/setup/parts.sh"

dump=$root/gst-plugin/meta/libgstbcpmeta-1.0.abi
changelog=$root/CHANGELOG.md
tree=$root/build-abi # in the tree, so that the dump names its files relative to it

# Builds only the library, with debug information, and writes its dump to $1. The dump contains only what the public
# headers declare, and nothing about the machine.
write_dump() {
  CC=gcc CXX=g++ configure "$tree" -Dbuildtype=debug --auto-features=disabled
  meson compile -C "$tree" gstbcpmeta-1.0 >"$tree/build.log" 2>&1 ||
    { show_tail "$tree/build.log" && fail "The library cannot be built: the reason is above."; }
  abidw --headers-dir "$root/gst-plugin/meta/gst/bcp" --drop-private-types --exported-interfaces-only \
    --drop-undefined-syms --type-id-style hash --no-architecture --no-comp-dir-path --no-corpus-path --no-elf-needed \
    --no-parameter-names --no-show-locs --out-file "$1" "$tree/gst-plugin/meta/libgstbcpmeta-1.0.so"
}

# Fails when the dumps $1 and $2 differ in anything.
compare() {
  abidiff --harmless "$1" "$2"
}

renew() {
  [ -n "$1" ] || fail "Say what changed, for CHANGELOG.md: scripts/abi.sh --renew 'LINE'."
  grep -qx '### ABI' "$changelog" || fail "$changelog has no line \"### ABI\" to write below."
  write_dump "$scratch/now.abi"
  if [ -f "$dump" ] && compare "$dump" "$scratch/now.abi"; then
    say "The ABI is unchanged: nothing to renew."
    return
  fi
  cp "$scratch/now.abi" "$dump"
  line="- $1" awk '{ print } $0 == "### ABI" && !done { print ""; print ENVIRON["line"]; done = 1; getline; if ($0 != "") print }' \
    "$changelog" >"$scratch/changelog"
  cat "$scratch/changelog" >"$changelog"
  say "Renewed $dump, and added a line to $changelog."
}

action=check against=$dump line=
case "${1:-}" in
  '') ;;
  --against)
    [ -n "${2:-}" ] || fail "--against needs the name of a dump."
    against=$2
    ;;
  --renew) action=renew line=${2:-} ;;
  -h | --help)
    sed -n '3,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
    exit 0
    ;;
  *) fail "abi.sh does not know $1: see scripts/abi.sh --help." ;;
esac

if [ "$(distribution)" != 'debian 12' ]; then
  [ "$action" = check ] || fail "The dump is made on Debian 12; this is $(distribution)."
  say "The ABI is compared on Debian 12 only, because GLib's own types differ elsewhere; this is $(distribution)."
  exit 0
fi
command -v abidiff >/dev/null || fail "abidiff is missing: install abigail-tools, or run scripts/setup.sh --lint."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ "$action" = renew ]; then
  renew "$line"
else
  [ -f "$against" ] || fail "There is no dump $against."
  write_dump "$scratch/now.abi"
  compare "$against" "$scratch/now.abi" ||
    fail "The ABI of libgstbcpmeta-1.0 differs from $against, see above: if that is intended, run scripts/abi.sh --renew 'what changed' and commit."
fi
