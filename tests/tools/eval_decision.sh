# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp eval --protocol decision and few-labels, and gst-bcp adapt --presence.
set -euo pipefail
# shellcheck source=tests/tools/cli.bash
. "${ROOT:?}/tests/tools/cli.bash"

data=$ROOT/tests/data/presence

# Embeddings whose scores are those of the fixture: every picture gets one more number, so that all have the same length, which is
# the scale. Writes v.npy, t.npy, c.npy, y.npy, scale, and how the rule reads in NumPy to rule.py.
make_arrays() {
  cat >rule.py <<'END'
import json
import numpy as np
data = None
def names(path): return [line.strip() for line in open(path) if line.strip()]
def softmax(s):
    e = np.exp(s - s.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)
def conditional(labels, anchors, table, strength):
    t = json.load(open(table))
    count, together, at = np.array(t["count"], float), np.array(t["together"], float), {w: i for i, w in enumerate(t["labels"])}
    rate = count / t["pictures"]
    C = np.empty((len(labels), len(anchors)))
    for k, x in enumerate(labels):
        for a, y in enumerate(anchors):
            i, j = at.get(x), at.get(y)
            C[k, a] = 0.1 if i is None else rate[i] if j is None else (together[i, j] + 50 * rate[i]) / (count[j] + 50)
    C = strength * np.minimum(C, 0.995) + (1 - strength) * 0.1
    C[np.arange(len(labels)), np.arange(len(labels))] = 1
    return C
def presence(scores, labels, anchors, table, strength=1):
    n = len(anchors)
    prior = np.clip(softmax(scores) @ conditional(labels, anchors, table, strength).T, 1e-4, 0.995)
    evidence = np.log(softmax(scores / 2))[:, :len(labels)] + np.log(n)
    alpha = 0.65 + 0.28 * max(0, np.log(n / 110))
    return 1 / (1 + np.exp(-(np.log(prior / (1 - prior)) + alpha * evidence - 0.35)))
END
  /usr/bin/python3 - "$data" <<'END'
import sys
import numpy as np
sys.path.insert(0, ".")
import rule
data = sys.argv[1]
scores = np.load(data + "/taught_scores.npy")
labels, context = rule.names(data + "/taught_labels.txt"), rule.names(data + "/taught_context.txt")
length = np.sqrt((scores ** 2).sum(1)).max() * 1.01
np.save("v.npy", np.c_[scores, np.sqrt(length ** 2 - (scores ** 2).sum(1))])
words = np.c_[np.eye(scores.shape[1]), np.zeros(scores.shape[1])]
np.save("t.npy", words[:len(labels)])
np.save("c.npy", words[len(labels):])
open("scale", "w").write(repr(float(length)))
q = rule.presence(scores, labels, labels + context, data + "/table.json")
np.save("expected.npy", q)
draw = np.random.default_rng(5)
truth = (draw.random(q.shape) < 0.8 * q + 0.1).astype(np.int8)
truth[::7, 3] = -1
np.save("y.npy", truth)
END
}

arrays() { echo --embeddings v.npy --text t.npy --scale "$(cat scale)" --names "$data/taught_labels.txt"; }
context() { echo --context-text c.npy --context-names "$data/taught_context.txt" --prior-table "$data/table.json"; }

CliDecision.AgreesWithTheRuleAndTheFiguresInNumPy() {
  cd "$SCRATCH"
  make_arrays
  # shellcheck disable=SC2046  # words
  try bcp eval $(arrays) $(context) --truth y.npy --protocol decision --json out.json
  expect_status 0
  expect_output '^Decision: the labels that are shown$'
  expect_output 'Over 20 shuffled orders, seeds 0 to 19'
  /usr/bin/python3 - <<'END'
import json
import numpy as np
found, q, y = json.load(open("out.json")), np.load("expected.npy"), np.load("y.npy")
judged, present = y >= 0, y == 1
def near(x, y, what): assert abs(x - y) < 1e-3, (what, x, y)
for rule, threshold in (("presence", 0.5), ("presence_035", 0.35)):
    row, shown = found["decision"][rule], (q >= threshold) & judged
    hits = (shown & present).sum()
    near(row["micro_f1"], 200 * hits / (shown.sum() + present.sum()), "f1")
    near(row["precision"], 100 * hits / shown.sum(), "precision")
    near(row["recall"], 100 * hits / present.sum(), "recall")
    near(row["shown"], shown.sum() / len(y), "shown")
    near(row["macro_f1"], np.mean(200 * (shown & present).sum(0) / (shown.sum(0) + present.sum(0))), "macro")
    for key, least in (("ece", 0.1), ("ece_all", 0)):
        keep = judged & (q >= least)
        p, t = q[keep], present[keep]
        bins = np.minimum((p * 15).astype(int), 14)
        near(row[key], 100 * sum(abs((p - t)[bins == b].sum()) for b in range(15)) / len(p), key)
    def ap(score, truth):
        truth = truth[np.argsort(-score, kind="stable")]
        return (np.cumsum(truth) / np.arange(1, len(truth) + 1) * truth).sum() / truth.sum()
    near(row["map"], 100 * np.mean([ap(q[judged[:, k], k], present[judged[:, k], k]) for k in range(16)]), "map")
rules = list(found["decision"])
assert rules == ["presence", "presence_035", "softmax", "bcp", "arg_max", "best_threshold", "oracle"], rules
assert found["decision"]["best_threshold"]["micro_f1"] >= found["decision"]["softmax"]["micro_f1"]
assert len(found["reliability"]) == 15 and sum(row["presence"]["pairs"] for row in found["reliability"]) == judged.sum()
parts = {row["part"]: row["micro_f1"] for row in found["first_frames"]}
assert parts["whole"] == found["decision"]["presence"]["micro_f1"], parts
assert "decision" in found["protocols"] and "few_labels" not in found
END
}

CliDecision.DropsContextWordsThatAreLabels() {
  cd "$SCRATCH"
  make_arrays
  # shellcheck disable=SC2046  # words
  bcp eval $(arrays) $(context) --truth y.npy --protocol decision --protocol few-labels --json plain.json >/dev/null
  /usr/bin/python3 -c '
import numpy as np
np.save("c.npy", np.r_[np.load("t.npy")[:2], np.load("c.npy")])'
  { head -2 "$data/taught_labels.txt"; cat "$data/taught_context.txt"; } >context.txt
  # shellcheck disable=SC2046  # words
  bcp eval $(arrays) --context-text c.npy --context-names context.txt --prior-table "$data/table.json" --truth y.npy --protocol decision --json same.json >/dev/null
  /usr/bin/python3 -c '
import json
a, b = json.load(open("plain.json"))["decision"], json.load(open("same.json"))["decision"]
assert a == b, (a["presence"], b["presence"])'
}

CliDecision.CountsFalseAlarmsAmongThreeLabels() {
  cd "$SCRATCH"
  make_arrays
  # With three labels in all, every triple is all of them.
  head -3 "$data/taught_labels.txt" >three.txt
  with_arrays 'np.save("t3.npy", a[:3]); np.save("y3.npy", np.maximum(b[:, :3], 0))' t.npy y.npy
  # shellcheck disable=SC2046  # words
  bcp eval --embeddings v.npy --text t3.npy --scale "$(cat scale)" --names three.txt $(context) --truth y3.npy --protocol few-labels --json out.json >out.txt
  grep -q 'seed 0' out.txt || flunk "it prints no seed: $(cat out.txt)"
  /usr/bin/python3 - "$data" <<'END'
import json
import sys
import numpy as np
sys.path.insert(0, ".")
import rule
data = sys.argv[1]
scores, y = np.load(data + "/taught_scores.npy"), np.load("y3.npy")
labels, context = rule.names(data + "/taught_labels.txt"), rule.names(data + "/taught_context.txt")
columns = [0, 1, 2, *range(16, 46)]
shown = rule.presence(scores[:, columns], labels[:3], labels[:3] + context, data + "/table.json") >= 0.5
none = (y == 1).sum(1) == 0
found = json.load(open("out.json"))["few_labels"]
assert abs(found["presence"]["false_alarm"] - 100 * shown[none].any(1).mean()) < 1e-6, found
assert abs(found["presence"]["recall"] - 100 * shown[y == 1].mean()) < 1e-6, found
assert found["softmax"]["false_alarm"] == 100 > found["presence"]["false_alarm"] > 0, found
END
}

CliDecision.DrawsOtherTriplesFromAnotherSeed() {
  cd "$SCRATCH"
  make_arrays
  local seed
  for seed in 0 1 0; do
    # shellcheck disable=SC2046  # words
    bcp eval $(arrays) $(context) --truth y.npy --protocol few-labels --seed $seed --json "$seed.json" >/dev/null
    [ "$seed" != 0 ] || [ ! -e first.json ] || cmp "$seed.json" first.json || flunk "the same seed gives other triples"
    [ "$seed" != 0 ] || cp 0.json first.json
  done
  /usr/bin/python3 -c '
import json
a, b = (json.load(open(f"{seed}.json"))["few_labels"] for seed in (0, 1))
assert a["presence"]["recall"] != b["presence"]["recall"], a'
}

CliDecision.ShowsNothingWithTooFewWordsAndSaysSo() {
  cd "$SCRATCH"
  make_arrays
  # shellcheck disable=SC2046  # words
  try bcp eval $(arrays) --truth y.npy --protocol few-labels --protocol decision --json out.json
  expect_status 0
  expect_output 'Presence shows nothing: it needs 10 labels'
  expect_output 'is calibrated only from 30 on'
  /usr/bin/python3 -c '
import json
found = json.load(open("out.json"))
assert found["few_labels"]["presence"]["recall"] == 0 and found["decision"]["presence"]["shown"] > 0, found["few_labels"]'
}

CliDecision.TakesStrengthAndScale() {
  cd "$SCRATCH"
  make_arrays
  # shellcheck disable=SC2046  # words
  bcp adapt $(arrays) $(context) --prior-strength 0.5 --presence half.npy
  # shellcheck disable=SC2046  # words
  bcp adapt $(arrays) $(context) --presence-scale 0.5 --presence scaled.npy
  /usr/bin/python3 - "$data" <<'END'
import sys
import numpy as np
sys.path.insert(0, ".")
import rule
data = sys.argv[1]
scores = np.load(data + "/taught_scores.npy")
labels, context = rule.names(data + "/taught_labels.txt"), rule.names(data + "/taught_context.txt")
for name, factor, strength in (("half", 1, 0.5), ("scaled", 0.5, 1)):
    expected = rule.presence(scores * factor, labels, labels + context, data + "/table.json", strength)
    assert np.abs(np.load(name + ".npy") - expected).max() < 1e-4, name
END
}

CliDecision.RefusesContextWordsThatCannotBeUsed() {
  cd "$SCRATCH"
  make_arrays
  echo '{"format": "gst-bcp prior table", "version": 99}' >table.json
  with_arrays 'np.save("narrow.npy", a[:, :5]); np.save("l.npy", np.zeros((len(b), 16)))' c.npy y.npy
  local names=$data/taught_context.txt
  # shellcheck disable=SC2046  # words
  for line in "2 --context-text c.npy" "2 --context-names $names" "2 --prior-strength 1.5" "2 --presence-scale nan" \
    "1 --context-text c.npy --context-names $data/taught_labels.txt" "1 --context-text narrow.npy --context-names $names" \
    "1 --context-text missing.npy --context-names $names" "1 --prior-table table.json"; do
    # shellcheck disable=SC2086  # words
    try bcp eval $(arrays) --truth y.npy --protocol decision ${line#* }
    expect_status "${line%% *}"
    expect_one_sentence
  done
  try bcp eval --logits l.npy --truth y.npy --protocol decision --context-text c.npy --context-names "$names"
  expect_status 1
  expect_output '--embeddings'
}

AdaptPresence.UsesTheUncorrectedRows() {
  cd "$SCRATCH"
  make_arrays
  # shellcheck disable=SC2046  # words
  try bcp adapt $(arrays) $(context) --presence out.npy
  expect_status 0
  expect_output '^out\.npy: 120 rows of 16 labels'
  with_arrays 'assert a.dtype == np.float64 and a.shape == b.shape, a.shape
assert np.abs(a - b).max() < 1e-4, np.abs(a - b).max()' out.npy expected.npy
  # The reference of the fixture, up to the first click that teaches it something.
  with_arrays 'first = int(min(c[:, 0].min(), np.flatnonzero(~np.isnan(d).all(1)).min()))
assert first > 1 and np.abs(a[:first] - b[:first]).max() < 1e-4, first' out.npy "$data/taught_q.npy" "$data/taught_clicks.npy" "$data/taught_labelled.npy"
  # Neither the order nor the correction changes it.
  # shellcheck disable=SC2046  # words
  bcp adapt $(arrays) $(context) --strength 0 --preset video --presence same.npy --out corrected.npy >/dev/null
  cmp out.npy same.npy
}

AdaptPresence.NeedsNamesAndScores() {
  cd "$SCRATCH"
  make_arrays
  try bcp adapt --embeddings v.npy --text t.npy --presence out.npy
  expect_status 2
  expect_one_sentence
  try bcp adapt --embeddings v.npy --names "$data/taught_labels.txt" --presence out.npy
  expect_status 2
  # shellcheck disable=SC2046  # words
  try bcp adapt $(arrays)
  expect_status 2
  try bcp adapt --embeddings v.npy --text t.npy --names "$data/hinted_labels.txt" --presence out.npy
  expect_status 1
  expect_output 'hinted_labels\.txt has 3 names for 16 labels'
  [ ! -e out.npy ] || flunk "it wrote something"
}
