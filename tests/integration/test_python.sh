#!/usr/bin/env bash
# The module for Python: lives, steps of many bodies, Gymnasium's rules, a search with the digest of a
# controller's run, frames. A Python that has numpy and pandas is needed.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
build=$(dirname "$bin")
[ "$build" = "$root/build" ] || { echo "skip: Python loads no sanitized library"; exit 77; }
for python in python3 /usr/bin/python3 ""; do
    [ -z "$python" ] || ! "$python" -c "import numpy, pandas" 2>/dev/null || break
done
[ -n "$python" ] || { echo "skip: no Python has numpy and pandas (scripts/dependencies --install python)"; exit 77; }
"$bin/controller" run walk.ini -o run -s farm.workers=2 >/dev/null 2>&1 || fail "no run"
digest=$("$bin/controller" digest run | sed -n 's/^run *//p')
BESTIARY_LIBRARY=$build/libbestiary.so.1 PYTHONDONTWRITEBYTECODE=1 "$python" "$root/tests/integration/python_module.py" \
    "$root" run walk.ini "$digest" 2>said || fail "$(cat said)"
grep -q '^OK$' said || fail "$(cat said)"
