#!/usr/bin/env bash
# The same seed gives the same run for any number of workers; another seed gives another.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

for workers in 1 2 5; do
    "$bin/controller" run walk.ini --seed 7 -j $workers -o "j$workers" >"j$workers.out" 2>&1 ||
        fail "run with -j $workers: $(cat "j$workers.out")"
    no_worker_is_left "j$workers"
done
same_runs j1 j2
same_runs j1 j5
[ "$(grep -c '^generation' j1.digest)" = 4 ] || fail "not 4 generations: $(cat j1.digest)"
grep -q incomplete j1.digest && fail "a generation is not closed: $(cat j1.digest)"
cmp j1/params.ini j2/params.ini >/dev/null && fail "params.ini does not hold farm.workers"
[ ! -e j1/run.db-wal ] || fail "run.db is not a single file after the run"

# without -o: runs/NAME-SEED, the name being the file's
"$bin/controller" run walk.ini --seed 8 -s evolution.generations=1 >seed8.out 2>&1 ||
    fail "run without -o: $(cat seed8.out)"
[ -f runs/walk-8/run.db ] || fail "no runs/walk-8: $(ls)"
[ "$("$bin/controller" digest runs/walk-8 | sed -n 's/^generation 0 //p')" != \
    "$(sed -n 's/^generation 0 //p' j1.digest)" ] || fail "seed 8 gives the run of seed 7"

# the same genomes with survivors simulated again: other counts of evaluations, equal creatures
"$bin/controller" run walk.ini --seed 7 -s evolution.reevaluate=1 -o again >again.out 2>&1 ||
    fail "run with evolution.reevaluate: $(cat again.out)"
"$bin/controller" list j1 --top 0 --ranks >a.list
"$bin/controller" list again --top 0 --ranks >b.list
diff <(tail -n +2 a.list) <(tail -n +2 b.list) || fail "evolution.reevaluate changes creatures"

# the lists of two equal runs differ at most under `cost`
strip_cost() { sed '/^    "cost": /,/^    }/d' "$1"; }
"$bin/controller" list j1 --top 0 --json >a.json
"$bin/controller" list j5 --top 0 --json >b.json
diff <(strip_cost a.json) <(strip_cost b.json) || fail "equal runs list different creatures"

# child by child with a constant lag: more workers than the lag has room for wait, and change nothing
archive=(-s evolution.search=archive -s evolution.lag=6 -s evolution.generations=6)
for workers in 1 2 9; do
    "$bin/controller" run walk.ini --seed 8 "${archive[@]}" -j $workers -o "a$workers" \
        >"a$workers.out" 2>&1 || fail "archive with -j $workers: $(cat "a$workers.out")"
done
same_runs a1 a2
same_runs a1 a9
grep -q incomplete a1.digest && fail "a generation is not closed: $(cat a1.digest)"
says '^archive +[1-9][0-9]* of [0-9]+ cells filled' "$bin/controller" status a1
says '"cells_filled": [1-9]' "$bin/controller" status a1 --json
says '"cell": [1-9]' "$bin/controller" list a1 --json
says '"cells_filled": null' "$bin/controller" status j1 --json

# islands, in which the dead of the first generations are drawn again
for search in sims archive; do
    for workers in 1 3; do
        "$bin/controller" run walk.ini --seed 7 -s evolution.search=$search -s evolution.generations=6 \
            -s evolution.islands=2 -s evolution.island_generations=2 -s evolution.living_draws=3 \
            -j $workers -o "i$search$workers" >"i$workers.out" 2>&1 ||
            fail "islands with -j $workers: $(cat "i$workers.out")"
    done
    same_runs "i${search}1" "i${search}3"
done
! command -v sqlite3 >/dev/null ||
    [ "$(sqlite3 isims1/run.db 'SELECT sum(evaluations_own) FROM generations')" = \
    "$(sqlite3 isims1/run.db 'SELECT count(*) FROM individuals')" ] ||
    fail "evaluations are not as many as there were"

# on ground with relief
for workers in 1 5; do
    "$bin/controller" run "$root/examples/rough3d.ini" --seed 7 -s population.size=6 -s evolution.generations=2 \
        -s simulation.duration_s=0.3 -s guard.other_solver=no -s exam.starts=1 -s exam.pass=1 -j $workers -o "r$workers" >"r$workers.out" 2>&1 ||
        fail "relief with -j $workers: $(cat "r$workers.out")"
done
same_runs r1 r5
# the waves are those of the body's kind, whether the parameters are those of a worker's task or of a file
"$bin/controller" save r1 first -o rough.creature >/dev/null
says '^digest .* verified$' "$bin/simulator" evaluate rough.creature r1/params.ini
says '^verified ' "$bin/viewer" r1 --top 1 --export rough.png

# creatures that are stopped because survivors are faster are the same ones, stopped at the same instant; each comes to the
# same by hand
for search in sims archive; do
    for workers in 1 3; do
        "$bin/controller" run walk.ini --seed 7 -s evolution.search=$search -s evolution.generations=8 \
            -s guard.hopeless_share=0.9 -s guard.hopeless_s=0.5 -j $workers -o "h$search$workers" \
            >"h$workers.out" 2>&1 || fail "a bar with -j $workers: $(cat "h$workers.out")"
    done
    same_runs "h${search}1" "h${search}3"
done
"$bin/controller" list hsims1 --top 0 --json >h.json
hopeless=$(awk -F'[:, "]+' '/^    "id":/ {id = $3} /"verdict": "hopeless"/ {print id}' h.json)
[ -n "$hopeless" ] || fail "nobody was hopeless"
for id in $(head -n 3 <<<"$hopeless"); do
    "$bin/controller" save hsims1 "$id" --force -o hopeless.creature >/dev/null
    says 'hopeless' "$bin/simulator" evaluate hopeless.creature
done

# bodies of the other kinds: equal for any number of workers, and another run than that of rectangles
for body in spheres boxes; do
    for workers in 1 3; do
        "$bin/controller" run walk.ini --seed 7 -s creature.body=$body -s simulation.duration_s=1 -s guard.referee_top=1 \
            -s guard.exam_candidates=1 -j $workers -o "$body$workers" >"$body$workers.out" 2>&1 || fail "$body with -j $workers: $(cat "$body$workers.out")"
    done
    same_runs "${body}1" "${body}3"
    grep -q incomplete "${body}1.digest" && fail "a generation is not closed: $(cat "${body}1.digest")"
    [ "$(cat "${body}1.digest")" != "$(cat j1.digest)" ] || fail "$body give the run of rectangles"
done
