# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# How the scripts talk: plain sentences, one line of progress on a terminal, one sentence when they fail.

say() { printf '%s\n' "$*"; }

# Ends the script. The sentence names what is at fault and the way out.
fail() {
  printf 'gst-bcp: %s\n' "$*" >&2
  exit 1
}

# The last lines of a log, for the failures no sentence can foresee.
show_tail() {
  printf -- '--- the last lines of %s\n' "$1" >&2
  tail -n "${2:-25}" "$1" >&2
  printf -- '---\n' >&2
}

# Copies stdin to the log $1. On a terminal, lines that tell progress (ninja's "[3/40] …", what apt-get and dpkg do) keep
# one line up to date that starts with the words $2; elsewhere nothing is shown until the caller says it is done.
log_with_progress() {
  local log=$1 what=$2 line step
  : >"$log"
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    [ -t 1 ] || continue
    case $line in
      \[[0-9]*/[0-9]*\]*) step="${line%%]*}]" ;;
      Get:*) step="file ${line%% *}" && step="fetching ${step/Get:/}" ;;
      'Unpacking '* | 'Setting up '*) step=${line%% (*} && step=${step,} ;;
      *) continue ;;
    esac
    printf '\r\033[K%s: %s' "$what" "$step"
  done
  if [ -t 1 ]; then printf '\r\033[K'; fi
}
