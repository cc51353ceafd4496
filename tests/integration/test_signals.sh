#!/usr/bin/env bash
# Workers that others send signals to, those of crashes among them, are replaced, and the run stays the same.
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

# One signal after the other, each to a worker as soon as it is ready: no creature is blamed for any of them.
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

# A parent process that ignores all signals, and one that blocks them: both survive exec(). Runs, pages with pictures and
# films, which wait for programs that they start, are as ever.
command -v python3 >/dev/null || { echo "skip: python3 is not installed" && exit 77; }
cat >inherit.py <<'END'
import os, signal, sys
able = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
if sys.argv[1] == "ignored":
    for number in able:
        signal.signal(number, signal.SIG_IGN)
else:
    signal.pthread_sigmask(signal.SIG_SETMASK, able)
os.execvp(sys.argv[2], sys.argv[2:])
END
inherit() { timeout -s KILL 100 python3 inherit.py "$@"; }
few=(--seed 3 -j 1 -s population.size=6 -s evolution.generations=1 -s simulation.duration_s=1)
for how in ignored blocked; do
    inherit $how "$bin/controller" run walk.ini "${few[@]}" -o "run-$how" >out 2>&1 || fail "$how: $(cat out)"
    inherit $how "$bin/controller" report "run-$how" -o page.html >out 2>&1 || fail "$how: $(cat out)"
    if command -v ffmpeg >/dev/null && "$bin/viewer" --help | grep -q mp4; then
        inherit $how "$bin/viewer" "$root/examples/creatures/strider.json" --params "$root/examples/walk.ini" \
            -s simulation.duration_s=1 --size 160x120 --export film.mp4 >out 2>&1 || fail "$how: $(cat out)"
        [ -s film.mp4 ] || fail "$how: no film"
        rm film.mp4
    fi
    # a run still hears what ends it
    start python3 inherit.py $how "$bin/controller" run walk.ini "${options[@]}" -o "ends-$how" >out 2>&1
    wait_until "ends-$how begins" has_reached "ends-$how" 0
    kill -TERM "$pid"
    wait "$pid" || true
    grep -q 'event=signal number=15' "ends-$how/logs/controller.log" || fail "$how: SIGTERM does not stop a run"
done
