# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp run --config, with real cameras: checks, reloads, secrets, rules of each camera, and what a service manager hears.
set -euo pipefail
# shellcheck source=tests/tools/run.bash
. "${ROOT:?}/tests/tools/run.bash"
# shellcheck source=tests/common/rtsp.bash
. "$ROOT/tests/common/rtsp.bash"

# Starts gst-bcp run on cameras.yaml in the background; what it says is in run.err.
begin() {
  start_run --config cameras.yaml "$@" >run.out 2>run.err
  processes+=("$run")
}

interrupt() {
  local status=0
  kill -INT "$run"
  wait "$run" || status=$?
  [ "$status" -eq 130 ] || flunk "exit code $status: $(cat run.err)"
}

said() { [ "$(grep -cE -- "$1" run.err)" -ge "${2:-1}" ]; }

# Waits for $2 more results of the camera $1.
more_results() {
  local known=0
  if [ -e results.jsonl ]; then known=$(grep -c "\"source\":\"$1\"" results.jsonl) || true; fi
  wait_until "$run" has_results "$1" $((known + $2))
}
has_results() { [ -e results.jsonl ] && [ "$(grep -c "\"source\":\"$1\"" results.jsonl)" -ge "$2" ]; }

# Reads the file again, and waits until it has been.
reload() {
  local known
  known=$(grep -cE 'was read again|nothing was changed' run.err) || true
  kill -HUP "$run"
  wait_until "$run" said 'was read again|nothing was changed' $((known + 1))
}

# The camera $1 was one stream in one pipeline: time goes on by small steps, and what was learnt stays, unless its labels changed ($2).
expect_one_stream() {
  /usr/bin/python3 - "$1" "${2:-}" <<'PYTHON'
import json, sys
results = [line for line in map(json.loads, open("results.jsonl")) if line["source"] == sys.argv[1]]
assert len(results) >= 10, len(results)
for before, after in zip(results, results[1:]):
    assert before["pts"] < after["pts"] < before["pts"] + 2, (before["pts"], after["pts"])
    assert sys.argv[2] or after["samples"] >= before["samples"], (before["samples"], after["samples"])
PYTHON
}

RunConfig.ReloadsWithoutTouchingCamerasThatDidNotChange() {
  local run first
  camera
  first=$address
  camera
  cat >cameras.yaml <<YAML
defaults: {skip-static: off, threshold: 0}
jsonl: results.jsonl
cameras:
  - {name: door, address: "$first"}
  - {name: yard, address: "$first"}
  - {name: desk, address: "$first"}
YAML
  begin
  more_results door 5
  more_results yard 5
  more_results desk 5
  # yard is removed, desk gets another address, shed is new.
  sed -i -e "/yard/d; s,{name: desk.*,{name: desk\, address: \"$address\"}," cameras.yaml
  printf '  - {name: shed, address: "%s"}\n' "$first" >>cameras.yaml
  reload
  said 'cameras.yaml was read again: 1 camera added, 1 camera removed, 1 camera restarted$' || flunk "$(cat run.err)"
  more_results shed 5
  more_results desk 5
  more_results door 5
  reload
  said 'was read again: no change$' || flunk "$(cat run.err)"
  wait_until "$run" has_begun_again desk
  expect_one_stream door
  interrupt
  [ -z "$(find . -name '*.part*')" ] || flunk "parts are left"
}

# The times of the camera $1 begin again: it has a new pipeline.
has_begun_again() {
  /usr/bin/python3 - "$1" <<'PYTHON'
import json, sys
lines = open("results.jsonl").read().splitlines(keepends=True)
results = [json.loads(line) for line in lines if line.endswith("\n")]
times = [result["pts"] for result in results if result["source"] == sys.argv[1]]
sys.exit(all(before < after for before, after in zip(times, times[1:])))
PYTHON
}

RunConfig.ChangesLabelsAndThresholdWhileFramesPass() {
  local run
  camera
  printf 'red\ngreen\n' >labels.txt
  cat >cameras.yaml <<YAML
defaults: {skip-static: off}
jsonl: results.jsonl
cameras:
  - {name: door, address: "$address", labels: [red, green, blue], threshold: 0.15, all-labels: true}
YAML
  begin
  more_results door 5
  sed -i 's/0\.15/0.7/; s/red, green, blue/red, blue/' cameras.yaml
  reload
  said '1 camera changed while running$' || flunk "$(cat run.err)"
  wait_until "$run" grep -q '"threshold":0\.7' results.jsonl
  wait_until "$run" newest_has_not green
  sed -i 's/labels: \[.*\],/labels-file: labels.txt,/' cameras.yaml
  reload
  wait_until "$run" newest_has green
  printf 'blue\n' >labels.txt
  reload
  said '1 camera changed while running$' 3 || flunk "$(cat run.err)"
  wait_until "$run" newest_has_not green
  expect_one_stream door relabelled
  interrupt
}
newest_has() { tail -1 results.jsonl | grep -q "$1"; }
newest_has_not() { ! newest_has "$1"; }

RunConfig.ChangesNothingWhenTheFileHasAFault() {
  local run before
  camera
  printf 'jsonl: results.jsonl\ndefaults: {skip-static: off}\ncameras:\n  - {name: door, address: "%s"}\n' "$address" >cameras.yaml
  begin
  more_results door 5
  before=$(cat cameras.yaml)
  printf '%s\n  - {name: door, Address: nowhere}\n  - {name: yard}\n' "$before" >cameras.yaml
  reload
  said 'cameras.yaml:5:18: cameras\[1\]\.Address: unknown key: did you mean address\?' || flunk "$(cat run.err)"
  said 'cameras.yaml has 4 faults: nothing was changed' || flunk "$(cat run.err)"
  mv cameras.yaml gone
  reload
  said 'cameras.yaml:1:1: the file cannot be read: No such file or directory' || flunk "$(cat run.err)"
  more_results door 5
  expect_one_stream door
  interrupt
}

RunConfig.RefusesAnotherModelUntilARestart() {
  local run
  camera
  printf 'defaults: {model: "%s", decision: softmax}\njsonl: results.jsonl\ncameras:\n  - {name: door, address: "%s"}\n' "$toy" "$address" >cameras.yaml
  "$BUILD/tools/gst-bcp/gst-bcp" run --config cameras.yaml >run.out 2>run.err &
  run=$!
  processes+=("$run")
  more_results door 3
  sed -i "s,$toy,$words,; s/jsonl: .*/jsonl: other.jsonl/" cameras.yaml
  reload
  said 'has another model, which needs a restart of the program: nothing was changed' || flunk "$(cat run.err)"
  sed -i "s,$words,$toy," cameras.yaml
  reload
  said 'jsonl in cameras.yaml takes effect when the program is restarted' || flunk "$(cat run.err)"
  more_results door 3
  interrupt
}

RunConfig.StartsNothingWhenTheFileHasAFault() {
  camera
  cat >cameras.yaml <<YAML
jsonl: results.jsonl
record: here
cameras:
  - {name: door, address: "$address", threshold: 7}
  - {name: yard, address: "rtsp://me:\${NO_SUCH_VARIABLE}@10.0.0.7/1"}
YAML
  try bcp_run --config cameras.yaml
  expect_status 1
  expect_output '^cameras.yaml:2:1: record: unknown key'
  expect_output '^cameras.yaml:4:[0-9]+: cameras\[0\]\.threshold: 7 is out of range'
  expect_output '^cameras.yaml:5:[0-9]+: cameras\[1\]\.address: the environment variable NO_SUCH_VARIABLE is not set'
  expect_output 'cameras.yaml has 3 faults: nothing was started'
  [ ! -e results.jsonl ] || flunk "a file was made"
  try bcp_run --config cameras.yaml --check
  expect_status 1
  sed -i '/record\|yard/d; s/7}/0.7}/' cameras.yaml
  try bcp_run --config cameras.yaml --check
  expect_status 0
  expect_output '^cameras.yaml: 1 camera, no fault$'
  try bcp_run --config cameras.yaml door=rtsp://10.0.0.7/1
  expect_status 2
  expect_output 'INPUT and --config exclude each other'
  try bcp_run --check
  expect_status 2
}

RunConfig.ShowsNoSecretAnywhere() {
  local run
  camera
  export DOOR_PASSWORD='gehe@im/1'
  printf 'fuerdenHof\n' >yard.password
  cat >cameras.yaml <<YAML
defaults: {retry-for: 1, threshold: 0}
jsonl: results.jsonl
metrics: 0
cameras:
  - {name: door, address: "rtsp://me:\${DOOR_PASSWORD}@${address#rtsp://}"}
  - {name: yard, address: "rtsp://127.0.0.1:1/nowhere", user: me, password-file: yard.password, wait: false}
YAML
  begin --verbose
  more_results door 5
  wait_until "$run" said 'yard'
  curl -s "$(sed -n 's/^metrics: //p' run.err)" >scraped.prom
  grep -q 'source="door"' scraped.prom || flunk "$(cat scraped.prom)"
  interrupt
  try bcp_run --config cameras.yaml --print
  printf '%s' "$output" >printed
  ! grep -aE 'gehe|im/1|im%2F1|fuerdenHof' run.err run.out results.jsonl scraped.prom printed || flunk "a password was shown"
}

RunConfig.StartsAFailedCameraAgainOnReload() {
  local run where
  camera
  where=$address
  camera
  kill_camera
  cat >cameras.yaml <<YAML
jsonl: results.jsonl
cameras:
  - {name: door, address: "$where"}
  - {name: yard, address: "$address", wait: false}
YAML
  begin
  more_results door 3
  wait_until "$run" said 'yard cannot be reached.*refuses'
  camera_with --port "$(port_of_address)"
  reload
  said '1 camera started again after a failure$' || flunk "$(cat run.err)"
  more_results yard 3
  interrupt
}

RunConfig.ContinuesTheResultsOfAnEarlierRun() {
  local run lines
  camera
  printf 'jsonl: results.jsonl\ncameras:\n  - {name: door, address: "%s"}\n' "$address" >cameras.yaml
  begin
  more_results door 3
  interrupt
  lines=$(wc -l <results.jsonl)
  printf '{"a line that a killed run left' >>results.jsonl
  begin
  more_results door 3
  interrupt
  [ "$(wc -l <results.jsonl)" -ge $((lines + 3)) ] || flunk "earlier results are gone"
  /usr/bin/python3 -c 'import json; [json.loads(line) for line in open("results.jsonl")]'
}

RunConfig.RecordsByTheRuleOfEachCamera() {
  local run
  camera
  cat >cameras.yaml <<YAML
defaults: {threshold: 0, record: {folder: clips, segment: 2}}
cameras:
  - {name: door, address: "$address"}
  - {name: yard, address: "$address", record: false}
  - {name: desk, address: "$address", record: {when: '"no such label"'}}
jsonl: results.jsonl
YAML
  begin
  wait_until "$run" recorded door
  more_results desk 3
  interrupt
  [ ! -e clips/yard ] || flunk "yard was recorded: $(ls clips/yard)"
  ! recorded desk || flunk "desk was recorded: $(ls clips/desk)"
}

# A restarted camera is recorded into the folder that its last pipeline has just completed.
RunConfig.RecordsOnWhenAReloadRestartsACamera() {
  local run
  camera
  cat >cameras.yaml <<YAML
defaults: {threshold: 0, record: {folder: clips, segment: 60}}
cameras:
  - {name: door, address: "$address"}
jsonl: results.jsonl
YAML
  begin
  wait_until "$run" recorded door
  sed -i 's/segment: 60/segment: 50/' cameras.yaml
  reload
  said '1 camera restarted$' || flunk "$(cat run.err)"
  wait_until "$run" recorded door 2
  interrupt
  ! said 'is not recorded' || flunk "$(cat run.err)"
}
# The camera $1 has $2 recordings.
recorded() { [ "$(find "clips/$1" -name '*.mp4' 2>/dev/null | wc -l)" -ge "${2:-1}" ]; }

# A file that sd_notify's messages go to, one line each; "|" stands for a new line. The process that reads them is $manager.
manager() {
  /usr/bin/python3 -u - notify >notified <<'PYTHON' &
import socket, sys
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind(sys.argv[1])
print("listening")
while True:
    print(manager.recv(4096).decode().replace("\n", "|"))
PYTHON
  manager=$!
  processes+=("$manager")
  wait_until "$manager" grep -q listening notified
}
notified() { grep -qE -- "$1" notified; }

RunConfig.ReportsToAServiceManager() {
  local run where manager
  camera
  where=$address
  manager
  printf 'cameras:\n  - {name: door, address: "%s"}\n' "$where" >cameras.yaml
  NOTIFY_SOCKET=$PWD/notify WATCHDOG_USEC=600000 begin
  wait_until "$run" notified '^READY=1$'
  wait_until "$run" notified '^WATCHDOG=1$'
  wait_until "$run" notified '^STATUS=1 input$'
  kill_camera
  wait_until "$run" notified '^STATUS=1 input, 1 not connected$'
  : >notified
  camera_with --port "$(address=$where port_of_address)"
  wait_until "$run" notified '^STATUS=1 input$'
  : >notified
  reload
  wait_until "$run" notified '^RELOADING=1\|MONOTONIC_USEC=[0-9]+$'
  wait_until "$run" notified '^READY=1$'
  interrupt
  wait_until "$manager" notified '^STOPPING=1$'
}

RunConfig.DescribesItsExampleInTheDocumentation() {
  DOOR_PASSWORD=secret try bcp run --config "$ROOT/pipelines/cameras.yaml" --check
  expect_status 0
  expect_output 'cameras.yaml: 3 cameras, no fault'
  # shellcheck disable=SC2016  # fences
  sed -n '/^```yaml$/,/^```$/p' "$ROOT/docs/configuration.md" | sed '1d;$d' | diff - "$ROOT/pipelines/cameras.yaml"
}

RunConfig.SendsByTheRuleOfEachCamera() {
  local run port broker
  port=$(free_port)
  printf 'listener %s 127.0.0.1\nuser root\nallow_anonymous true\n' "$port" >mosquitto.conf
  /usr/sbin/mosquitto -c mosquitto.conf >mosquitto.log 2>&1 &
  broker=$!
  processes+=("$broker")
  wait_until "$broker" grep -q running mosquitto.log
  mosquitto_sub -p "$port" -t '#' -T '+/+/image' -q 1 -F '%t %p' >heard &
  processes+=($!)
  camera
  cat >cameras.yaml <<YAML
defaults: {model: "$words", threshold: 0, labels: [red, "a/b, c", "Café #1"]}
mqtt: {address: "mqtt://127.0.0.1:$port", discovery-prefix: homeassistant, control: true}
cameras:
  - {name: door, address: "$address"}
  - {name: yard, address: "$address", mqtt: {labels: ["a/b, c"], control: false, images: true}}
  - {name: desk, address: "$address", mqtt: false}
jsonl: results.jsonl
YAML
  "$BUILD/tools/gst-bcp/gst-bcp" run --config cameras.yaml --decision softmax >run.out 2>run.err &
  run=$!
  processes+=("$run")
  wait_until "$run" grep -q '^gst-bcp/door/label/red/state ON' heard
  wait_until "$run" grep -qx 'gst-bcp/door/labels red, a/b\\, c, Café #1' heard
  wait_until "$run" grep -q '^homeassistant/binary_sensor/gst-bcp_door/caf_1_[0-9a-f]*/config .*"name":"Café #1"' heard
  wait_until "$run" grep -q '^gst-bcp/yard/label/a_b_c_[0-9a-f]*/state ON' heard
  wait_until "$run" grep -q '^homeassistant/image/gst-bcp_yard/camera__image/config {' heard
  more_results desk 3
  # Only door takes labels from the broker; a list has a comma inside a label.
  mosquitto_pub -p "$port" -t gst-bcp/yard/labels/set -m 'red'
  mosquitto_pub -p "$port" -t gst-bcp/door/labels/set -m 'a/b\, c, blue'
  wait_until "$run" grep -qx 'gst-bcp/door/labels a/b\\, c, blue' heard
  # A reload changes the labels too: sensors follow.
  sed -i 's/"Café #1"/green/' cameras.yaml
  reload
  wait_until "$run" grep -qx 'gst-bcp/yard/labels red, a/b\\, c, green' heard
  wait_until "$run" grep -q '^homeassistant/binary_sensor/gst-bcp_door/green/config {' heard
  interrupt
  ! grep -E '^gst-bcp/yard/(label/red|event .*"label":"red")|^homeassistant/text/gst-bcp_yard/[^ ]* \{|^homeassistant/image/gst-bcp_door/[^ ]* \{' heard ||
    flunk "yard sends more than its rule says"
  ! grep -E 'desk|127\.0\.0\.1' heard || flunk "desk was sent, or an address"
}
