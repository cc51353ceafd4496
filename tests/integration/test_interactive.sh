#!/usr/bin/env bash
# Choosing by hand: a run waits after each generation and breeds what was chosen; killed, stopped and
# resumed it comes to the same, as does another run that repeats its choices.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
controller=$bin/controller
cat >bred.ini <<'END'
[population]
size = 8
[evolution]
behaviour = interactive
search = sims
generations = 4
[simulation]
duration_s = 1
END

waits_in() { # RUN_DIR GENERATION
    grep -q " event=waiting generation=$2$" "$1/logs/controller.log" 2>/dev/null &&
        "$controller" status "$1" --json >status.json 2>/dev/null && grep -q "^  \"generation\": $2," status.json &&
        grep -q '^  "state": "waiting"' status.json
}
# ids RUN_DIR: of the generation that waits, best first
ids() { "$controller" choose "$1" | awk '$1 ~ /^[0-9]+$/ {print $1}'; }
pick() { # RUN_DIR NUMBER: the id at that place
    ids "$1" | sed -n "$2p"
}
# breed_from RUN_DIR GENERATION: the second and the third breed, the first is kept, the fourth is banned
breed_from() {
    wait_until "$1 waits in generation $2" waits_in "$1" "$2"
    local best
    mapfile -t best < <(ids "$1")
    "$controller" choose "$1" "${best[1]}" breed "${best[2]}" breed "${best[0]}" keep "${best[3]}" ban >/dev/null
    says "^generation $(($2 + 1)) is bred$" "$controller" choose "$1" --next
}

# ---- three generations ----
start "$controller" run bred.ini --seed 3 -o whole >whole.out 2>whole.err
whole=$pid
wait_until "the run waits" waits_in whole 0
says '^state +waiting for choices \(process' "$controller" status whole
says 'controller choose whole' "$controller" status whole
says '^generation 0, waits for choices' "$controller" choose whole
first=$(pick whole 1)
says "^creature $first in generation 0: breed$" "$controller" choose whole "$first" breed
says '^choices +1 to breed, 0 to keep, 0 banned in generation 0' "$controller" status whole
says "^creature $first in generation 0: none$" "$controller" choose whole "$first" none
says '^choices +0 to breed, 0 to keep, 0 banned in generation 0' "$controller" status whole
refused 1 'creature 99 is not in generation 0' "$controller" choose whole 99 keep
refused 2 "'kept' is not a choice: keep, ban, breed or none" "$controller" choose whole "$first" kept
refused 2 "creature $first: keep, ban" "$controller" choose whole "$first"
refused 2 "'x' is not a whole number" "$controller" choose whole x keep
for generation in 0 1 2; do breed_from whole "$generation"; done
wait "$whole" || fail "the run: $(cat whole.err)"
[ "$(grep -c 'waits for your choices: controller view whole' whole.err)" = 3 ] || fail "$(cat whole.err)"
refused 1 'whole: no controller is working on this run' "$controller" choose whole --next
refused 1 'generation 3 is the last one' "$controller" choose whole "$first" keep
# its report knows what was chosen, and no scores
"$controller" report whole -o whole.html --no-pictures >/dev/null || fail "report"
has() { grep -q "$1" whole.html || fail "the report has no '$1'"; }
has "Bred <b>by hand</b>"
has "in 3 of 3 generations something was chosen: 6 to breed, 3 to keep, 3 banned"
has "<span class='mark breed'>breed in [0-9, -]*2</span>"
! grep -Eq 'Fitness by|best fitness|search=archive' whole.html || fail "the report judges by scores"
sql() { sqlite3 -readonly whole/run.db "$1"; }
if command -v sqlite3 >/dev/null; then
    [ "$(sql "SELECT group_concat(n) FROM (SELECT count(*) AS n FROM choices GROUP BY generation, choice
        ORDER BY generation, choice)")" = 1,2,1,1,2,1,1,2,1 ] || fail "table choices: $(sql 'SELECT * FROM choices')"
    # the children have chosen parents, the chosen survive, the banned do not
    [ "$(sql "SELECT count(*) FROM individuals i WHERE i.generation > 0 AND NOT EXISTS (SELECT 1 FROM choices c
        WHERE c.generation = i.generation - 1 AND c.individual = i.parent1 AND c.choice = 'breed')")" = 0 ] ||
        fail "a child's parent was not chosen"
    [ "$(sql "SELECT count(*) FROM choices c JOIN members m USING (individual, generation)
        WHERE m.survived <> (c.choice <> 'ban')")" = 0 ] || fail "who survives was not chosen"
    [ "$(sql 'SELECT count(*) FROM members m JOIN individuals i ON i.id = m.individual
        WHERE m.generation = 1 AND m.rank <= 8 AND i.fitness > 0')" = 8 ] || fail "the eight places are not filled"
fi

# ---- killed while it waits with half of the choices given; stopped, and chosen without a controller ----
start "$controller" run bred.ini --seed 3 -o broken >broken.out 2>broken.err
broken=$pid
breed_from broken 0
wait_until "it waits again" waits_in broken 1
"$controller" choose broken "$(pick broken 2)" breed "$(pick broken 1)" keep >/dev/null
kill -KILL "$broken"
wait "$broken" 2>/dev/null || true
no_worker_is_left broken
start "$controller" resume broken >>broken.out 2>>broken.err
broken=$pid
wait_until "it waits where it was" waits_in broken 1
says '^choices +1 to breed, 1 to keep, 0 banned in generation 1' "$controller" status broken
kill -TERM "$broken"
wait "$broken" || fail "$(cat broken.err)"
refused 1 'no controller is working on this run; go on with: controller resume broken' "$controller" choose broken --next
says 'counts when the run is resumed' "$controller" choose broken "$(pick broken 3)" breed "$(pick broken 4)" ban
start "$controller" resume broken >>broken.out 2>>broken.err
broken=$pid
wait_until "it waits with all of them" waits_in broken 1
says '^choices +2 to breed, 1 to keep, 1 banned in generation 1' "$controller" status broken
"$controller" choose broken --next >/dev/null
breed_from broken 2
wait "$broken" || fail "$(cat broken.err)"
same_runs whole broken

# ---- the same choices again, without anybody ----
"$controller" run bred.ini --seed 3 -j 3 -o again --choices whole >again.out 2>again.err || fail "$(cat again.err)"
same_runs whole again
status=0
"$controller" run bred.ini --seed 4 -s population.size=3 -s population.survival=0.5 -s breeding.draws=1 -o other --choices whole >other.out 2>other.err || status=$?
[ $status = 1 ] || fail "another run's choices: exit code $status"
grep -q "its creature [0-9]* is not in it: another run's choices" other.err || fail "$(cat other.err)"

# ---- other choices make another run; with a goal besides, and asked every second generation only ----
mixed=(-s evolution.behaviour=walk -s interactive.share=0.5 -s interactive.every=2)
start "$controller" run bred.ini --seed 3 "${mixed[@]}" -o mixed >mixed.out 2>mixed.err
run=$pid
breed_from mixed 1
wait "$run" || fail "$(cat mixed.err)"
[ "$(grep -c 'waits for your choices' mixed.err)" = 1 ] || fail "it asked more than once: $(cat mixed.err)"
"$controller" run bred.ini --seed 3 "${mixed[@]}" -o remixed --choices mixed >/dev/null 2>&1 || fail "not repeated"
same_runs mixed remixed
start "$controller" run bred.ini --seed 3 "${mixed[@]}" -o unmixed >/dev/null 2>&1
run=$pid
wait_until "it waits" waits_in unmixed 1
"$controller" choose unmixed "$(pick unmixed 5)" breed --next >/dev/null
wait "$run" || fail "the run with other choices"
"$controller" digest unmixed >unmixed.digest
if diff -q mixed.digest unmixed.digest >/dev/null; then fail "other choices change nothing"; fi

# ---- without choices ----
"$controller" run walk.ini --seed 3 -o plain >/dev/null 2>&1 || fail "a plain run"
refused 1 'this run has no choices by hand' "$controller" choose plain
refused 1 'this run has no choices by hand' "$controller" choose plain 1 keep
refused 1 '--choices: this run has no choices by hand' "$controller" run walk.ini -o new --choices whole
refused 1 'nowhere' "$controller" run bred.ini -o new --choices nowhere
refused 1 'use sims' "$controller" run bred.ini -o new -s evolution.search=archive
[ ! -e new ] || fail "a refused run left a directory"
