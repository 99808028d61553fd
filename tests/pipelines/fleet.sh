# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# pipelines/fleet: the commands of its services work together, and its files are valid. Containers are not started.
# shellcheck disable=SC2016  # what is quoted is for another shell
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

fleet=$ROOT/pipelines/fleet

FleetExample.LearnsTogetherThroughRedis() {
  try in_fresh_environment bash --norc -c '. "$1/pipelines/env.sh"; exec /usr/bin/python3 "$1/tests/pipelines/compose.py" "$1" "$2"' \
    - "$ROOT" "$SCRATCH"
  expect_status 0
}

FleetExample.HasAValidPrometheusConfiguration() {
  cp "$fleet/prometheus.yml" "$ROOT/docs/monitoring/rules.yml" "$SCRATCH"
  try promtool check config "$SCRATCH/prometheus.yml"
  expect_status 0
}

# Paths in the image are those of the project, and the image starts what exists.
FleetExample.NamesFilesThatExist() {
  local path
  while read -r path; do
    [ -e "$ROOT/${path#/opt/gst-bcp/}" ] || flunk "$path does not exist"
  done < <(grep -ohE '/opt/gst-bcp/[^" !]+' "$fleet/Dockerfile" "$fleet/compose.yaml")
  [ -x "$fleet/entry.sh" ]
  try "$fleet/entry.sh" gst-bcp fleet status --help
  expect_status 0
  while read -r path; do
    [ -e "$fleet/$path" ] || flunk "compose.yaml mounts $path, which does not exist"
  done < <(grep -oE '\.\.?/[a-z./-]+\.(conf|yml):' "$fleet/compose.yaml" | tr -d :)
}
