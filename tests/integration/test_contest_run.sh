#!/usr/bin/env bash
# A run whose creatures are judged by contests: the same for any number of workers and after a kill;
# only the creature that crashes the simulator is blamed; parameters that contests need.
# speed: long
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
ulimit -c 0

cat >sumo.ini <<'INI'
[population]
size = 12
[evolution]
generations = 3
search = sims
behaviour = contest
reevaluate = yes
[contest]
goal = sumo
[sensor]
other = yes
object = yes
[simulation]
duration_s = 1.5
[farm]
commit_s = 0.02
INI
run() { # RUN_DIR OPTION...
    "$bin/controller" run sumo.ini -o "$@" >"$1.out" 2>&1 || fail "run $1: $(cat "$1.out")"
}

run one -j 1
run three -j 3
same_runs one three
grep -q incomplete one.digest && fail "a generation is not closed: $(cat one.digest)"
contests() { sqlite3 "$1/run.db" "SELECT count(*) FROM contests WHERE $2"; }
[ "$(contests one 'generation = 2')" -gt 30 ] || fail "no contests in the store"
[ "$(contests one "trial LIKE 'champion%'")" -gt 0 ] || fail "the champion had no exam"
says '^champion +creature [0-9]+.*won [0-9]+ of [0-9]+ contests' "$bin/controller" status one

# if the first in rank fails its exam the next ones take it; one that meets no rival does not pass
run failing -j 1 --seed 2
run failing3 -j 3 --seed 2
same_runs failing failing3
[ "$(sqlite3 failing/run.db "SELECT count(DISTINCT first) FROM contests WHERE trial LIKE 'champion%'")" -gt 1 ] ||
    fail "one candidate alone took the exam"
says '^creature [0-9]+ is not the champion: won (0 of 1|1 of 2|2 of 3|3 of 4) contests .*; others are examined$' cat failing.out
says '^champion +none: creature [0-9]+, the first in rank, failed the exam \(won (0 of 1|1 of 2|2 of 3|3 of 4) .*, and no other passed$' "$bin/controller" status failing
run alone -j 1 --seed 2 -s guard.exam_candidates=1
! grep "others are examined" alone.out || fail "no other was to be examined"
run first -j 1 -s evolution.generations=1
says '^champion: +none: .* failed the exam \(no other was the best of an earlier generation\)' cat first.out

# the viewer shows the best one's last contest, which is the recorded one; alone nothing is recorded
says '^verified +sumo-[0-9]+ \(blue\) against sumo-[0-9]+ \(red\), sumo: ' "$bin/viewer" one --export duel.png --size 320x180
best=$(sqlite3 one/run.db "SELECT best_id FROM generations WHERE number = 2")
"$bin/controller" save one "$best" -o best.creature >save.out || fail "no creature: $(cat save.out)"
says '^digest .* unrecorded' "$bin/simulator" evaluate best.creature

# two species: of both a half, each meets the other alone, and generations do, too
run two -j 1 -s contest.species=2 -s contest.goal=tag
run pair -j 3 -s contest.species=2 -s contest.goal=tag
same_runs two pair
[ "$(contests two 'generation < 3')" -gt 20 ] || fail "no contests of two species"
[ "$(contests two 'first % 2 = second % 2')" = 0 ] || fail "some meet their own species"
[ "$(sqlite3 two/run.db "SELECT min(n) FROM (SELECT count(*) AS n FROM members GROUP BY generation, individual % 2)")" -ge 5 ] ||
    fail "a species dwindles"
"$bin/controller" progress two --every 1 --samples 1 --panel 2 >species 2>species.err || fail "progress: $(cat species.err)"
says '^Against all other champions the mean margin (rises|falls) by ' cat species

# generations meet: the same for any number of workers, a pair once, and once known not again
"$bin/controller" progress one -j 1 --every 1 --samples 0 --panel 0 >progress1 2>progress1.err ||
    fail "progress: $(cat progress1.err)"
! grep -qw nan progress1 || fail "what was not played has a number: $(cat progress1)"
says '^Against all other champions the mean margin (rises|falls) by ' cat progress1
says '^( +[0-9]+){2} +[+-][0-9.]+ +[0-9]+ of [0-9]+ ' cat progress1
bouts=$(tail -n 1 progress1.err)
[[ $bouts =~ ^24\ of\ 24\ bouts,\ ([0-9]+)\ simulated$ ]] || fail "progress: $bouts"
[[ ${BASH_REMATCH[1]} -gt 0 && ${BASH_REMATCH[1]} -le 12 ]] ||
    fail "three champions and three of the control have six pairs, two bouts each: $bouts"
cp one/progress.json known.json
"$bin/controller" progress one -j 3 --every 1 --samples 0 --panel 0 >progress2 2>progress2.err
cmp progress1 progress2 || fail "what is known differs"
[ ! -s progress2.err ] || fail "what is known was played again"
"$bin/controller" progress one -j 3 --every 1 --samples 0 --panel 0 --again >progress3 2>/dev/null
cmp progress1 progress3 || fail "progress with other workers"
cmp known.json one/progress.json || fail "progress.json with other workers"
"$bin/controller" progress one -j 3 --every 1 --panel 3 >progress4 2>/dev/null || fail "progress with a panel"
says 'with a panel that no generation met' cat progress4
"$bin/controller" report one --no-pictures -o one.html >/dev/null
says "Champions \(rows\) against their ancestors" cat one.html
refused 1 'one: .*3 complete generations' "$bin/controller" progress one --every 2
refused 2 'two or four' "$bin/controller" progress one --bouts 3
cp -r one other
sqlite3 other/run.db "UPDATE branch_parameters SET value = 'constraint' WHERE key = 'simulation.solver'"
refused 1 'simulation.solver articulated only' "$bin/controller" progress other --every 1 --again
"$bin/controller" run sumo.ini -o walk -j 3 -s evolution.behaviour=walk -s evolution.generations=1 \
    -s sensor.other=no -s population.size=6 >walk.out 2>&1 || fail "no run: $(cat walk.out)"
refused 1 'walk: not a run of contests' "$bin/controller" progress walk

# the other patterns
for pattern in all-vs-best random tournament all-vs-all; do
    for workers in 1 3; do
        run "$pattern-$workers" -j $workers -s contest.pattern=$pattern -s evolution.generations=1 \
            -s population.size=6 -s simulation.duration_s=1
    done
    same_runs "$pattern-1" "$pattern-3"
done
[ "$(contests tournament-1 "trial LIKE 'first+bout-1+%'")" = 5 ] || fail "a tournament of 6 has 5 pairs"

# killed in its midst, and resumed
run long -j 2 -s population.size=60 -s evolution.generations=10
start setsid "$bin/controller" run sumo.ini -j 2 -o killed -s population.size=60 -s evolution.generations=10 >killed.out 2>&1
# shellcheck disable=SC2016
wait_until "the run has contests" eval '[ "$(contests killed "generation = 0" 2>/dev/null || echo 0)" -gt 0 ]'
kill -KILL "$pid"
wait "$pid" 2>/dev/null || true
no_worker_is_left killed
"$bin/controller" resume killed -j 1 >killed.resumed 2>&1 || fail "resume: $(cat killed.resumed)"
same_runs long killed

# a finished run goes on, whose champion has had its exam
run short -j 3 -s evolution.generations=2
"$bin/controller" resume short --generations 3 -j 3 >short.resumed 2>&1 || fail "resume: $(cat short.resumed)"
results() {
    sqlite3 "$1/run.db" "SELECT id, fitness, digest, contests FROM individuals" \
        "SELECT * FROM contests WHERE trial LIKE 'first%' OR generation = 2"
}
diff <(results one) <(results short) || fail "more generations differ"

# one whose genes crash every simulator
command -v perl >/dev/null || { echo "no perl: nothing crashes"; exit 0; }
cat >crash.pl <<'PERL'
my $gene = pack("H*", shift @ARGV);
my $child = open(my $simulator, "|-", @ARGV) or die;
while (sysread(STDIN, my $bytes, 65536)) {
    if (index($bytes, $gene) >= 0) { kill("KILL", $child); exit(139); }
    syswrite($simulator, $bytes);
}
PERL
gene=$(sqlite3 one/run.db "SELECT substr(hex(genome), 3, 18) FROM individuals WHERE id = 5")
short=(-s contest.pattern=all-vs-best -s contest.headings=1 -s evolution.generations=2 -s farm.prefetch=1)
for workers in 1 3; do
    run "sick$workers" -j $workers "${short[@]}" -s farm.launcher="perl $PWD/crash.pl $gene"
    says '^quarantine +creature 5: SIGSEGV' "$bin/controller" status "sick$workers"
done
same_runs sick1 sick3
says '"quarantined": 1,' "$bin/controller" status sick1 --json
[ "$(sqlite3 sick1/run.db "SELECT count(*) FROM events WHERE event = 'contest_crashed' AND detail LIKE 'creatures % and %'")" = 1 ] ||
    fail "the events do not tell of the contest"

# what the parameters must be
refused 1 'evolution.reevaluate = yes' "$bin/controller" run sumo.ini -o no -s evolution.reevaluate=no
refused 1 'sensor.other = yes' "$bin/controller" run sumo.ini -o no -s sensor.other=no
refused 1 'rectangles or boxes' "$bin/controller" run sumo.ini -o no -s creature.body=spheres
