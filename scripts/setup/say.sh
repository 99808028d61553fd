# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Output of the scripts: plain sentences, one line of progress on a terminal, one sentence on failure.

say() { printf '%s\n' "$*"; }

# Ends the script. The sentence names the cause and what to do.
fail() {
  printf 'gst-bcp: %s\n' "$*" >&2
  exit 1
}

# The last lines of a log, for unexpected failures.
show_tail() {
  printf -- '--- the last lines of %s\n' "$1" >&2
  tail -n "${2:-25}" "$1" >&2
  printf -- '---\n' >&2
}

# Seconds between progress lines of a long step in a log. A terminal shows every step.
progress_seconds=10

# Copies stdin to the log $1 and shows the progress, in lines that start with the words $2. Progress is in ninja's "[3/40] …"
# and in the lines of apt-get and dpkg. A terminal has one line that is updated, and removed at the end; elsewhere (a file, CI)
# there is a line every $progress_seconds, so shorter steps show none.
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
