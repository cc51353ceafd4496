#!/usr/bin/env bash
# The memory of a worker does not grow with the number of its evaluations, nor the controller's by more
# than its creatures do: high water after some generations and after many.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
[ -r /proc/self/status ] || { echo "skip: this system does not tell the high water of a process"; exit 77; }

high_water_kb() { awk '/^VmHWM:/ {print $2}' "/proc/$1/status"; }
start "$bin/controller" run walk.ini --seed 1 -j 1 -s population.size=200 -s evolution.generations=1000 \
    -s simulation.duration_s=0.2 -o run >run.out 2>&1
run=$pid
wait_until "the run is in generation 2" has_reached run 2
worker=$(workers run)
early=$(high_water_kb "$worker")
early_controller=$(high_water_kb "$run")
wait_until "the run is in generation 25" has_reached run 25
late=$(high_water_kb "$worker")
late_controller=$(high_water_kb "$run")
[ "$(workers run)" = "$worker" ] || fail "there was more than one worker: $(workers run)"
kill -s TERM "$run"
wait "$run" || fail "$(cat run.out)"

# 4000 evaluations: 256 bytes lost in each would be a megabyte
echo "worker $early to $late kB, controller $early_controller to $late_controller kB"
[ $((late - early)) -lt 1000 ] || fail "the worker grows"
[ $((late_controller - early_controller)) -lt 8000 ] || fail "the controller grows"

# What a stranger's run can make a reader take: rows of ten bytes, many of them. 100 MB of addresses are
# more than the programs and 9 times the file.
command -v sqlite3 >/dev/null || exit 0
many() { # TABLE COLUMNS VALUES
    sqlite3 run/run.db "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 300000)
        INSERT INTO $1 ($2) SELECT $3 FROM n WHERE true ON CONFLICT DO NOTHING"
}
within_bounds() { # COMMAND...
    (ulimit -v 100000 && exec "$@" >out 2>err) || fail "$* takes too much memory: $(cat err)"
}
many quarantine "individual, time_utc, reason, command, log" "x, '', '', '', ''"
within_bounds "$bin/controller" status run
within_bounds "$bin/controller" status run --json
[ "$(grep -c '"reason"' out)" -ge 300000 ] || fail "not all of the quarantine is in --json"
within_bounds "$bin/controller" report run --no-pictures
sqlite3 run/run.db "DELETE FROM quarantine"
many events "time_utc, event, detail" "'', '', ''"
within_bounds "$bin/controller" report run --no-pictures
