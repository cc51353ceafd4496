#!/usr/bin/env bash
# Workers that others send signals to, those of crashes among them, are replaced, and the run stays the same.
# runs: watched
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

options=(--seed 3 -j 1 -s population.size=8 -s evolution.generations=4 -s simulation.duration_s=40
    -s guard.motionless_s=0 -s farm.prefetch=1)
"$bin/controller" run walk.ini "${options[@]}" -o whole >whole.out 2>&1 || fail "$(cat whole.out)"

count() { # PATTERN: lines in the controller's log, which may not be there yet
    local lines
    lines=$(grep -c "$1" "$run/logs/controller.log" 2>/dev/null) || true
    echo "${lines:-0}"
}
is_past() { [ "$(count event=worker_exited)" -gt "$1" ] || is_gone "$pid"; }

# One signal after the other, each to a worker as soon as it is ready: whoever simulates is blamed for none of them.
run=sent
start "$bin/controller" run walk.ini "${options[@]}" -o "$run" >"$run.out" 2>&1
sent=0
for signal in ABRT SEGV BUS FPE ILL TRAP SYS PROF USR1 KILL; do
    is_ready() { [ "$(count event=worker_ready)" -gt "$sent" ] || is_gone "$pid"; }
    wait_until "worker $sent is ready" is_ready
    worker=$(sed -n 's/.* event=worker_ready .* pid=\([0-9]*\).*/\1/p' "$run/logs/controller.log" | tail -n 1)
    kill -s $signal "$worker" || fail "the run was over before SIG$signal"
    wait_until "worker $sent ends" is_past "$sent"
    sent=$((sent + 1))
    [ "$(count "level=warn event=worker_exited .* pid=$worker .* end=.*\(SIG$signal\|signal [0-9]\|from outside\)")" = 1 ] ||
        fail "SIG$signal: $(cat "$run/logs/controller.log")"
done
wait "$pid" || fail "signals ended the run: $(cat "$run.out")"
[ "$(count task_quarantined)" = 0 ] || fail "somebody was put into quarantine"
same_runs whole "$run"
