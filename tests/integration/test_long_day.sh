#!/usr/bin/env bash
# A run on a laptop: everything stands still for longer than any limit and goes
# on, the controller is killed, resumed and stopped, the directory moves, a setting changes. Another run
# that has only the change of the setting is the same.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
controller=$bin/controller
options=(--seed 6 -s evolution.generations=16 -s simulation.duration_s=4)
change=(-s evolution.generations=18 -s world.gravity_m_s2=5)

# finish RUN_DIR: the setting changes, and the run goes on to its end
finish() {
    "$controller" resume "$1" "${change[@]}" -j 2 >"$1.changed" 2>&1 || fail "$1: $(cat "$1.changed")"
    grep -q 'new branch' "$1.changed" || fail "no word of the branch: $(cat "$1.changed")"
}
"$controller" run walk.ini "${options[@]}" -j 2 -o whole >whole.out 2>&1 || fail "$(cat whole.out)"
finish whole

# all stop at once, for longer than a worker may be silent, and go on: none is taken for hung
start "$controller" run walk.ini "${options[@]}" -j 2 -s farm.silence_s=4 -o day >day.out 2>&1
run=$pid
wait_until "the run is in generation 1" has_reached day 1
read -r -a everyone <<<"$run $(cat "/proc/$run/task/$run/children")"
[ ${#everyone[@]} = 3 ] || fail "not two workers: ${everyone[*]}"
kill -STOP "${everyone[@]}"
sleep 5.5
before=$(generation day)
says '^workers +the controller does not answer$' "$controller" status day
kill -CONT "${everyone[@]}"
wait_until "the run goes on" has_reached day $((before + 1))
! grep 'event=worker_exited' day/logs/controller.log || fail "a suspended worker was taken for hung"

# the controller dies; its successor is stopped; the directory moves
kill -KILL "$run"
wait "$run" 2>/dev/null || true
no_worker_is_left day
started_so_far=$(workers day | wc -l)
start "$controller" resume day -j 1 >second.out 2>&1
# it starts its worker when it listens to signals; what generation it is in may be its predecessor's work
has_started() { [ "$(workers day | wc -l)" -gt "$started_so_far" ]; }
wait_until "the successor has a worker" has_started
kill -s TERM "$pid"
wait "$pid" || fail "the stopped run: $(cat second.out)"
no_worker_is_left day
mkdir -p "another place"
mv day "another place/night"
"$controller" resume "another place/night" >third.out 2>&1 || fail "after the move: $(cat third.out)"
mv "another place/night" day
finish day
no_worker_is_left day
same_runs whole day
