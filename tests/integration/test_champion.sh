#!/usr/bin/env bash
# The champion, which passed the exam, is not always the first in rank: `best` means the champion, `first` the rank, each table
# marks the champion, and the last line of a run names it, or says that there is none and why. The first in rank of a finished
# run is made to have failed, by SQL, and another one to have passed.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
controller=$bin/controller
command -v sqlite3 >/dev/null || { echo "skip: no sqlite3"; exit 77; }

"$controller" run walk.ini --seed 7 -o run >run.out 2>/dev/null || fail "run: $(cat run.out)"
first=$(sqlite3 run/run.db "SELECT individual FROM members WHERE generation = 3 AND rank = 1")
other=$(sqlite3 run/run.db "SELECT individual FROM members WHERE generation = 3 AND rank = 12")
older=$(sqlite3 run/run.db "SELECT individual FROM members WHERE generation = 2 AND rank = 1")
decide() { # CREATURE HOLDS
    sqlite3 run/run.db "UPDATE run SET value = '$1' WHERE key = 'champion';
        UPDATE run SET value = '$2' WHERE key = 'champion_holds'"
}
row() { grep -E "^ +[0-9]+[* ] *$1 " "$2"; }

# the run says itself which it is
grep -q '^keep one: *controller save run \(best\|first\)$' run.out || fail "what is to be kept: $(cat run.out)"
case $(sqlite3 run/run.db "SELECT value FROM run WHERE key = 'champion_holds'") in
1) tail -n 1 run.out | grep -q '^champion: *creature [0-9]* passed its exam: ' || fail "no champion: $(cat run.out)" ;;
*) tail -n 1 run.out | grep -q "^champion: *none: creature $first, the first in rank, failed the exam (.* at h; .*), and no other passed$" ||
    fail "no reason: $(cat run.out)" ;;
esac

# another one passed
decide "$other" 1
for name in best "$other"; do
    says "^a.creature: creature $other, the champion, fitness" "$controller" save run "$name" --force -o a.creature
done
says "^a.creature: creature $first, the first in rank, fitness" "$controller" save run first --force -o a.creature
says "^a.creature: creature $first, fitness" "$controller" save run "$first" --force -o a.creature
says '^digest .*verified' "$controller" evaluate run:first
says "^--- run:best: creature $other, " "$controller" diff run:best "run:$first"
for options in '' '--ranks --top 20' '--distinct --top 0' '--top 1' '--top 2 --kinds'; do
    # shellcheck disable=SC2086
    "$controller" list run $options >list.out
    row "$other" list.out | grep -q '\*' || fail "list $options: no mark: $(cat list.out)"
    grep -q "^champion (\*): creature $other passed its exam (how: --exam)\$" list.out || fail "list $options: $(cat list.out)"
done
"$controller" list run | sed -n 3p | grep -q "^ *12\* *$other " || fail "the champion is not at the top of the kinds"
"$controller" list run --ranks | sed -n 3p | grep -q "^ *1  *$first " || fail "--ranks begins with another"
! "$controller" list run --generation 2 | sed -n 3p | grep -qv " $older " || fail "an older generation begins with the champion"
"$controller" list run --lineage "$other" | sed -n 3p | grep -q "^ *$other\*" || fail "the lineage has no mark"
[ "$("$controller" list run --top 20 --json | grep -c '^    "champion": true')" = 1 ] || fail "list --json: not one champion"
says "^champion    creature $other passed its exam: " "$controller" status run
"$controller" report run -o page.html >/dev/null || fail "report"
grep -q "<p>Champion: <span class='good'>creature $other passed its exam: " page.html || fail "the report's champion"
grep -q "<b>12. creature $other</b>  *<span class='status good'>champion" page.html ||
    grep -q "<b>12. creature $other</b>.*<span class='status good'>champion" page.html || fail "the report's table has no mark"
if [ -x "$bin/viewer" ]; then
    says "^[a-z]+ +walk-$other, champion, fitness " "$bin/viewer" run --top 1 --export one.html
    says "^[a-z]+ +walk-$other, champion, fitness " "$bin/viewer" run --top 20 --ranks --export all.html
    says "^[a-z]+ +walk-$other, champion, fitness " "$bin/viewer" run:best --export one.html
    says "^[a-z]+ +walk-$first, fitness " "$bin/viewer" run:first --export one.html
fi

# no creature passed
decide "$first" 0
says "^a.creature: creature $first, the first in rank \(no creature has passed the exam\), fitness" \
    "$controller" save run best --force -o a.creature
"$controller" list run >list.out
! grep -q '^ *[0-9]*\*' list.out || fail "a mark without a champion: $(cat list.out)"
says "^champion \(\*\): none: creature $first, the first in rank, failed the exam, and no other passed \(how: --exam\)$" "$controller" list run
says "^champion    none: creature $first, the first in rank, failed the exam \(.* at h; .*\), and no other passed$" "$controller" status run

# a run that has not ended
"$controller" resume run -s evolution.generations=5 -s evolution.behaviour=custom -s fitness.expression=0 >run.out 2>/dev/null ||
    fail "resume: $(cat run.out)"
tail -n 1 run.out | grep -q '^champion: *none: no creature has a fitness above 0$' || fail "no reason: $(cat run.out)"
sqlite3 run/run.db "UPDATE run SET value = '0' WHERE key = 'finished'"
says '^champion    none yet: the exam is at the end of the run$' "$controller" status run

# a run that began with creatures says what the best of them has, and what the champion adds
"$controller" run walk.ini --seed 7 --seed-creature "$root/examples/creatures/strider.json" -s evolution.generations=2 -o seeded \
    >run.out 2>/dev/null || fail "run: $(cat run.out)"
says '^ancestor    strider.json \(creature 1\), [1-9]' "$controller" status seeded
says '^ancestor: strider.json \(creature 1\), [1-9]' "$controller" list seeded
times=$(sqlite3 seeded/run.db "SELECT printf('%.3g', c.fitness / i.fitness) FROM individuals c, individuals i
    WHERE i.id = 1 AND c.id = (SELECT CAST(value AS INTEGER) FROM run WHERE key = 'champion')")
case $(sqlite3 seeded/run.db "SELECT value FROM run WHERE key = 'champion_holds'") in
1) grep -q "^ancestor: .*; the champion has $times times that\$" run.out || fail "not $times times: $(cat run.out)" ;;
*) grep -q '^ancestor: .* here$' run.out || fail "an ancestor beside no champion: $(cat run.out)" ;;
esac
"$controller" report seeded -o page.html >/dev/null || fail "report"
grep -q 'Ancestor: strider.json (creature 1), ' page.html || fail "the report's ancestor"
! "$controller" status run | grep -q '^ancestor' || fail "an ancestor of a run without"
