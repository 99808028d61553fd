# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp run --metrics: the metrics, and who can read them.
set -euo pipefail
# shellcheck source=tests/tools/run.bash
. "${ROOT:?}/tests/tools/run.bash"
# shellcheck source=tests/common/rtsp.bash
. "$ROOT/tests/common/rtsp.bash"

metrics() { /usr/bin/python3 "$ROOT/tests/tools/metrics.py" "$@"; }

# Follows cameras with --metrics $1 and the rest in the background, until the numbers are served and the first frame is
# among them: $url has them.
follow() {
  local where=$1
  shift
  start_run --metrics "$where" "$@" >run.out 2>run.err
  processes+=("$run")
  wait_until "$run" grep -q '^metrics: http' run.err
  url=$(sed -n 's/^metrics: //p' run.err)
  wait_until "$run" grep_metrics 'bcp_frames_scored_total source=.* [1-9]'
}

grep_metrics() { metrics check "$url" >metrics.txt 2>check.err && grep -qE "$1" metrics.txt; }

RunMetrics.AreThoseOfEveryInputWhileItRuns() {
  local first
  camera
  first=$address
  camera
  follow 0 -q "$first" "$address"
  wait_until "$run" grep_metrics "^bcp_frames_total source=camera-1 [1-9]"
  wait_until "$run" grep_metrics "^bcp_frames_total source=camera-2 [1-9]"
  wait_until "$run" grep_metrics "^bcp_input_up source=camera-1 1"
  grep_metrics '^bcp_inputs state=running 2' || flunk "$(cat metrics.txt)"
  grep_metrics '^bcp_inference_seconds source=.* quantile=0\.99 [0-9]' || flunk "$(cat metrics.txt)"
  grep_metrics '^bcp_input_reconnects_total source=.* 0' || flunk "$(cat metrics.txt)"
  curl -s "$url" | promtool check metrics
}

RunMetrics.AreAPageAmongFew() {
  camera
  follow 0 "$address"
  metrics pages "$url"
}

RunMetrics.AreServedBesideClientsThatHang() {
  camera
  follow 0 "$address"
  metrics silly "$url"
  metrics silly "$url"
  grep_metrics '^bcp_input_up source=.* 1' || flunk "$(cat metrics.txt)"
}

RunMetrics.GiveAClientTenSeconds() {
  camera
  follow 0 "$address"
  metrics deadline "$url"
}

# libsoup serves them, and GStreamer's source for HTTP loads a libsoup of its own choice: two different ones abort.
RunMetrics.AreServedWhileAVideoComesOverHttp() {
  local port status=0
  web_server "${clip%/*}"
  follow 0 -q --live "http://127.0.0.1:$port/${clip##*/}" --jsonl made.jsonl
  wait_until "$run" grep_metrics "^bcp_frames_total source=camera-1 [1-9]"
  cat "/proc/$run/maps" >maps
  grep -q 'libgstsoup\.so' maps || flunk "the video came another way: $(grep -o '[^/]*\.so.*' maps | sort -u)"
  grep -q 'libsoup-3\.0\.so' maps || flunk "libsoup 3 is not loaded"
  ! grep -q 'libsoup-2\.4\.so' maps || flunk "libsoup 2.4 is loaded too"
  wait "$run" || status=$?
  [ "$status" -eq 0 ] || flunk "exit code $status: $(cat run.err)"
  [ "$(wc -l <made.jsonl)" -gt 10 ] || flunk "$(wc -l <made.jsonl) results"
}

RunMetrics.ContainNoPasswordAndNoAddress() {
  camera
  follow 0 "${address/rtsp:\/\//rtsp://user:geheim@}" "yard=$address" --set metrics-file=made.prom --set metrics-interval=1
  wait_until "$run" grep_metrics '^bcp_frames_total source=yard [1-9]'
  wait_until "$run" grep -q 'source="yard"' made.prom
  ! grep -q geheim metrics.txt made.prom run.err || flunk "$(grep -h geheim metrics.txt made.prom run.err)"
  ! grep -qE '127\.0\.0\.1|rtsp' metrics.txt made.prom || flunk "$(grep -hE '127|rtsp' metrics.txt made.prom | head -3)"
}

RunMetrics.TellWhichLabelsAreShown() {
  camera
  follow 0 "door=$address" --labels red,green,blue --threshold 0 --set metrics-file=made.prom --set metrics-interval=1
  wait_until "$run" grep_metrics '^bcp_label_shown source=door label=red 1'
  grep_metrics '^bcp_label_probability source=door label=red (0\.[0-9]+|1|0)' || flunk "$(cat metrics.txt)"
  [ "$(grep -c '^bcp_label_shown' metrics.txt)" -eq 3 ] || flunk "$(cat metrics.txt)"
  wait_until "$run" grep -q '^bcp_label_shown{source="door",label="red"} 1' made.prom
}

RunMetrics.DistinguishInputsOfTheSameName() {
  camera
  follow 0 "door=$address" "door=$address"
  wait_until "$run" grep_metrics '^bcp_frames_total source=door \(2\) [1-9]'
}

RunMetrics.ReportALostAndAReconnectedCamera() {
  local port
  camera
  port=${address##*:}
  coproc network { /usr/bin/python3 -u "$ROOT/tests/common/rtsp_proxy.py" "${port%%/*}"; }
  read -r port <&"${network[0]}"
  follow 0 "rtsp://127.0.0.1:$port/camera"
  wait_until "$run" grep_metrics '^bcp_input_up source=.* 1'
  echo cut >&"${network[1]}"
  wait_until "$run" grep_metrics '^bcp_input_up source=.* 0'
  grep_metrics '^bcp_input_reconnects_total source=.* 0' || flunk "$(cat metrics.txt)"
  echo pass >&"${network[1]}"
  wait_until "$run" grep_metrics '^bcp_input_reconnects_total source=.* 1'
  wait_until "$run" grep_metrics '^bcp_input_up source=.* 1'
}

RunMetrics.AreServedOverIPv6() {
  /usr/bin/python3 -c 'import socket; socket.create_server(("::1", 0), family=socket.AF_INET6)' 2>/dev/null || return 0
  camera
  follow '[::1]:0' "$address"
  [[ $url == 'http://[::1]:'*/metrics ]] || flunk "$url"
}

RunMetrics.FailIfAnotherProgramUsesThePort() {
  local port
  make_video a.mp4 2
  /usr/bin/python3 -u -c 'import socket, time
s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1]); time.sleep(600)' >port &
  processes+=($!)
  wait_until "${processes[-1]}" has_lines port 1
  port=$(cat port)
  try bcp_run a.mp4 --metrics "$port" --jsonl made.jsonl
  expect_status 1
  expect_one_sentence
  expect_output "^gst-bcp: cannot serve http://127\.0\.0\.1:$port: another program uses this port; give another"
  [ ! -e made.jsonl ] || flunk "it ran"
  expect_no_parts
}

RunMetrics.NeedAPortOrAnAddressAndAPort() {
  local wrong
  make_video a.mp4 2
  for wrong in x 70000 -1 127.0.0.1 127.0.0.1: camera:9100 ::1:9100 '[::1]' '[127.0.0.1]:9100' ' 9100'; do
    try bcp_run a.mp4 "--metrics=$wrong"
    expect_status 2
    expect_output 'as in 9100, 0\.0\.0\.0:9100 or \[::1\]:9100'
  done
}

RunMetrics.AreWrittenToAFileToo() {
  local first
  camera
  first=$address
  camera
  url=made.prom
  start_run -q "$first" "$address" --set metrics-file=made.prom --set metrics-interval=1
  processes+=("$run")
  wait_until "$run" grep_metrics '^bcp_frames_total source=camera-1 [1-9]'
  wait_until "$run" grep_metrics '^bcp_frames_total source=camera-2 [1-9]'
  [ "$(grep -c '^bcp_frames_total' metrics.txt)" -eq 2 ] || flunk "$(cat metrics.txt)"
}
