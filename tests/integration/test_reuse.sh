#!/usr/bin/env bash
# Results that are given again change nothing: runs with and without them are equal, for any number of workers, with bars
# and referee, for every kind of body, after a kill; and the same results are given again.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# few before the referee and no other solver: what is given again are results of first and entry trials
sed -i 's|^\[simulation\]|[guard]\nreferee_top = 2\nexam_candidates = 1\nother_solver = no\n&|
    s|^size = .*|size = 24|; s|^generations = .*|generations = 6|' walk.ini

# who_from RUN_DIR: who got whose result
who_from() {
    sqlite3 -readonly "$1/run.db" "SELECT individual, reused FROM costs WHERE reused > 0 AND trial = 'first' ORDER BY individual"
}
same_sources() { # A B
    diff <(who_from "$1") <(who_from "$2") || fail "$1 and $2 give results of others again, see above"
}

# compare NAME OPTION...: runs with 1 and 5 workers, and one without
compare() {
    local name=$1 workers
    shift
    "$bin/controller" run walk.ini --seed 8 -j 2 -s farm.reuse=no "$@" -o "$name-no" >"$name.out" 2>&1 ||
        fail "$name without reuse: $(cat "$name.out")"
    [ -z "$(who_from "$name-no")" ] || fail "$name: farm.reuse=no gives results again"
    for workers in 1 5; do
        "$bin/controller" run walk.ini --seed 8 -j $workers "$@" -o "$name-$workers" >"$name.out" 2>&1 ||
            fail "$name with $workers workers: $(cat "$name.out")"
        same_runs "$name-no" "$name-$workers"
        same_sources "$name-1" "$name-$workers"
    done
    # each is simulated or known (a slow worker's task may be given to a second one, too)
    local simulated known
    simulated=$(grep -ho ' event=task .* creature=[0-9]* .*trial=first' "$name-5"/logs/worker-*.log |
        grep -o 'creature=[0-9]*' | sort -u | wc -l)
    known=$(who_from "$name-5" | wc -l)
    [ "$((simulated + known))" = "$(sqlite3 "$name-5/run.db" "SELECT count(*) FROM costs WHERE trial = 'first'")" ] ||
        fail "$name: $simulated simulated, $known known"
    echo "$name: $known results given again, $simulated simulated"
}

copies=(-s breeding.draws=1 -s mutation.none=0.5 -s breeding.crossover=0 -s breeding.graft=0)
bars=(-s guard.hopeless_share=0.9 -s guard.hopeless_s=0.5 "${copies[@]}")
compare walk -s population.size=40 -s evolution.generations=10 "${bars[@]}"
[ "$(who_from walk-1 | wc -l)" -gt 100 ] || fail "walk: $(who_from walk-1 | wc -l) results given again"
for trial in first entry; do
    grep -q " event=reuse trial=$trial reused=[1-9]" walk-1/logs/controller.log || fail "the log does not count those of trial $trial"
done
says '^reused +[1-9][0-9]* results \([1-9][0-9]* %\)' "$bin/controller" status walk-1
says '"reused": [1-9]' "$bin/controller" status walk-1 --json
"$bin/controller" report walk-1 --no-pictures >/dev/null
grep -q '[1-9][0-9]* creatures ([1-9][0-9]* %) have the body and brain of an earlier one' walk-1/report.html ||
    fail "the report does not tell of them"

compare swim -s world.preset=water -s evolution.behaviour=swim -s evolution.search=archive \
    -s evolution.lag=9 "${copies[@]}"
[ -n "$(who_from swim-1)" ] || fail "swim: nobody's result is given again"
compare spheres --seed 10 -s population.size=40 -s creature.body=spheres "${bars[@]}"
[ -n "$(who_from spheres-1)" ] || fail "spheres: nobody's result is given again"
compare boxes -s creature.body=boxes -s world.preset=water -s evolution.behaviour=swim -s simulation.duration_s=1 "${copies[@]}"
[ -n "$(who_from boxes-1)" ] || fail "boxes: nobody's result is given again"

# creatures that move alike see the same light
seek=(-s evolution.behaviour=seek -s sensor.light=yes "${copies[@]}")
compare still "${seek[@]}" -s light.kind=still
[ -n "$(who_from still-1)" ] || fail "seek: nobody's result is given again"
compare moving "${seek[@]}" -s light.kind=moving
[ -n "$(who_from moving-1)" ] || fail "seek, moving light: nobody's result is given again"

# all are copies: generations pass without a worker
compare copies -s mutation.none=1 -s mutation.one=0 -s breeding.crossover=0 -s breeding.graft=0 -s evolution.generations=9

# killed in the midst and resumed with another number of workers; then with all simulated from there on
for search in sims archive; do
    options=(--seed 8 -s evolution.generations=10 -s simulation.duration_s=4
        -s evolution.search="$search" -s evolution.lag=9 "${bars[@]}")
    "$bin/controller" run walk.ini "${options[@]}" -j 2 -o "whole-$search" >whole.out 2>&1 ||
        fail "the uninterrupted run: $(cat whole.out)"
    start "$bin/controller" run walk.ini "${options[@]}" -j 2 -o "killed-$search" >killed.out 2>&1
    wait_until "the run reaches generation 3" has_reached "killed-$search" 3
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null || true
    no_worker_is_left "killed-$search"
    cp -r "killed-$search" "without-$search"
    "$bin/controller" resume "killed-$search" -j 3 >resumed.out 2>&1 || fail "resume: $(cat resumed.out)"
    same_runs "whole-$search" "killed-$search"
    same_sources "whole-$search" "killed-$search"
    [ -n "$(who_from "whole-$search")" ] || fail "$search: nobody's result is given again"
    "$bin/controller" resume "without-$search" -s farm.reuse=no >resumed.out 2>&1 ||
        fail "resume without reuse: $(cat resumed.out)"
    same_runs "whole-$search" "without-$search"
done

# in another world nothing holds any more
"$bin/controller" resume whole-sims -s evolution.generations=10 -s world.gravity_m_s2=5 >moon.out 2>&1 ||
    fail "another gravity: $(cat moon.out)"
last=$(sqlite3 whole-sims/run.db 'SELECT max(branch) FROM branches')
[ "$(sqlite3 whole-sims/run.db "SELECT count(*) FROM costs c JOIN individuals i ON i.id = c.individual
    JOIN individuals o ON o.id = c.reused WHERE i.branch = $last AND o.branch <> $last")" = 0 ] ||
    fail "results of another world are given again"

