# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Files from the Python package index, pinned by sha256.
: "${deps:?}"

# The system's interpreter, independent of the user's PATH: it has the packages that are installed here.
python=/usr/bin/python3

# Makes the directory "$1" atomically: runs "$2 PART …" on an empty directory beside it, then renames. "$1/.complete"
# contains the pin "$3", so that a changed pin replaces the directory and an interrupted run is not taken as complete.
# Usage: fill_directory DIRECTORY FUNCTION PIN [ARGUMENT…]
fill_directory() {
  local directory=$1 function=$2 pin=$3
  shift 3
  if [ "$(cat "$directory/.complete" 2>/dev/null)" = "$pin" ]; then return 0; fi
  rm -rf "$directory.part"
  mkdir -p "$directory.part"
  "$function" "$directory.part" "$@"
  printf '%s\n' "$pin" >"$directory.part/.complete"
  rm -rf "$directory"
  mv "$directory.part" "$directory"
}

# Why pip failed to download "$2", as one sentence, from its log $1.
explain_pip_failure() {
  local log=$1 what=$2
  if grep -q 'DO NOT MATCH THE HASHES' "$log"; then
    fail "The download of $what was rejected: its sha256 is not the pinned one; a proxy or mirror may have changed it (details: $log)."
  elif grep -qi 'no space left' "$log"; then
    fail "The disk is full: free some space and run this again."
  fi
  fail "The Python package index is out of reach, so $what could not be fetched: check the network and pip's settings, then run this again (details: $log)."
}

# Downloads the wheel of "$2" (NAME==VERSION) with the sha256 "$3" into the directory $1 and prints its path.
# Further arguments go to pip. pip checks the sum before it gives the file its name.
fetch_wheel() {
  local into=$1 requirement=$2 sha256=$3 log=$deps/log/pip.log
  shift 3
  mkdir -p "$into"
  printf '%s --hash=sha256:%s\n' "$requirement" "$sha256" >"$into/requirements.txt"
  if ! PIP_REQUIRE_VIRTUALENV=0 "$python" -m pip download --quiet --no-deps --only-binary=:all: --require-hashes \
    --disable-pip-version-check --no-input --timeout 10 --retries 1 --progress-bar off \
    -r "$into/requirements.txt" -d "$into" "$@" >"$log" 2>&1; then
    explain_pip_failure "$log" "$requirement"
  fi
  find "$into" -maxdepth 1 -name '*.whl' -print -quit
}

sha256_of() { sha256sum -- "$1" | cut -d ' ' -f 1; }
