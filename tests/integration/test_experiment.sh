#!/usr/bin/env bash
# scripts/experiment: its statistics, a small experiment that is killed in the midst and goes on, what it
# reports, and what it refuses.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
experiment=$root/scripts/experiment
build=$(dirname "$bin")

says 'statistics are right' "$experiment" --self-test
# no error when the reader stops; the help comes late, so that the reader has gone by then
(sleep 0.5 && exec "$experiment" --help 2>quiet.err) | true || true
[ ! -s quiet.err ] || fail "a reader who stops early: $(cat quiet.err)"

plan() { # DIR
    mkdir -p "$1"
    cat >"$1/plan.ini" <<'END'
[experiment]
worlds = walk.ini
seeds = 1-3
evaluations = 60
settings = farm.workers=2 guard.exam_candidates=1 guard.other_solver=no
[methods]
sims = evolution.search=sims
archive = evolution.search=archive evolution.lag=8
END
}
plan whole
"$experiment" run whole --build "$build" >whole.out || fail "the experiment: $(cat whole.out)"
[ "$(wc -l <whole.out)" = 6 ] || fail "not six runs: $(cat whole.out)"
[ "$(wc -l <whole/runs.csv)" = 7 ] || fail "not six rows: $(cat whole/runs.csv)"
[ -z "$(ls whole/unfinished)" ] || fail "runs were left: $(ls whole/unfinished)"
grep -q '^| archive | 3 |' whole/report.md || fail "no archive in the report: $(cat whole/report.md)"
grep -q '^| sims | archive | ' whole/report.md || fail "no comparison: $(cat whole/report.md)"
python3 -c 'import sys, xml.dom.minidom as d; d.parse(sys.argv[1])' whole/walk-best.svg || fail "walk-best.svg is not XML"

# the numbers are those of the run: best and coverage, by SQL and by the controller
"$experiment" run whole --build "$build" >again.out || fail "a second time: $(cat again.out)"
[ ! -s again.out ] || fail "ran what was finished: $(cat again.out)"
command=$(sed -n 's/^command = controller //p' whole/runs/walk-archive-1.txt)
# shellcheck disable=SC2086
"$bin/controller" $command -o by-hand >by-hand.out 2>&1 || fail "the command: $(cat by-hand.out)"
best=$("$bin/controller" status by-hand --json | sed -n 's/^  "best": \(.*\),/\1/p')
filled=$("$bin/controller" status by-hand --json | sed -n 's/^  "cells_filled": \(.*\),/\1/p')
tail -n 1 whole/runs/walk-archive-1.txt >last
python3 -c '
import sys
count, best, recent, coverage, quality, diversity, cpu_s = map(float, open("last").read().split())
assert count == 60 and diversity <= coverage <= float(sys.argv[2]) and recent <= best
assert best <= float(sys.argv[1]) + 1e-6 and quality >= best and cpu_s > 0
' "$best" "$filled" || fail "$(cat last) is not of a run with best $best and $filled cells"

# as an array of Slurm, here of something called sbatch: the same results
plan array
mkdir bin
cat >bin/sbatch <<'END2'
#!/bin/sh
for word; do
    case $word in
    --array=*) tasks=$(echo "${word#--array=}" | tr , ' ') ;;
    --output=*) log=${word#--output=} ;;
    esac
done
echo "$*" >sbatch.words
cat >array.sh
for task in $tasks; do
    SLURM_ARRAY_TASK_ID=$task sh array.sh >>"$(echo "$log" | sed "s/%a/$task/")" 2>&1
done
END2
chmod +x bin/sbatch
PATH=$PWD/bin:$PATH "$experiment" run array --build "$build" --workers 2 --slurm '-p long' >array.out 2>&1 ||
    fail "as an array: $(cat array.out)"
grep -q -- '--cpus-per-task=2 .* --array=0,1,2,3,4,5 -p long$' sbatch.words || fail "$(cat sbatch.words)"
for result in whole/runs/*.txt; do
    diff <(grep -v cpu_s "$result" | cut -d' ' -f1-6) <(grep -v cpu_s "array/runs/${result##*/}" | cut -d' ' -f1-6) ||
        fail "$result is another one as a task of an array"
done
[ -z "$(ls array/unfinished)" ] || fail "left: $(ls array/unfinished)"

# the best of each run is kept, with its command, and repeats its result
# shellcheck disable=SC2016  # backquotes of the table
grep -q '^| archive | 2 | .* | `controller run .*--seed 2 .*` |$' whole/report.md || fail "no champions: $(cat whole/report.md)"
[ "$(find whole/champions -name '*.creature' | wc -l)" = 6 ] || fail "champions: $(ls whole/champions)"
"$bin/simulator" evaluate whole/champions/walk-archive-1.creature >champion.out || fail "the champion is not read"
grep -q '^digest .* verified' champion.out || fail "the champion differs: $(cat champion.out)"

# the tables of the page, for the worlds that its markers name: of two methods, and of one
mkdir docs alone
sed '/^archive/d' whole/plan.ini >alone/plan.ini
cp -r whole/runs whole/champions alone
for name in whole alone; do
    printf '%s\n' "<!-- $name walk: made by hand -->" nothing "<!-- $name walk: end -->"
done >docs/results.md
"$experiment" results --build "$build" whole alone >results.out || fail "the page: $(cat results.out)"
grep -q '^| walk | sims | [^|]* \[' docs/results.md || fail "no methods: $(cat docs/results.md)"
grep -q '^| walk | archive | .* | [0-9.e-]*, [0-9.]* |$' docs/results.md || fail "no pairs: $(cat docs/results.md)"
[ "$(grep -c '^| walk | [0-3] of 3 | ' docs/results.md)" = 2 ] || fail "no champions: $(cat docs/results.md)"
! grep -q nothing docs/results.md || fail "a block was kept: $(cat docs/results.md)"
for picture in whole/champions-walk alone/walk; do
    grep -q "](../$picture.png)" docs/results.md || fail "no $picture: $(cat docs/results.md)"
    [ -s "$picture.png" ] || fail "$picture was not drawn"
done
sed -i 's/whole walk/whole swim/' docs/results.md
refused 1 'blocks of whole: .* is missing, or no world of the plan' "$experiment" results --build "$build" whole

# stopped in the midst, which its controller does not outlive; killed in the midst (the controller too); then finished:
# the same results
plan broken
start "$experiment" run broken --build "$build" >broken.out 2>&1
has_begun() { [ -e broken/unfinished/walk-sims-1/run.db ]; }
wait_until "a run has begun" has_begun
kill -TERM "$pid"
! wait "$pid" || fail "stopped, it said that it was done"
grep -q 'stopped; start again to go on' broken.out || fail "stopped: $(cat broken.out)"
! pgrep -f -- '-o broken/unfinished/' || fail "stopped, it left its controller"
start setsid "$experiment" run broken --build "$build" >broken.out 2>&1
has_two() { [ "$(find broken/runs -name '*.txt' 2>/dev/null | wc -l)" -ge 2 ]; }
wait_until "two runs are finished" has_two
kill -KILL -- "-$pid"
wait "$pid" 2>/dev/null || true
"$experiment" run broken --build "$build" >broken.out 2>&1 || fail "going on: $(cat broken.out)"
without_times() { sed -e '/cpu_s = /d' -e 's/^\([0-9].*\) [^ ]*$/\1/' "$1"; }
for result in whole/runs/*.txt; do
    diff <(without_times "$result") <(without_times "broken/runs/${result##*/}") ||
        fail "$result differs after a kill"
done

# what is refused
refused 1 'expected .run DIR' "$experiment" walk
refused 1 'plan.ini: No such file' "$experiment" report nowhere
sed -i 's/evolution.lag=8/evolution.lag=9/' broken/plan.ini
refused 1 'made with other settings' "$experiment" report broken
plan typing
sed -i 's/evolution.lag=8/evolution.lug=8/' typing/plan.ini
refused 1 'unknown key evolution.lug' "$experiment" run typing --build "$build"
