#!/usr/bin/env bash
# A finished run goes on with one to three settings changed, or says why not before it stores anything: it never
# hangs, never crashes, and what is refused leaves a run that goes on as it was. CHANGES=200: more of them.
# speed: long
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

RANDOM=7
small=(-s simulation.duration_s=2 -s guard.referee_top=2 -s guard.exam_candidates=1 -j 1)

# islands in none of which somebody scored come together; a stop there goes on
"$bin/controller" run walk --seed 1 --population 20 --generations 3 -j 1 \
    -s evolution.islands=2 -s evolution.island_generations=1 -o nobody >nobody.out 2>&1 ||
    fail "islands of nobody: $(cat nobody.out)"
"$bin/controller" resume nobody --generations 4 -j 1 >nobody.out 2>&1 || fail "resumed: $(cat nobody.out)"

searches=(archive sims random)
kinds=("" "-s evolution.islands=2 -s evolution.island_generations=1" "-s evolution.living_draws=3")
changes=(evolution.search=sims evolution.search=random evolution.search=archive evolution.behaviour=preserve
    evolution.behaviour=swim evolution.behaviour=jump creature.body=boxes
    creature.body=spheres population.size=4 population.size=20 evolution.islands=3 evolution.island_generations=1
    evolution.lag=2 evolution.reevaluate=yes world.gravity_m_s2=5 guard.referee_top=0 archive.referee=entrants
    evolution.living_draws=2 contest.species=2 population.survival=0.9 simulation.duration_s=1)
refused=0
for ((i = 0; i < ${CHANGES:-6}; i++)); do
    rm -rf run
    first=(-s "evolution.search=${searches[RANDOM % 3]}")
    # shellcheck disable=SC2206  # several words
    first+=(${kinds[RANDOM % 3]})
    "$bin/controller" run walk.ini --seed "$i" --population 10 --generations 3 "${small[@]}" "${first[@]}" -o run >out 2>&1 ||
        fail "${first[*]}: $(cat out)"
    second=()
    for ((k = RANDOM % 3; k >= 0; k--)); do second+=(-s "${changes[RANDOM % ${#changes[@]}]}"); done
    status=0
    timeout 60 "$bin/controller" resume run --generations 5 -j 1 "${second[@]}" >out 2>&1 || status=$?
    [ $status -le 2 ] || fail "exit $status after ${first[*]}, then ${second[*]}: $(tail -n 3 out)"
    [ $status = 0 ] && continue
    refused=$((refused + 1))
    timeout 60 "$bin/controller" resume run --generations 5 -j 1 >again 2>&1 ||
        fail "${first[*]}, then ${second[*]} was refused ($(tail -n 1 out)), and is kept: $(tail -n 1 again)"
done
echo "$refused of $i were refused"
