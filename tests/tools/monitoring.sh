# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# docs/monitoring: the dashboard and the alert rules, against Prometheus' own checks and against what a run really serves.
set -euo pipefail
# shellcheck source=tests/tools/run.bash
. "${ROOT:?}/tests/tools/run.bash"
# shellcheck source=tests/common/rtsp.bash
. "$ROOT/tests/common/rtsp.bash"

monitoring=$ROOT/docs/monitoring

Monitoring.HasRulesThatPrometheusTakes() {
  promtool check rules --lint-fatal "$monitoring/rules.yml"
  promtool check config "$monitoring/prometheus.yml"
}

Monitoring.HasRulesThatPassTheirTests() {
  promtool test rules "$monitoring/rules_test.yml"
  # The tests can fail: without the clause about frames, a lost camera goes on to report a person.
  sed '/and on (job, instance, source)/d' "$monitoring/rules.yml" >rules.yml
  cp "$monitoring/rules_test.yml" .
  try promtool test rules rules_test.yml
  expect_failure
}

# Scrapes a run over one camera into scraped.prom, when labels have been shown.
scrape() {
  local run url
  camera
  start_run -q "door=$address" --threshold 0 --metrics 0 >run.out 2>run.err
  processes+=("$run")
  wait_until "$run" grep -q '^metrics: http' run.err
  url=$(sed -n 's/^metrics: //p' run.err)
  until curl -s "$url" >scraped.prom && grep -q '^bcp_label_shown' scraped.prom; do
    kill -0 "$run" || flunk "it ended: $(cat run.err)"
    sleep 0.2
  done
}

Monitoring.NamesOnlyMetricsThatARunServes() {
  scrape
  promtool check metrics <scraped.prom
  /usr/bin/python3 - "$monitoring" <<'PYTHON'
import json, pathlib, re, sys
folder = pathlib.Path(sys.argv[1])
served = {re.match(r"\w+", line).group() for line in open("scraped.prom") if not line.startswith("#")}
dashboard = json.loads((folder / "dashboard.json").read_text())
asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
asked += [variable["definition"] for variable in dashboard["templating"]["list"] if "definition" in variable]
assert len(asked) > 10, asked
names = {}
for place, text in [("dashboard.json", "\n".join(asked)), *((name, (folder / name).read_text()) for name in ("rules.yml", "rules_test.yml", "README.md"))]:
    names[place] = set(re.findall(r"\bbcp_\w+", text))
    assert names[place], place
    assert names[place] <= served, f"{place} names {names[place] - served}, which a run does not serve"
for panel in dashboard["panels"]:
    assert panel["description"] and panel["title"], panel["id"]
assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
PYTHON
}
