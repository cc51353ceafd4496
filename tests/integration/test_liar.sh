#!/usr/bin/env bash
# A worker that lies: whatever it says is held against its task, and costs the worker its life. The run comes to what it
# comes to without a liar.
# runs: watched
# speed: long
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
python3 -c '' 2>/dev/null || { echo "skip: needs python3"; exit 77; }
export PYTHONPATH=$root/tests/integration/protocol PYTHONDONTWRITEBYTECODE=1

# lies KIND WHOLE LIE...: each of the lies in a run of that kind, which without a liar is WHOLE
lies() {
    local kind=$1 whole=$2 lie run
    shift 2
    "$bin/controller" run "${settings[@]}" -o "$whole" >"$whole.out" 2>&1 || fail "$(cat "$whole.out")"
    for lie in "$@"; do
        run=$kind-$lie
        timeout -k 5 100 "$bin/controller" run "${settings[@]}" -o "$run" \
            -s farm.launcher="python3 $PYTHONPATH/liar.py $lie $work/$run.mark" >"$run.out" 2>&1 ||
            fail "$run: exit code $?: $(cat "$run.out")"
        [ -e "$run.mark" ] || fail "$run: nothing was said"
        # a busy machine may end a worker late
        [ "$(grep 'level=warn event=worker_exited .* cause="[^"]' "$run/logs/controller.log" | grep -vc 'late while stopping')" = 1 ] ||
            fail "$run: not one worker is ended for it: $(cat "$run/logs/controller.log")"
        same_runs "$whole" "$run"
        no_worker_is_left "$run"
    done
}

# Where each worker lies, or ends, at each task, the run is given up after some two minutes.
fruitless() { # LIE
    timeout -k 5 500 "$bin/controller" run walk.ini --seed 3 -j 2 -o "never-$1" \
        -s farm.launcher="python3 $PYTHONPATH/liar.py $1 always" >"never-$1.out" 2>&1
}
hopeless=(id vanish crash)
for lie in "${hopeless[@]}"; do
    start fruitless "$lie"
    pids+=("$pid")
done

settings=(walk.ini --seed 3 -j 1 -s population.size=6 -s evolution.generations=1 -s simulation.duration_s=1)
lies walk walk id other-kind creature verdict quarantined huge-measure huge-negative-measure nan-measure few-measures \
    huge-pace huge-cost huge-memory
settings=("$root/examples/sumo.ini" --seed 3 -j 1 -s population.size=6 -s evolution.generations=1 -s simulation.duration_s=0.5)
lies sumo sumo no-rival rivals rival-verdict rival-margin margin huge-rival-measure
settings=("$root/examples/preserve.ini" --seed 3 -j 1 --generations 1 -s preserve.worlds=1 -s preserve.founders=2)
lies preserve preserve id other-kind no-state short-state garbage-state long-state other-state garbage-traveller few-facts \
    negative-fact huge-fact unbalanced-facts life-ends-before-it-begins endless-life epoch-cost

for i in "${!hopeless[@]}"; do
    lie=${hopeless[i]} status=0
    wait "${pids[i]}" || status=$?
    [ $status = 1 ] || fail "each worker: $lie: exit code $status: $(cat "never-$lie.out")"
    for words in 'brings no result: .*[a-zA-Z]' 'go on with: controller resume'; do
        grep -q "$words" "never-$lie.out" || fail "each worker: $lie: $(cat "never-$lie.out")"
    done
    no_worker_is_left "never-$lie"
done
