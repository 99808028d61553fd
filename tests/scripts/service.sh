# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# scripts/systemd: the unit, checked by systemd's own programs, none of which needs a running systemd. What the program sends to
# a service manager is tested in tests/tools/run_config.sh.
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

# The unit as it is installed, with a program that exists.
make_unit() {
  cd "$SCRATCH"
  printf '#!/bin/sh\n' >gst-bcp
  chmod +x gst-bcp
  sed "s,@bindir@,$SCRATCH," "$ROOT/scripts/systemd/gst-bcp.service.in" >gst-bcp.service
}

ServiceUnit.IsOneThatSystemdTakes() {
  make_unit
  try systemd-analyze verify ./gst-bcp.service
  expect_status 0
  [ -z "$output" ] || flunk "$output"
  # The check finds faults.
  sed -i 's/^ProtectClock=yes/ProtectClok=yes/' gst-bcp.service
  try systemd-analyze verify ./gst-bcp.service
  expect_output 'ProtectClok'
}

ServiceUnit.IsRatedAsTheDocumentationSays() {
  local rated
  make_unit
  try systemd-analyze security --offline=true --no-pager --threshold=25 ./gst-bcp.service
  expect_status 0
  rated=$(sed -n 's/.*Overall exposure level for gst-bcp.service: \([0-9.]*\) .*/\1/p' <<<"$output")
  [ -n "$rated" ] || flunk "$output"
  grep -qF "rates it below 2.5" "$ROOT/docs/configuration.md" || flunk "docs/configuration.md does not say so; it is $rated"
}

ServiceUnit.StartsReloadsAndWatchesTheProgram() {
  local line
  make_unit
  for line in 'Type=notify' 'WatchdogSec=90s' 'Restart=on-failure' 'DynamicUser=yes' 'ProtectSystem=strict' \
    "ExecStart=$SCRATCH/gst-bcp run --config /etc/gst-bcp/cameras.yaml --quiet" "ExecReload=/bin/kill -HUP \$MAINPID" \
    'DeviceAllow=char-video4linux rw' 'StateDirectory=gst-bcp'; do
    grep -qxF "$line" gst-bcp.service || flunk "the unit has no line $line"
  done
  # Options that the program has.
  try "$BUILD/tools/gst-bcp/gst-bcp" run --help
  expect_output '--config FILE'
  expect_output '--check'
  expect_output '--quiet'
}
