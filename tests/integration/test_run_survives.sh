#!/usr/bin/env bash
# Killed and stopped runs, resumed, equal the uninterrupted run; so do runs whose workers are killed.
# speed: long
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

options=(--seed 3 -s population.size=30 -s evolution.generations=12 -s simulation.duration_s=4
    -s guard.hopeless_share=0.9 -s guard.hopeless_s=1
    -s evolution.islands=2 -s evolution.island_generations=2 -s evolution.living_draws=3)
"$bin/controller" run walk.ini "${options[@]}" -j 2 -o whole >whole.out 2>&1 ||
    fail "the uninterrupted run: $(cat whole.out)"

# begin RUN_DIR GENERATION [WORKERS]: starts a run, in a process group of its own, and waits until it is
# in the midst of it
begin() {
    start setsid "$bin/controller" run walk.ini "${options[@]}" -j "${3:-2}" -o "$1" >"$1.out" 2>&1
    wait_until "$1 reaches generation $2" has_reached "$1" "$2"
}
finish() { # RUN_DIR
    "$bin/controller" resume "$1" -j 2 >"$1.resumed" 2>&1 || fail "resume: $(cat "$1.resumed")"
    grep -q 'going on in generation' "$1.resumed" || fail "$1 was not resumed: $(cat "$1.resumed")"
    no_worker_is_left "$1"
    same_runs whole "$1"
}

# the controller dies, twice: in the first run, and in the resumed one
begin killed 2
began=$EPOCHREALTIME
kill -KILL "$pid"
wait "$pid" 2>/dev/null || true
no_worker_is_left killed
# Linux ends them with their controller: a second on an idle machine, and at most ten on any
took=$(awk "BEGIN {print $EPOCHREALTIME - $began}")
echo "workers ended within $took s"
awk "BEGIN {exit !($took < 10)}" || fail "workers outlived their controller"
says 'state *stopped' "$bin/controller" status killed
start "$bin/controller" resume killed >killed.second 2>&1
wait_until "the resumed run reaches generation 6" has_reached killed 6
kill -KILL "$pid"
wait "$pid" 2>/dev/null || true
no_worker_is_left killed
finish killed

# interrupts: clean, says how to go on, leaves one file; from a terminal (INT) the workers get them too
for signal in INT TERM; do
    begin "stopped$signal" 1
    if [ $signal = INT ]; then
        kill -s INT -- "-$pid"
    else
        kill -s TERM "$pid"
    fi
    status=0
    wait "$pid" || status=$?
    [ $status = 0 ] || fail "exit code $status after SIG$signal: $(cat "stopped$signal.out")"
    grep -q "controller resume stopped$signal" "stopped$signal.out" ||
        fail "does not say how to resume: $(cat "stopped$signal.out")"
    no_worker_is_left "stopped$signal"
    [ ! -e "stopped$signal/run.db-wal" ] || fail "run.db is not a single file after a stop"
    finish "stopped$signal"
done

# workers die, again and again; nothing has to be resumed. One at a time, so that the run lasts
begin maimed 0 1
for kill in 1 2 3 4; do
    has_started() { [ "$(workers maimed | wc -l)" -ge "$kill" ]; }
    wait_until "worker number $kill starts" has_started
    kill -KILL "$(workers maimed | tail -n 1)" 2>/dev/null || true
done
wait "$pid" || fail "the run whose workers were killed: $(cat maimed.out)"
[ "$(workers maimed | wc -l)" -gt 4 ] || fail "no worker was replaced"
no_worker_is_left maimed
same_runs whole maimed

# the same where children are bred one by one: killed twice, then stopped
options=(--seed 4 -s population.size=25 -s evolution.generations=12 -s simulation.duration_s=4
    -s evolution.search=archive -s evolution.lag=9 -s guard.hopeless_share=0.9 -s guard.hopeless_s=1)
rm -rf whole
"$bin/controller" run walk.ini "${options[@]}" -j 2 -o whole >whole.out 2>&1 ||
    fail "the uninterrupted archive: $(cat whole.out)"
begin cells 2
kill -KILL "$pid"
wait "$pid" 2>/dev/null || true
no_worker_is_left cells
start "$bin/controller" resume cells -j 3 >cells.second 2>&1
wait_until "the resumed archive reaches generation 5" has_reached cells 5
kill -KILL "$pid"
wait "$pid" 2>/dev/null || true
no_worker_is_left cells
start "$bin/controller" resume cells -j 1 >cells.third 2>&1
wait_until "the resumed archive reaches generation 8" has_reached cells 8
kill -s TERM "$pid"
wait "$pid" || fail "the stopped archive: $(cat cells.third)"
no_worker_is_left cells
finish cells

# it goes on after its end, and in another world: then everyone is simulated and counted again
"$bin/controller" resume cells -s evolution.generations=14 >more.out 2>&1 ||
    fail "more generations: $(cat more.out)"
says 'generation +13 of 0 .. 13' "$bin/controller" status cells
"$bin/controller" resume cells -s evolution.generations=16 -s world.gravity_m_s2=5 >moon.out 2>&1 ||
    fail "another gravity: $(cat moon.out)"
says 'generation +15 of 0 .. 15' "$bin/controller" status cells
says '^archive +[1-9]' "$bin/controller" status cells

# bodies of the other kinds: killed, resumed
for body in spheres boxes; do
    options=(--seed 5 -s population.size=25 -s evolution.generations=8 -s simulation.duration_s=4
        -s guard.referee_top=1 -s guard.exam_candidates=1 -s guard.other_solver=no -s creature.body="$body")
    rm -rf whole
    "$bin/controller" run walk.ini "${options[@]}" -j 2 -o whole >whole.out 2>&1 ||
        fail "the uninterrupted run of $body: $(cat whole.out)"
    begin $body 2
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null || true
    no_worker_is_left $body
    finish $body
done
