#!/usr/bin/env bash
# Evaluations and runs cost as much as the ledger says: scripts/costs measures it anew. It needs gcc 12 and valgrind, and
# takes 40 s of processor time, and as much to build its simulator.
# speed: long
set -euo pipefail
cd "$(dirname "$0")/../.."
scripts/costs --self-test
scripts/costs --build "${BUILD:-build}" --jobs 1
