#!/usr/bin/env bash
# `controller bisect`: the first creature and number that differ. `controller compare`: repetitions are a group, settings that differ are named, few seeds tell nothing, many do;
# `controller list` sorts by measures and writes rows.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
command -v sqlite3 >/dev/null || { echo "skip: sqlite3 is not installed" && exit 77; }

for seed in 1 2 3 4; do
    "$bin/controller" run walk.ini -o "near-$seed" --seed $seed -s population.size=12 >/dev/null 2>&1 || fail "no run"
    "$bin/controller" run walk.ini -o "far-$seed" --seed $seed -s population.size=12 -s world.gravity_m_s2=2 >/dev/null 2>&1 || fail "no run"
done
"$bin/controller" compare near-1 near-2 far-1 >said || fail "not compared"
grep -q '^  world.gravity_m_s2 *A: 9.81  B: 2$' said || fail "the setting is not named: $(cat said)"
[ "$(sed -n '/^settings/,/^$/p' said | grep -c '^  ')" = 1 ] || fail "other settings are named: $(cat said)"
grep -q '^  A (2 finished) and B (1): .* which so few seeds cannot tell from chance$' said || fail "no warning: $(cat said)"
[ "$(grep -c '^A .*near-[12]$' said)" = 4 ] || fail "the repetitions are no group: $(cat said)"
"$bin/controller" compare near-? far-? >said || fail "not compared"
grep -q '^  A (4 finished) and B (4): .*, p = ' said || fail "no test: $(cat said)"
{ "$bin/controller" compare near-1 near-1 >said && grep -q 'none but seed, name and farm' said; } || fail "equal runs differ"
"$bin/controller" compare near-1 2>said && fail "one run is compared"
"$bin/controller" compare near-1 nothing 2>said && fail "what is not there is compared"
grep -q nothing said || fail "no reason: $(cat said)"

"$bin/controller" list near-1 --csv --top 0 >all.csv
[ "$(wc -l <all.csv)" = 13 ] || fail "$(wc -l <all.csv) rows"
[ "$(awk -F, '{ print NF }' all.csv | sort -u | wc -l)" = 1 ] || fail "rows of several lengths"
column=$(head -1 all.csv | tr , '\n' | grep -n '^distance_m$' | cut -d: -f1)
"$bin/controller" list near-1 --csv --sort distance_m --top 5 | tail -n +2 | cut -d, -f"$column" >sorted
sort -t, -k"$column,$column" -gr <(tail -n +2 all.csv) | cut -d, -f"$column" | head -5 | diff - sorted || fail "not sorted"
"$bin/controller" list near-1 --sort beauty 2>said && fail "sorted by beauty"
grep -q "no measure 'beauty'" said || fail "no reason: $(cat said)"
"$bin/controller" list near-1 --csv --json 2>/dev/null && fail "both forms"

"$bin/controller" bisect near-1 near-1 | grep '^all [1-9][0-9]* creatures are equal$' >said || fail "a run differs from itself"
"$bin/controller" bisect near-1 far-1 >said || fail "bisect: $(cat said)"
grep -q '^world.gravity_m_s2: 9.81 and 2$' said || fail "bisect names no setting: $(cat said)"
grep -q '^the motions part at .* s of .*: p[0-9]*_[a-z_0-9]* is .* and ' said || fail "bisect finds no number: $(cat said)"
printf '#!/bin/sh\necho "no such creature"\nexit 3\n' >broken && chmod +x broken
"$bin/controller" bisect near-1 far-1 --with ./broken >said 2>&1 && fail "a broken simulator is no error"
grep -q 'broken: no such creature' said || fail "bisect says no reason: $(cat said)"
"$bin/controller" run preserve -o water --seed 1 -j 1 --generations 2 -s preserve.worlds=1 -s preserve.founders=3 >/dev/null 2>&1 || fail "no water"
cp -r water other && sqlite3 other/run.db "update epochs set digest = '00000000000000aa' where epoch = 1"
"$bin/controller" bisect water other >said || fail "bisect: $(cat said)"
grep -q '^world 0 is the first that differs, in epoch 1: digests .* and 00000000000000aa$' said || fail "bisect finds no epoch: $(cat said)"
exit 0
