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

# How often a log shows that a long step is alive, in seconds. On a terminal every step shows.
progress_seconds=10

# Copies stdin to the log $1 and shows how far it is, in lines that start with the words $2. Lines with progress are ninja's
# "[3/40] …" and what apt-get and dpkg do. A terminal has one line that is kept up to date and removed at the end; elsewhere
# (a file, CI) there is a line every $progress_seconds, so that a step shorter than that shows none.
log_with_progress() {
  local log=$1 what=$2 line step shown=$SECONDS
  : >"$log"
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    case $line in
      \[[0-9]*/[0-9]*\]*) step="${line%%]*}]" ;;
      Get:*) step="file ${line%% *}" && step="fetching ${step/Get:/}" ;;
      'Unpacking '* | 'Setting up '*) step=${line%% (*} && step=${step,} ;;
      *) continue ;;
    esac
    if [ -t 1 ]; then
      printf '\r\033[K%s: %s' "$what" "$step"
    elif [ $((SECONDS - shown)) -ge "$progress_seconds" ]; then
      shown=$SECONDS
      printf '%s: %s\n' "$what" "$step"
    fi
  done
  if [ -t 1 ]; then printf '\r\033[K'; fi
}
