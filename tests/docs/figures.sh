# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# docs/figures.sh: what it prints and what it refuses. Its pictures take a minute and are looked at by a person.
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

figures() { in_fresh_environment "$ROOT/docs/figures.sh" "$@"; }

Figures.CountTheLabelsOfAClip() {
  try figures clip "$ROOT/tests/data/clips/mdn_friday.mp4" person
  expect_status 0
  expect_output '^  presence: person 100'
  expect_output 'with a wrong noun: [0-9]+, with two right ones: 0'
}

Figures.NameTheArrayThatIsMissing() {
  touch "$SCRATCH/embeddings.npy"
  try figures coco "$SCRATCH"
  expect_status 1
  expect_output 'text\.npy is missing'
  try figures coco
  expect_status 1
  expect_output 'coco needs the folder'
}

Figures.RefuseWhatTheyDoNotKnow() {
  try figures paintings
  expect_status 1
  expect_output 'unknown: paintings'
  try figures --help
  expect_status 0
  expect_output 'docs/figures.sh coco DIR'
}
