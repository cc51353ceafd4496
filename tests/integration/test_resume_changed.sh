#!/usr/bin/env bash
# A finished run goes on with one to three settings changed, or says why not before it stores anything: it never
# hangs, never crashes, and what is refused leaves a run that goes on as it was. CHANGES=200: more of them; SEED=N: others.
# speed: long
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

RANDOM=${SEED:-7}
small=(-s simulation.duration_s=2 -s guard.referee_top=2 -s guard.exam_candidates=1 -j 1)

# islands without any score come together; a stop there goes on
"$bin/controller" run walk --seed 1 --population 20 --generations 3 -j 1 \
    -s evolution.islands=2 -s evolution.island_generations=1 -o nobody >nobody.out 2>&1 ||
    fail "islands of nobody: $(cat nobody.out)"
"$bin/controller" resume nobody --generations 4 -j 1 >nobody.out 2>&1 || fail "resumed: $(cat nobody.out)"

# the worlds of a preserve and the bodies in them stay as they are
"$bin/controller" run "$root/examples/preserve.ini" --seed 3 --generations 2 -j 1 -s preserve.worlds=2 -s preserve.founders=2 \
    -s preserve.width_m=6 -s preserve.height_m=5 -o waters >waters.out 2>&1 || fail "$(cat waters.out)"
for change in preserve.worlds=3 preserve.width_m=8 preserve.height_m=4 creature.parts_max=2; do
    refused 1 "^controller: waters: ${change%=*}: the worlds of a preserve keep" "$bin/controller" resume waters --generations 4 -s $change
done
refused 1 'by simulation.solver articulated only' "$bin/controller" resume waters --generations 4 -s simulation.solver=constraint
"$bin/controller" resume waters --generations 4 -j 1 >waters.out 2>&1 || fail "what was refused is kept: $(cat waters.out)"

# Chooses where a run asks. The exit code is in $status.
at_work() { # ARGUMENT...
    status=0
    start timeout 300 "$bin/controller" "$@" -j 1 >out 2>&1
    chooses run
    wait "$pid" || status=$?
}
ln -s "$root/examples" examples
fight="-s contest.headings=2 -s contest.opponents=1"
island="-s evolution.islands=2 -s evolution.island_generations=1"
kinds=("walk.ini" "walk.ini -s evolution.search=archive" "walk.ini -s evolution.search=random"
    "walk.ini -s evolution.search=archive $island" "walk.ini -s evolution.search=archive -s evolution.living_draws=3"
    "walk.ini -s evolution.behaviour=swim -s world.preset=water -s evolution.search=archive" "walk.ini -s creature.body=boxes"
    "walk.ini -s creature.body=spheres $island" "walk.ini -s interactive.share=0.5" "examples/sumo.ini $fight"
    "examples/chase.ini $fight" "examples/preserve.ini -s preserve.worlds=2 -s preserve.founders=3
        -s preserve.width_m=6 -s preserve.height_m=5")
changes=(evolution.search=sims evolution.search=random evolution.search=archive evolution.behaviour=preserve
    evolution.behaviour=swim evolution.behaviour=jump evolution.behaviour=contest evolution.behaviour=interactive
    creature.body=boxes creature.body=spheres creature.body=rectangles population.size=4 population.size=20
    population.survival=0.9 evolution.islands=3 evolution.island_generations=1 evolution.lag=2 evolution.reevaluate=yes
    evolution.reevaluate=no evolution.living_draws=2 archive.referee=entrants guard.referee_top=0 guard.hopeless_share=0.9
    interactive.share=0.5 interactive.every=2 contest.species=2 contest.species=1 contest.goal=tag contest.headings=1
    contest.pattern=all-vs-all contest.pattern=tournament preserve.worlds=1 preserve.worlds=3 preserve.founders=5
    preserve.most=3 preserve.width_m=8 preserve.drift=1 preserve.pause=topology creature.parts_max=3 creature.friction=0.3 world.gravity_m_s2=5 world.preset=water
    world.preset=land simulation.duration_s=1 simulation.brain_hz=10 sensor.other=yes sensor.light=yes)
refused=0
for ((i = 0; i < ${CHANGES:-8}; i++)); do
    rm -rf run
    # shellcheck disable=SC2206  # several words
    first=(${kinds[RANDOM % ${#kinds[@]}]})
    at_work run "${first[@]}" --seed "$i" --population 10 --generations 3 "${small[@]}" -o run
    [ $status = 0 ] || fail "${first[*]}: $(cat out)"
    second=()
    for ((k = RANDOM % 3; k >= 0; k--)); do second+=(-s "${changes[RANDOM % ${#changes[@]}]}"); done
    at_work resume run --generations 5 "${second[@]}"
    said=$(tail -n 1 out)
    [ $status -le 2 ] || fail "exit $status after ${first[*]}, then ${second[*]}: $(tail -n 3 out)"
    [ $status = 0 ] || refused=$((refused + 1))
    at_work resume run --generations 6
    [ $status = 0 ] || fail "after ${first[*]}, then ${second[*]} ($said), it does not go on: $(tail -n 1 out)"
done
echo "$refused of $i were refused"
