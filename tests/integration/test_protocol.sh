#!/usr/bin/env bash
# Both ends of the protocol as PROTOCOL.md alone tells of them: the page's own simulator under our
# controller, and a controller in Python that talks to our simulator.
# runs: watched
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
python3 -c '' 2>/dev/null || { echo "skip: needs python3"; exit 77; }
export PYTHONPATH=$root/tests/integration/protocol PYTHONDONTWRITEBYTECODE=1

awk '/^```python$/ {on = 1; next} /^```$/ {on = 0} on' "$root/proto/PROTOCOL.md" >pretend.py
grep -q 'msgpack.unpackb' pretend.py || fail "the page has no simulator"
"$bin/controller" run walk.ini -j 2 -o pretended -s guard.referee_top=0 \
    -s farm.launcher="python3 $PWD/pretend.py" >pretended.out 2>&1 ||
    fail "the page's simulator: $(cat pretended.out pretended/logs/worker-01.log)"
says '"evaluated": [1-9]' "$bin/controller" status pretended --json
"$bin/controller" list pretended --json >pretended.json
[ "$(grep -c '"distance_m": 1.0' pretended.json)" -ge 4 ] || fail "not its measures"
no_worker_is_left pretended

# the digest of the default parameters stands in a worker's log
"$bin/controller" run walk.ini -o default -s evolution.generations=1 \
    -s simulation.duration_s="$("$bin/controller" run --print-config --all | sed -n 's/^duration_s = //p')" \
    >default.out 2>&1 || fail "$(cat default.out)"
PARAMS_DIGEST=$(sed -n 's/.* event=setup params_digest=\([0-9a-f]*\) .*/\1/p' default/logs/worker-01.log)
export PARAMS_DIGEST
MEASURES=$(sed -n '/<!-- measures -->/,/<!-- end of measures -->/p' "$root/proto/PROTOCOL.md" | grep -o ' `' | wc -l)
export MEASURES
says '^ok$' python3 "$root/tests/integration/protocol/pretend_controller.py" "$bin/simulator"
