#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs a command with the built tree in its environment: the entry point of the image.
set -euo pipefail
# shellcheck source=pipelines/env.sh
. "$(dirname "${BASH_SOURCE[0]}")/../env.sh"
exec "$@"
