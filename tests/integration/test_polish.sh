#!/usr/bin/env bash
# Before its exam the best of a run are polished: what became better is a birth of its own, in the lineage, lists and reports as all
# others. Killed and stopped in the midst of it, and of what follows, runs come to the same; one that becomes longer breeds from it.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
controller=$bin/controller
command -v sqlite3 >/dev/null || { echo "skip: no sqlite3"; exit 77; }
query() { sqlite3 -readonly "$1/run.db" "$2"; }
# twice the creatures of such a short run are enough for three
options=(--seed 1 -s population.size=24 -s evolution.polish=2 -s farm.commit_s=0.05)

for search in sims archive; do
    "$controller" run walk.ini "${options[@]}" -s evolution.search=$search -j 2 -o whole-$search >whole.out 2>&1 || fail "$search: $(cat whole.out)"
    polished=$(query whole-$search "SELECT group_concat(id) FROM individuals WHERE method = 'polish' AND generation = 3")
    [ -n "$polished" ] || fail "$search: nothing became better"
    [ "$(query whole-$search "SELECT count(*) FROM individuals WHERE method = 'polish' AND (parent1 IS NULL OR parent2 IS NOT NULL
        OR verdict IS NULL OR mutations NOT LIKE '% numbers of the brain and % of the body changed in % evaluations: % -> %')")" = 0 ] ||
        fail "$search: parents and words: $(query whole-$search "SELECT * FROM individuals WHERE method = 'polish'")"
    [ "$(query whole-$search "SELECT count(*) FROM members WHERE individual IN ($polished) AND rank IS NOT NULL AND generation = 3")" = \
        "$(tr , '\n' <<<"$polished" | wc -l)" ] || fail "$search: they are not ranked"
    # the births are part of what the generation needed
    [ "$(query whole-$search "SELECT sum(evaluations_own) FROM generations")" = \
        "$(query whole-$search "SELECT count(*) FROM individuals")" ] || fail "$search: evaluations are miscounted"
    "$controller" run walk.ini "${options[@]}" -s evolution.search=$search -j 1 -o one-$search >one.out 2>&1 || fail "$search: $(cat one.out)"
    same_runs whole-$search one-$search

    # killed in the midst of the polish, of what follows, and stopped in the midst of the polish
    i=0
    for moment in 'trial=polish ' 'trial=polish+perturbed-48 ' 'trial=champion'; do
        i=$((i + 1))
        start setsid "$controller" run walk.ini "${options[@]}" -s evolution.search=$search -j 2 -o cut-$search-$i >cut.out 2>&1
        wait_until "$search: $moment" grep -qs -- "$moment" cut-$search-$i/logs/worker-01.log
        if [ $i = 2 ]; then signal=TERM; else signal=KILL; fi
        kill -$signal "$pid" 2>/dev/null || true # it may have ended meanwhile
        wait "$pid" 2>/dev/null || true
        no_worker_is_left cut-$search-$i
        "$controller" resume cut-$search-$i -j 2 >cut.out 2>&1 || grep -q 'is finished' cut.out || fail "$search $i: $(cat cut.out)"
        same_runs whole-$search cut-$search-$i
    done

    # lists, lineage, files and the report know it
    one=$(query whole-$search "SELECT id FROM individuals WHERE method = 'polish' ORDER BY fitness DESC LIMIT 1")
    says '^ *[0-9]+\*? +.* polished ' "$controller" list whole-$search --ranks --top 30
    says ' numbers of the brain and ' "$controller" list whole-$search --lineage "$one"
    "$controller" save whole-$search "$one" -o polished-$search.creature >/dev/null || fail "save"
    says '^digest .*verified' "$controller" evaluate "whole-$search:$one"
    "$controller" report whole-$search -o page.html >/dev/null || fail "report"
    grep -q '<tr><td>polish</td>' page.html || fail "$search: the report has no such method"

    # a longer run breeds from it, and is polished again
    "$controller" resume whole-$search -s evolution.generations=6 >longer.out 2>&1 || fail "longer: $(cat longer.out)"
    "$controller" resume one-$search -s evolution.generations=6 >longer.out 2>&1 || fail "longer: $(cat longer.out)"
    same_runs whole-$search one-$search
    [ "$(query whole-$search "SELECT group_concat(DISTINCT generation) FROM individuals WHERE method = 'polish'")" = 3,5 ] ||
        fail "$search: polished in generations $(query whole-$search "SELECT group_concat(DISTINCT generation) FROM individuals WHERE method = 'polish'")"
    [ "$(query whole-$search "SELECT sum(evaluations_own) FROM generations")" = \
        "$(query whole-$search "SELECT count(*) FROM individuals")" ] || fail "$search: evaluations of the longer run are miscounted"
done
[ "$(query whole-sims "SELECT count(*) FROM members m JOIN individuals i ON i.id = m.individual
    WHERE i.method = 'polish' AND i.generation = 3 AND m.generation = 4")" -gt 0 ] || fail "none of the polished lives on"

# it can be off, and a short run has none
for setting in evolution.polish=0 evolution.polish=0.03; do
    "$controller" run walk.ini "${options[@]}" -s $setting -o off-$setting >off.out 2>&1 || fail "$setting: $(cat off.out)"
    [ "$(query off-$setting "SELECT count(*) FROM individuals WHERE method = 'polish'")" = 0 ] || fail "$setting: it is polished"
    ! grep -q 'trial=polish' off-$setting/logs/worker-*.log || fail "$setting: trials of a polish"
done
