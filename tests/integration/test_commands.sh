#!/usr/bin/env bash
# The commands on a finished run: list, save, digest, resume; settings that change on resume.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
controller=$bin/controller

says 'controller resume' "$controller" --help
says Bestiary "$controller" --version
for program in controller simulator viewer; do
    [ -x "$bin/$program" ] || continue
    diff <("$bin/$program" help) <("$bin/$program" --help) || fail "$program help"
    diff <("$bin/$program" version) <("$bin/$program" --version) || fail "$program version"
done
diff <("$controller" help save) <("$controller" save --help) || fail "controller help save"
says '^walk3d .*space' "$controller" examples
"$controller" run --print-config --all >all.ini
"$controller" run all.ini --print-config --all >again.ini
diff all.ini again.ini || fail "the printed configuration is not read back"
says '^size = 77' "$controller" run --print-config -s population.size=77
says '^size = 78' "$controller" run --print-config --population 78 walk3d

"$controller" run walk.ini --seed 7 -o run -s guard.exam_cost=off >run.out 2>run.err || fail "run: $(cat run.err)"
[ "$(grep -c '^generation' run.err)" -ge 4 ] || fail "no line for each generation: $(cat run.err)"
grep -q 'controller view run' run.out || fail "does not say how to watch: $(cat run.out)"
[ "$(sed -n '/^ *[0-9]/p' run.out | wc -l)" -ge 2 ] || fail "not the best of kinds: $(cat run.out)"
grep -q $'\033\|\r' run.err && fail "escape sequences where there is no terminal"

# every task has a line in a worker's log, with creature, verdict and cost
for id in 1 17; do
    grep -hq "creature=$id .*verdict=" run/logs/worker-*.log || fail "no log line of creature $id"
done

# candidates for champion sat the exam, each trial once: four starts with the other solver, then eight at h/4
# (a task that takes long is copied to another worker, whose log has a line of it, too)
says "^champion    (creature [0-9]* passed its exam|none: creature [0-9]*, the first in rank, failed the exam).* at h; .* with solver constraint" "$controller" status run
says '"scores": "[0-9.]* at h; ' "$controller" status run --json
for trial in perturbed-{9,12}+other-solver perturbed-{9,16}+finer-2; do
    champion=$("$controller" status run --json | sed -n '/"champion"/,/}/s/.*"id": \([0-9]*\).*/\1/p')
    grep -h " creature=$champion .*trial=champion+$trial " run/logs/worker-*.log >trials || fail "no $trial of $champion"
    [ "$(grep -o ' task=[0-9]* ' trials | sort -u | wc -l)" = 1 ] || fail "$trial of $champion: $(cat trials)"
done
says "^champion .*creature $champion\\b.* [0-9.(]* at h; from perturbed starts .* at h/4 \\(median of 8, passed [0-8] of 8\\), " \
    "$controller" list run --exam
says "^exam: it is of the last generation's champion\$" "$controller" list run --exam --generation 0
says "^champion \(\*\): (creature $champion passed its exam|none: creature $champion, the first in rank, failed the exam, and no other passed) \(how: --exam\)\$" "$controller" list run
says '^fitness: the least in several trials; 0: ' "$controller" list run
# and the referee tried perturbed runs before the finer step
grep -hq 'trial=entry+perturbed-[18] ' run/logs/worker-*.log || fail "no perturbed run"
grep -hq 'trial=entry+perturbed-[27]+finer-2 ' run/logs/worker-*.log || fail "no quarter step"

# such a short run pays for less of an exam by itself: 68 evaluations for trials of four; it repeats
for workers in 1 2; do
    "$controller" run walk.ini --seed 7 -o cut$workers -j $workers >cut.out 2>&1 || fail "run: $(cat cut.out)"
    says 'champion    .* at h/4 .*; cut to what the run cost' "$controller" status cut$workers
    ! grep -h 'trial=champion.*other-solver' cut$workers/logs/worker-*.log || fail "dearer than the run"
done
same_runs cut1 cut2

# list
[ "$("$controller" list run --top 7 --ranks | wc -l)" = 11 ] || fail "list --top 7 --ranks"
"$controller" list run --kinds --top 20 --json >kinds.json
"$controller" list run >kinds.out
kinds=$(grep -c '^    "id":' kinds.json)
[ "$(grep -e '"parts":' -e '"links":' kinds.json | paste - - | sort | uniq -d | wc -l)" = 0 ] || fail "a kind is listed twice"
[ "$(grep -Ec '^ +[0-9]+[ *] *[0-9]+ ' kinds.out)" = $((kinds < 10 ? kinds : 10)) ] || fail "not a row for each kind: $(cat kinds.out)"
if [ -x "$bin/viewer" ]; then
    for choice in '' --ranks; do
        "$bin/viewer" run --top 20 $choice --export shown.html | grep -c ' fitness ' || true
    done >shown
    [ "$(paste -sd ' ' shown)" = "$kinds 20" ] || fail "viewer shows $(cat shown), not $kinds kinds and 20 creatures"
fi
[ "$("$controller" list run --top 0 --json | grep -c '^    "id":')" = 20 ] || fail "list --top 0 --json"
"$controller" list run --top 1 --json | grep -q '^    "referee_fitness": [0-9n]' ||
    fail "list --json has no referee_fitness"
"$controller" list run --generation 0 --json | grep '"generation"' | sort -u >births
[ "$(cat births)" = '    "generation": 0,' ] || fail "generation 0 has others: $(cat births)"
best=$("$controller" list run --top 1 --json | sed -n 's/^    "id": \([0-9]*\),/\1/p')

# creatures of a run stand where files may, and the first in rank needs no number
"$controller" save run first -o named.creature >says.out || fail "save first: $(cat says.out)"
grep -q "^named.creature: creature $best," says.out || fail "not the first in rank, $best: $(cat says.out)"
mkdir temporary
for name in "run:$best" run:first; do
    says '^digest .*  verified' env TMPDIR="$work/temporary" "$controller" evaluate "$name"
done
rmdir temporary || fail "evaluate left a file"
says '"verdict": "ok"' "$controller" evaluate --json named.creature walk -s simulation.duration_s=1
if [ -x "$bin/viewer" ]; then says "^verified " "$bin/viewer" run:best --export best.html; fi

# save: both forms hold the same creature
"$controller" save run "$best" -o best.creature >/dev/null
"$controller" save run "$best" -o best.json --text >/dev/null
"$controller" save run "$best" -o best.json --text --force >/dev/null || fail "save --force"
# fitness stands before the measures, and is the controller's
says '^fitness +[-0-9.e+]+ +\(walk\)$' "$bin/simulator" evaluate "$root/examples/creatures/pusher.json" walk.ini
[ "$(awk '/^fitness|^parts/ {print $1}' says.out)" = "$(printf 'fitness\nparts')" ] || fail "not first: $(cat says.out)"
# traces have a linear joint's columns in its own units
"$bin/simulator" evaluate "$root/examples/creatures/pusher.json" walk.ini --trace pusher.csv >/dev/null ||
    fail "evaluate --trace"
head -n 1 pusher.csv | tr , '\n' >columns
for column in p0_joint_rad p1_joint_m p1_joint_m_s p1_force_n p2_joint_m; do
    grep -qx $column columns || fail "the trace has no column $column"
done
grep -qx 'p1_joint_rad\|p1_torque_n_m' columns && fail "a linear joint in radians"
# of spheres they have the third dimension
"$bin/simulator" evaluate "$root/examples/creatures/tripod.json" walk.ini --trace tripod.csv >/dev/null ||
    fail "evaluate --trace of spheres"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
         { z += $at["p1_z_m"] ^ 2 + $at["p2_z_m"] ^ 2; v += $at["p1_vz_m_s"] ^ 2; c += $at["com_z_m"] ^ 2 }
         END { exit !(z > 0 && v > 0 && c > 0) }' tripod.csv || fail "the trace of spheres has no z"
[ "$(awk -F, '{print NF}' pusher.csv | sort -u)" = "$(wc -l <columns)" ] || fail "a ragged trace"

"$bin/simulator" evaluate best.creature run/params.ini --json >a.json || fail "evaluate best.creature"
"$bin/simulator" evaluate best.json run/params.ini --json >b.json || fail "evaluate best.json"
digest=$("$controller" list run --top 1 --json | sed -n 's/^    "digest": "\(.*\)",/\1/p')
grep -q "$digest" a.json || fail "the saved creature moves differently: $(cat a.json), not $digest"
measure() { sed -n "s/^ *\"$1\": \([0-9.e+-]*\),*$/\1/p" a.json; }
[ "$(measure fitness | cut -c 1-9)" = "$(awk -v d="$(measure distance_m)" -v s="$(measure size_max_m)" \
    'BEGIN {printf "%.12f", d / s - 0.5}' | cut -c 1-9)" ] || fail "not the fitness of walkers: $(cat a.json)"
grep -q "$digest" b.json || fail "the saved text moves differently: $(cat b.json), not $digest"

# resume of a finished run says so and changes nothing
"$controller" digest run >before
"$controller" resume run >resumed || fail "resume of a finished run"
grep -q finished resumed || fail "does not say that it is finished: $(cat resumed)"
"$controller" digest run | diff before - || fail "resume of a finished run changed it"

# more generations: those there were stay as they are
"$controller" resume run -s evolution.generations=6 >more.out 2>&1 || fail "$(cat more.out)"
[ "$("$controller" digest run | grep -c '^generation')" = 6 ] || fail "not six generations"
diff <(head -n 3 before) <("$controller" digest run | head -n 3) || fail "old generations changed"
grep -q '^generations = 6' run/params.ini || fail "params.ini is not the effective one"

# another world: the generation under way is simulated again, creatures keep their parameters
"$controller" resume run -s evolution.generations=8 -s world.gravity_m_s2=4 >moon.out 2>&1 ||
    fail "$(cat moon.out)"
grep -q 'new branch.*simulated again' moon.out || fail "no word of the branch: $(cat moon.out)"
newest=$("$controller" list run --top 0 --json | sed -n 's/^    "id": \([0-9]*\),/\1/p' | sort -n | tail -n 1)
"$controller" save run 1 -o old.json --text >/dev/null
"$controller" save run "$newest" -o new.json --text >/dev/null
grep -q '"world.gravity_m_s2": 9.81' old.json || fail "an old creature lost its gravity"
grep -q '"world.gravity_m_s2": 4' new.json || fail "a new creature has the old gravity"

# view hands its arguments and the exit code on
cat >viewer <<'END'
#!/bin/sh
echo "$@"
exit 7
END
chmod +x viewer && cp "$controller" "$bin/simulator" .
status=0
./controller view run --generation 3 --top 2 >view.out || status=$?
[ $status = 7 ] || fail "view: exit code $status instead of the viewer's 7"
[ "$(cat view.out)" = 'run --generation 3 --top 2' ] || fail "view: $(cat view.out)"

# make names the package that a table of the tests lacks, and needs it for nothing else
mkdir without
printf '#!/bin/sh\ncase "$*" in *check*) exit 1 ;; esac\nexec %s "$@"\n' "$(command -v pkg-config)" >without/pkg-config
chmod +x without/pkg-config
PATH=$work/without:$PATH make -C "$root" -n oracle >make.out 2>&1 && fail "make oracle without check"
grep -q 'check is missing: install the package check' make.out || fail "no package is named: $(cat make.out)"
PATH=$work/without:$PATH make -C "$root" -n all >make.out 2>&1 || fail "make all needs check: $(cat make.out)"
