# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shared by the ready-made pipelines: help, checks with error messages, and printing the line before it runs.
# Expects `set -euo pipefail`; the script's comment at its top is its help text.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=scripts/setup/say.sh
. "$root/scripts/setup/say.sh"

# Usage: recipe MINIMUM MAXIMUM "$@" — prints the help and ends unless that many arguments were given; then makes the built
# tree usable, and builds it first if necessary.
recipe() {
  local minimum=$1 maximum=$2
  shift 2
  if [ $# -lt "$minimum" ] || [ $# -gt "$maximum" ] || [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then
    sed -n '3,/^set /{/^set /d;s/^# \{0,1\}//p}' "$0"
    case ${1:-} in -h | --help) exit 0 ;; *) exit 2 ;; esac
  fi
  [ -f "${GST_BCP_BUILD:-$root/build}/gst-plugin/libgstbcp.so" ] || "$root/scripts/setup.sh"
  # shellcheck source=pipelines/env.sh
  . "$root/pipelines/env.sh"
}

# Ends with an error unless $1 is a readable file.
check_readable() {
  if [ ! -e "$1" ]; then fail "There is no file $1: give the path of a video."; fi
  if [ -d "$1" ]; then fail "$1 is a directory: give the path of a video."; fi
  if [ ! -r "$1" ]; then fail "$1 is not readable for $(id -un): change its permissions (chmod +r) or copy it."; fi
}

# Sets the array `source` to the elements that decode $1, a file or a URI. A camera is read over TCP, which loses no packets, and
# waits 200 ms for late packets instead of GStreamer's two seconds.
# shellcheck disable=SC2034  # used by the caller
open_source() {
  case $1 in
    rtsp*://*)
      source=(uridecodebin "uri=$1" source::protocols=tcp source::latency=200)
      return
      ;;
    *://*)
      source=(uridecodebin "uri=$1")
      return
      ;;
  esac
  check_readable "$1"
  source=(filesrc "location=$1" ! decodebin)
}

# From any picture to H.264 that every player supports: 4:2:0, which needs even sides. Options of the encoder may follow.
# shellcheck disable=SC2034  # used by the scripts that source this file
h264=(videoconvertscale ! "video/x-raw,format=(string){I420,NV12},width=[2,32766,2],height=[2,32766,2]" ! x264enc speed-preset=veryfast)

# Ends with an error unless file $1 can be created.
check_output() {
  local folder
  folder=$(dirname -- "$1")
  if [ -e "$1" ]; then fail "$1 already exists: remove it, or give another name."; fi
  if [ ! -d "$folder" ]; then fail "There is no directory $folder: create it first (mkdir -p)."; fi
  if [ ! -w "$folder" ]; then fail "$(id -un) cannot write to $folder: give a file in another directory."; fi
}

# Ends with an error that names the package unless all of these elements are installed.
need_elements() {
  local element package
  for element in "$@"; do
    # Without a version it requires 1.0, which some plugins do not have yet.
    if gst-inspect-1.0 --exists --atleast-version=0.0 "$element"; then continue; fi
    case $element in
      x264enc) package=gstreamer1.0-plugins-ugly ;;
      v4l2src | matroskamux | mp4mux | qtmux | rtph264pay | autovideosink) package=gstreamer1.0-plugins-good ;;
      h264parse | openh264enc) package=gstreamer1.0-plugins-bad ;;
      compositor | tee | videotestsrc) package=gstreamer1.0-plugins-base ;;
      fallbacksrc) fail "GStreamer has no fallbacksrc: build gst-plugin-fallbackswitch of gst-plugins-rs (cargo cinstall), or use gst-bcp run, which reconnects without it." ;;
      bcp*) fail "$element is not in the build: install libpango1.0-dev and run scripts/setup.sh." ;;
      *) package="the GStreamer plugins" ;;
    esac
    fail "GStreamer has no $element: install $package."
  done
}

# Prints argument $1 with *** for a password in an address. A password may contain @ and slashes, so it ends at
# the last @; a user name alone may be a token.
without_secrets() {
  local text=$1 names='pass|pwd|token|secret|key|auth|sig'
  if [[ $text =~ ^([^@]*://[^/:@]*):.*@([^@]*)$ ]]; then text="${BASH_REMATCH[1]}:***@${BASH_REMATCH[2]}"; fi
  if [[ $text =~ ^([^@]*://)[^/:@]+@(.*)$ ]]; then text="${BASH_REMATCH[1]}***@${BASH_REMATCH[2]}"; fi
  printf '%s' "$text" | sed -E "s/([?&;#][^=&;]*($names)[^=&;]*=)[^&]*/\\1***/gI"
}

# Prints a command for copy and paste, without the passwords in addresses: output is often stored.
show_command() {
  local argument
  printf '$'
  for argument in "$@"; do
    if [ "$argument" = '!' ]; then printf ' !'; else printf ' %q' "$(without_secrets "$argument")"; fi
  done | sed 's/\\\*\\\*\\\*/***/g'
  printf '\n'
}

# Usage: launch ARGUMENT… — runs gst-launch-1.0, and removes the passwords in addresses from its errors. Only gst-launch-1.0
# handles Ctrl-C: without the reader of its output it could not end properly.
launch() {
  {
    gst-launch-1.0 -q "$@" 2>&1 >&3 3>&- | (
      trap '' INT
      sed -uE -e 's#(://[^/:@ ]*):[^ ]*@#\1:***@#g' -e 's#(://)[^/:@ ]+@#\1***@#g' >&2
    )
  } 3>&1
}

# Usage: play OUTPUT ELEMENT… — shows the gst-launch line and runs it. Ctrl-C ends it properly, with a complete file; when it
# fails, OUTPUT (- for none) is removed, so that no incomplete video stays behind.
play() {
  local output=$1 status=0
  shift
  show_command gst-launch-1.0 -q -e "$@"
  launch -e "$@" || status=$?
  if [ "$status" -ne 0 ]; then
    if [ "$output" != - ]; then rm -f -- "$output"; fi
    fail "The pipeline ended with an error: the reason is above."
  fi
  if [ "$output" != - ]; then say "Wrote $output."; fi
}

# Usage: labelled_mp4 INPUT OUTPUT LABELS [OVERLAY-PROPERTY…] — draws the labels on a video; default LABELS: the model's own.
labelled_mp4() {
  local source=() input=$1 output=$2 labels=$3
  shift 3
  open_source "$input"
  check_output "$output"
  need_elements bcpoverlay x264enc h264parse mp4mux
  play "$output" "${source[@]}" ! bcptagger ${labels:+"labels=$labels"} ! bcpoverlay "$@" ! "${h264[@]}" ! h264parse \
    ! mp4mux ! filesink "location=$output"
}
