#!/usr/bin/env bash
# The best of a run of islands falls where a start begins: one line says so at first, then progress, status and the report's plots.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
controller=$bin/controller
islands=(-s population.size=10 -s evolution.islands=3 -s evolution.island_generations=2 -s evolution.islands_merged=2 -s guard.referee_top=0)

"$controller" run walk.ini --seed 2 -o run "${islands[@]}" -s evolution.generations=9 >run.out 2>run.err || fail "run: $(cat run.err)"
[ "$(grep -c '^islands: 3 starts from random creatures, of 2 generations each; then the best 2 breed on together\.' run.err)" = 1 ] ||
    fail "the islands are not announced: $(cat run.err)"
for number in 0 1 2 3 4 5; do
    grep -Eq "^generation $number/8 .*  start $((number / 2 + 1)) of 3, best " run.err || fail "generation $number: $(cat run.err)"
done
! grep -E '^generation [678]/8 ' run.err | grep -q start || fail "a start after the merger: $(cat run.err)"
# where the best is less than before, what it was stands beside it
awk '/^generation/ && match($0, /best [0-9.e-]+/) {
    best = substr($0, RSTART + 5, RLENGTH - 5) + 0
    said = match($0, /so far [0-9.e-]+/) ? substr($0, RSTART + 7, RLENGTH - 7) + 0 : 0
    if ($0 ~ /start/ && (most > best ? said != most : said)) { print "before " most ": " $0; exit 1 }
    if (best > most) most = best
}' run.err >said || fail "$(cat said)"
grep -q 'so far' run.err || fail "the best never fell: choose another seed"
! "$controller" status run | grep -q "start [0-9] of" || fail "a start is under way at the end"
"$controller" report run -o page.html >/dev/null 2>&1 || fail "report"
grep -q 'Upright lines: where a start ends. 3 starts from random creatures, of 2 generations each; then the best 2 breed on together\.' page.html || fail "no meaning"
plot=$(sed -n '/Fitness by generation/,/<\/svg>/p' page.html)
[ "$(grep -c "stroke-dasharray='2 3'" <<<"$plot")" = 3 ] || fail "not three marks: $plot"

# one that goes on knows what was before
"$controller" run walk.ini --seed 2 -o cut "${islands[@]}" -s evolution.generations=9 >cut.out 2>cut.err &
wait_until "the second start is under way" grep -qs '^generation 2/8 .*start 2 of 3, best ' cut.err
kill -INT $!
wait $! || fail "stopped: $(cat cut.err)"
"$controller" status cut >cut.out
if ! grep -q '^generation *[678] of' cut.out; then
    says '^fitness +best .* in generation [2-5], start [23] of 3' "$controller" status cut
fi
"$controller" resume cut >cut.out 2>cut.err || fail "resume: $(cat cut.err)"
same_runs run cut

# the best half of the starts goes on before the others join them; stopped anywhere, it is the same
halves=(-s population.size=10 -s evolution.islands=4 -s evolution.island_generations=2 -s evolution.island_halvings=1
    -s evolution.halving_generations=2 -s evolution.islands_merged=1 -s evolution.generations=15 -s farm.commit_s=0.01)
for search in sims archive; do
    "$controller" run walk.ini --seed 2 -o "halves-$search" "${halves[@]}" -s evolution.search=$search >run.out 2>run.err ||
        fail "halves: $(cat run.err)"
    grep -q '^islands: 4 starts from random creatures, of 2 generations each; then the best 2 for 2 more each; then the best 1 breed on together\.' run.err ||
        fail "the halves are not announced: $(cat run.err)"
    for number in 8 9 10 11; do
        grep -Eq "^generation $number/14 .*  start $((number / 2 - 3)) of the best 2, best " run.err || fail "generation $number: $(cat run.err)"
    done
    for at in 8 9 10 12; do
        "$controller" run walk.ini --seed 2 -o "half-$search-$at" "${halves[@]}" -s evolution.search=$search >cut.out 2>cut.err &
        wait_until "generation $at" has_reached "half-$search-$at" $at
        kill -KILL $!
        wait $! 2>/dev/null || true
        no_worker_is_left "half-$search-$at"
        "$controller" resume "half-$search-$at" >cut.out 2>cut.err || grep -q 'is finished' cut.err || fail "resume: $(cat cut.err)"
        same_runs "halves-$search" "half-$search-$at"
    done
done
