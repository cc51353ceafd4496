#!/usr/bin/env bash
# The memory of a worker does not grow with the number of its evaluations, nor the controller's by more
# than its creatures do: high water after some generations and after many.
# speed: slow
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
