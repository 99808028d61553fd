# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# GStreamer's tracers and debug log, on bcptagger.
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"
cd "${SCRATCH:?}"

# Runs ten frames through bcptagger in mode $1 with the tracers $2; what gst-stats-1.0 makes of it is in $output.
trace() {
  GST_DEBUG_NO_COLOR=1 GST_DEBUG=GST_TRACER:7 GST_DEBUG_FILE=trace.log GST_TRACERS=$2 \
    gst-launch-1.0 -q videotestsrc is-live=true num-buffers=10 ! video/x-raw,framerate=15/1,width=320,height=240 \
    ! bcptagger name=tagger mode="$1" ! fakesink sync=true
  output=$(gst-stats-1.0 trace.log)
}

# The mean latency of bcptagger in $output, in nanoseconds.
latency() { sed -n 's/.*\.tagger\.src: mean=0:00:\([0-9]*\)\.\([0-9]*\) .*/\1\2/p' <<<"$output" | sed 's/^0*//'; }

# GStreamer 1.26.2, Debian 13's, hangs in this tracer with any pipeline.
latency_tracer_works() {
  GST_TRACERS='latency(flags=element)' timeout 20 gst-launch-1.0 -q videotestsrc num-buffers=2 ! fakesink
}

Tracers.ShowThatOnlySyncModeMakesFramesWait() {
  local sync async
  latency_tracer_works || return 0
  trace sync 'latency(flags=element)'
  sync=$(latency)
  trace async 'latency(flags=element)'
  async=$(latency)
  [[ -n $sync && -n $async ]] || flunk "no latency of bcptagger: $output"
  [ "$sync" -gt "$async" ] || flunk "sync takes $sync ns a frame, async $async ns"
}

Tracers.CountEveryBufferThroughTheElement() {
  local mode
  for mode in sync async; do
    trace "$mode" 'stats;rusage'
    expect_output 'GstBcpTagger:tagger .*buffers in/out +10/ +10 '
    grep -q 'proc-rusage, .*average-cpuload' trace.log || flunk "no rusage: $(tail -3 trace.log)"
  done
}

Tracers.HaveALineForEachResultInTheDebugLog() {
  GST_DEBUG_NO_COLOR=1 GST_DEBUG=bcptagger:6 GST_DEBUG_FILE=debug.log \
    gst-launch-1.0 -q videotestsrc num-buffers=6 ! bcptagger mode=sync inference-interval=2 ! fakesink
  [ "$(grep -c ' bcp-result, pts=.* inference-ms=.*;' debug.log)" -eq 3 ] || flunk "$(cat debug.log)"
}
