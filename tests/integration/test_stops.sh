#!/usr/bin/env bash
# Every search is stopped where something is stored, resumed, and comes to what it comes to without a stop: one run
# again and again, and others once, at each of its own commits, where generations are opened and closed.
#
# usage: [EVERY=N] [SEED=N] test_stops.sh [KIND]...: these kinds only; EVERY=1: at every point at which something is
# stored, EVERY=7: at each seventh, from one on that the seed draws
# speed: long
# shellcheck source=/dev/null disable=SC2154,SC2206,SC2046
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
{ command -v "${CC:=cc}" && "$CC" -shared -fPIC -o stop_at.so "$root/tests/integration/stop_at.c"; } >cc.out 2>&1 ||
    { echo "skip: needs a compiler and the headers of SQLite"; exit 77; }
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0
every=${EVERY:-}

ln -s "$root/examples" examples
cat >small.ini <<'END'
[population]
size = 6
survival = 0.4
[evolution]
generations = 3
behaviour = jump
search = sims
[simulation]
duration_s = 1
[guard]
referee_top = 2
exam_candidates = 2
[exam]
starts = 2
pass = 1
[farm]
commit_s = 60
prefetch = 1
END
fight="-s simulation.duration_s=1 -s evolution.generations=3 -s population.size=6 -s population.survival=0.4
    -s guard.exam_candidates=2 -s contest.headings=2 -s contest.opponents=1 -s farm.commit_s=60 -s farm.prefetch=1"
island="-s evolution.islands=2 -s evolution.island_generations=2 -s evolution.generations=6"
declare -A kinds=(
    [sims]="small.ini"
    [random]="small.ini -s evolution.search=random"
    [archive]="small.ini -s evolution.search=archive"
    [lag]="small.ini -s evolution.search=archive -s evolution.lag=3 -s archive.referee=entrants"
    [again]="small.ini -s evolution.reevaluate=yes -s guard.hopeless_share=0.9 -s guard.hopeless_s=0.3"
    [islands]="small.ini $island"
    [archipelago]="small.ini $island -s evolution.search=archive"
    [merged]="small.ini $island -s evolution.search=archive -s evolution.islands=3 -s evolution.generations=8"
    [draws]="small.ini -s evolution.living_draws=3"
    [cells]="small.ini -s evolution.search=archive -s evolution.living_draws=3"
    [boxes]="small.ini -s creature.body=boxes"
    [spheres]="small.ini -s creature.body=spheres -s evolution.search=archive"
    [contest]="$root/examples/sumo.ini $fight"
    [species]="$root/examples/chase.ini $fight"
    [choosing]="small.ini -s interactive.share=0.5"
    [byhand]="small.ini -s evolution.behaviour=interactive"
    [preserve]="$root/examples/preserve.ini --generations 4 -s preserve.worlds=2 -s preserve.founders=3 -s preserve.drift=1
        -s preserve.width_m=6 -s preserve.height_m=5 -s farm.commit_s=60 -s farm.prefetch=1 --tend deeds"
)
printf '0:05 0 feed 1 1 500\n0:10 1 feed 2 2 500\n' >deeds

# go_on AT: runs $run, or resumes it, until its AT-th point of storing; 0: to its end. 1: it was killed there.
go_on() {
    local status=0
    local -a command=(run "${words[@]}" -o "$run")
    [ ! -e "$run/run.db" ] || command=(resume "$run")
    start timeout 300 env STOP_AT="$1" LD_PRELOAD="$work/stop_at.so" "$bin/controller" "${command[@]}" -j "$workers" >"$run.out" 2>&1
    {
        case "${words[*]}" in *interactive*) chooses "$run" ;; esac
        wait "$pid" || status=$?
    } 2>/dev/null
    [ $status = 0 ] && return 0
    [ $status = 137 ] && return 1
    fail "$kind: exit $status at a stop: $(tail -n 3 "$run.out")"
}
# stops_at RUN AT THEN: a new run is stopped at point AT, and its resumptions at their points THEN, THEN + 1, ...; with
# THEN 0 they end by themselves. How often it was stopped is $stops.
stops_at() {
    local at=$2
    run=$1 stops=0
    rm -rf "$run"
    until go_on "$at"; do
        at=$(($3 > 0 ? $3 + stops : 0))
        stops=$((stops + 1))
    done
}
# stop_at_each WHAT FIRST STEP: a run for each point, until one is not stopped; their number is $single
stop_at_each() {
    local at
    single=0
    for ((at = $2; ; at += $3)); do
        stops_at "$kind-once" "$1$at" 0
        [ "$stops" = 1 ] || return 0
        single=$((single + 1))
        (same_runs "$kind-whole" "$kind-once") || fail "$kind, stopped at point $1$at"
    done
}
try() { # KIND
    local kind=$1 run stops single workers=1
    local -a words=(${kinds[$1]} --seed 3)
    stops_at "$kind-whole" 0 0
    # where it begins a resumption stores two things, at least
    workers=2
    stops_at "$kind-often" 1 3
    local often=$stops
    same_runs "$kind-whole" "$kind-often"
    workers=1
    if [ -n "$every" ]; then stop_at_each "" $((1 + RANDOM % every)) "$every"; else stop_at_each c 1 1; fi
    no_worker_is_left "$run"
    echo "$kind: $often stops of one run, single ones of $single others"
}

RANDOM=${SEED:-1}
[ $# -gt 0 ] || set -- $(printf '%s\n' "${!kinds[@]}" | sort)
for kind in "$@"; do try "$kind"; done
