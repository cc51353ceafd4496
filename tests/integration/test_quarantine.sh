#!/usr/bin/env bash
# A creature that crashes every simulator it meets goes to quarantine, and the run goes on, equal for
# any number of workers. The crash is planted: a launcher looks for the creature's seed in what the
# controller sends, and says that the simulator died of SIGSEGV when it finds it.
# speed: long
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
command -v perl >/dev/null || { echo "skip: needs perl"; exit 77; }
ulimit -c 0

cat >crash.pl <<'END'
my $seed = pack("H*", shift @ARGV);
my $child = open(my $simulator, "|-", @ARGV) or die;
while (sysread(STDIN, my $bytes, 65536)) {
    if (index($bytes, $seed) >= 0) { kill("KILL", $child); exit(139); }
    syswrite($simulator, $bytes);
}
END

"$bin/controller" run walk.ini --seed 9 -o sound >sound.out 2>&1 || fail "$(cat sound.out)"
"$bin/controller" list sound --generation 0 --top 0 --json >sound.json
bad=5
seed=$(sed -n "/^    \"id\": $bad,/,/\"seed\"/s/^    \"seed\": \"\(.*\)\",/\1/p" sound.json)
[ ${#seed} = 16 ] || fail "no seed of creature $bad: '$seed'"

for workers in 1 3; do
    "$bin/controller" run walk.ini --seed 9 -j $workers -o "sick$workers" -s farm.prefetch=1 \
        -s farm.launcher="perl $PWD/crash.pl $seed" >"sick$workers.out" 2>&1 ||
        fail "the run ended: $(cat "sick$workers.out")"
    grep -q "creature $bad is in quarantine" "sick$workers.out" ||
        fail "does not tell of the quarantine: $(cat "sick$workers.out")"
    says '"quarantined": 1,' "$bin/controller" status "sick$workers" --json
    says "^quarantine +creature $bad: SIGSEGV" "$bin/controller" status "sick$workers"
    says '"log": ".*event=start .*event=worker_died .*end=SIGSEGV' \
        "$bin/controller" status "sick$workers" --json
    no_worker_is_left "sick$workers"
done
# the command that shows it again works as it stands (the launcher is not in it: nothing crashes; but
# the outcome is not the recorded one, which is said and is an exit code)
"$bin/controller" status sick1 | sed -n '/^quarantine/{n;s/^ *//p}' >again.sh
PATH=$bin:$PATH sh again.sh >again.out 2>&1 || true
grep -q "^seed *0x$seed" again.out || fail "the command does not show it again: $(cat again.out)"
same_runs sick1 sick3

"$bin/controller" list sick1 --generation 0 --top 0 --json >sick.json
sed -n "/^    \"id\": $bad,/,/\"digest\"/p" sick.json >bad.json
grep -q '"verdict": "quarantined"' bad.json || fail "not its verdict: $(cat bad.json)"
grep -q '"fitness": 0.0' bad.json || fail "it has a fitness: $(cat bad.json)"
says "creature $bad" "$bin/controller" save sick1 $bad -o bad.creature

# one that crashes before the referee only, at a quarter of the step (the text after the seed): the
# best of the first generation, of jumpers, which all get a little fitness; it is refused, its results
# stay
jump=(--seed 11 -s evolution.behaviour=jump)
"$bin/controller" run walk.ini "${jump[@]}" -o jump >jump.out 2>&1 || fail "$(cat jump.out)"
"$bin/controller" list jump --generation 0 --top 1 --json >sound.json
bad=$(sed -n 's/^    "id": \([0-9]*\),/\1/p' sound.json)
grep -q '"referee_fitness": [0-9]' sound.json || fail "the referee has not seen it: $(cat sound.json)"
seed=$(sed -n "/^    \"id\": $bad,/,/\"seed\"/s/^    \"seed\": \"\(.*\)\",/\1/p" sound.json)
start=$(sed -n "s/.*creature=$bad .*trial=entry+perturbed-\([0-9]\)+finer-2 .*/\1/p" jump/logs/worker-*.log)
later=$(printf '\xb9%s' "entry+perturbed-$start+finer-2" | od -An -tx1 | tr -d ' \n')
for workers in 1 3; do
    "$bin/controller" run walk.ini "${jump[@]}" -j $workers -o "late$workers" -s farm.prefetch=1 \
        -s farm.launcher="perl $PWD/crash.pl ${seed}$later" >"late$workers.out" 2>&1 ||
        fail "the run ended: $(cat "late$workers.out")"
    grep -q "quarantine: creature $bad from perturbed start $start at h/4" "late$workers.out" ||
        fail "does not tell of the referee's crash: $(cat "late$workers.out")"
    grep -q "event=referee creature=$bad referee_fitness=0 fitness=0" \
        "late$workers/logs/controller.log" || fail "not in the log"
    says '"quarantined": 0,' "$bin/controller" status "late$workers" --json
    says '"referee_quarantined": 1,' "$bin/controller" status "late$workers" --json
    says "0 in quarantine, and 1 task of the referee's" "$bin/controller" status "late$workers"
    no_worker_is_left "late$workers"
done
same_runs late1 late3
"$bin/controller" list late1 --generation 0 --top 0 --json >late.json
sed -n "/^    \"id\": $bad,/,/\"digest\"/p" late.json >bad.json
for line in '"fitness": 0.0' '"referee_fitness": 0.0' '"verdict": "ok"' '"survived": false'; do
    grep -q "$line" bad.json || fail "not $line: $(cat bad.json)"
done
