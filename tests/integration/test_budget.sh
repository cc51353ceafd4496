#!/usr/bin/env bash
# A creature that is cheap by default and dear for the other solver, as the run's champion: its budget ends that
# evaluation, the same on any number of workers, and the run comes to its end without a restart.
# speed: long
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
options=(--seed 5 -s population.size=20 -s evolution.generations=3 -s simulation.duration_s=4 -s guard.budget=0.06
         -s guard.exam_cost=off -s exam.pass=1)
for workers in 1 3; do
    "$bin/controller" run "$root/examples/walk.ini" "${options[@]}" -j $workers -o "run$workers" >out 2>&1 || fail "$(cat out)"
    grep -hq 'event=task .*trial=champion[^ ]*other-solver verdict=budget' "run$workers"/logs/worker-*.log ||
        fail "the champion was cheap: $(grep -h event=task "run$workers"/logs/worker-*.log | tail -n 2)"
    ! grep 'level=warn event=worker_exited' "run$workers/logs/controller.log" || fail "a worker was lost"
    says '^champion ' "$bin/controller" status "run$workers"
done
same_runs run1 run3

# status tells of the task that others wait for
start "$bin/controller" run "$root/examples/walk.ini" --seed 9 -j 1 -s guard.budget=0 -s guard.motionless_s=0 \
    -s simulation.duration_s=3600 -s simulation.solver=constraint -s population.size=20 -o long >out 2>&1
is_told() { "$bin/controller" status long 2>/dev/null | grep -Eq ', task [0-9]+ \(first\) for [0-9]+ s, attempt 1$'; }
wait_until "status tells of the task that takes so long" is_told
