#!/usr/bin/env bash
# Genetics by hand: random, mutate, breed and diff on creature files, and what they refuse.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
controller=$bin/controller

# the same seed gives the same creature, another seed another
says 'creature [0-9]+ \(random\)' "$controller" random -o a.creature --seed 1
"$controller" random -o again.creature --seed 1 >/dev/null
cmp a.creature again.creature || fail "the same seed gave another creature"
"$controller" random -o b.json --text --seed 2 >/dev/null
cmp -s a.creature b.json && fail "another seed gave the same creature"

"$controller" random -o one.json --text -s initial.bodies_min=1 -s initial.bodies_max=1 >/dev/null
[ "$(grep -c '"width_m"' one.json)" = 1 ] || fail "-s initial.bodies_max was not obeyed"
printf '[initial]\nbodies_min = 7\nbodies_max = 7\n' >seven.ini
"$controller" random -o seven.json --text --params seven.ini >/dev/null
[ "$(grep -c '"width_m"' seven.json)" = 7 ] || fail "--params was not obeyed"

# without a seed another each time, and what is printed repeats it; mutate always changes something
for _ in $(seq 20); do
    "$controller" mutate a.creature -o drawn.creature --force >drawn.out || fail "mutate without a seed"
    grep -q '^mutations: *none' drawn.out && fail "nothing was changed: $(cat drawn.out)"
    grep '^repeat it: *--seed [0-9]' drawn.out >>seeds.out || fail "no seed: $(cat drawn.out)"
done
[ "$(sort -u seeds.out | wc -l)" -ge 19 ] || fail "the same seeds: $(cat seeds.out)"
"$controller" mutate a.creature -o drawn.json --seed "$(tail -n 1 seeds.out | sed 's/.*seed //')" >repeated.out
says 'the genomes are equal' "$controller" diff drawn.creature drawn.json
says '^repeat it: *--seed [0-9]' "$controller" breed a.creature b.json -m graft -o drawn.creature --force
says '^repeat it: *--seed [0-9]' "$controller" random -o drawn.creature --force
printf '{"format": "bestiary-creature", "version": 1, "bodies": [{"id": 1, "width_m": 1, "height_m": 1}]}' >one.creature
# a genome without connections, and nothing but connections to mutate
mapfile -t rates < <("$controller" run --print-config --all |
    sed -n '/^\[mutation\]/,/^\[initial\]/s/^\([a-z_]*\) = .*/mutation.\1=0/p' | grep -vE '\.(step|small|plan)=')
refused 1 'no mutation is possible' "$controller" mutate one.creature -o never.creature "${rates[@]/#/-s}" \
    -s mutation.remove_connection=1

# mutate says what it did, and the file and diff say it too
"$controller" mutate a.creature --count 2 --seed 3 -o m.json --text >m.out
words=$(sed -n 's/^mutations: *//p' m.out)
[[ $words == *'; '* ]] || fail "not two mutations: $words"
grep -qF "$words" m.json || fail "the file does not have the words '$words'"
"$controller" diff a.creature m.json >m.diff
grep -qF "$words" m.diff || fail "diff does not have the words '$words'"
grep -q '^[-+~] ' m.diff || fail "diff shows no difference: $(cat m.diff)"
says 'the genomes are equal' "$controller" diff a.creature again.creature
says '^mutations: *none' "$controller" mutate a.creature --count 0 -o same.creature
says 'the genomes are equal' "$controller" diff a.creature same.creature

# what it sees: exchanged twice is as before, and spheres have no such sensors
"$controller" random -o eye.creature --seed 4 -s sensor.light=yes -s creature.body=boxes >/dev/null
says '^mutations: *none' "$controller" mutate eye.creature --see light:other -o once.creature
says 'other-across' "$controller" diff eye.creature once.creature
"$controller" mutate once.creature --see other:light -o twice.creature >/dev/null || fail "seeing back"
says 'the genomes are equal' "$controller" diff eye.creature twice.creature
refused 2 'light:object' "$controller" mutate eye.creature --see light -o never.creature
refused 2 "'light:other' is not a whole number" "$controller" random --see light:other -o never.creature

# breed
for method in crossover graft; do
    "$controller" breed a.creature b.json --method $method -o $method.creature --seed 5 >/dev/null
    says "^\+\+\+ .*, $method of [0-9]+ and [0-9]+" "$controller" diff a.creature $method.creature
    says 'verdict' "$bin/simulator" evaluate $method.creature walk.ini
done
says '^mutations: [^n]' "$controller" breed a.creature b.json -m graft --count 3 -o g.creature --seed 1

# creatures of a run
"$controller" run walk.ini --seed 10 -s evolution.generations=2 -s breeding.draws=1 -o run >/dev/null 2>&1 || fail "run"
says '^mutations:' "$controller" mutate run:3 --count 1 -o three.creature --seed 1
says 'asexual of 3' "$controller" diff run:3 three.creature

# list and the lineage tell what births changed
"$controller" resume run -s evolution.generations=6 >/dev/null 2>&1 || fail "resume"
"$controller" list run --top 0 --ranks --mutations >list.out
grep -q 'verdict     mutations' list.out || fail "list has no mutations: $(cat list.out)"
grep -Eq '(child of one|child of two|graft of two) .*(->|added|removed|gained|lost|now leads|became|no longer)' list.out ||
    fail "list tells of no mutation: $(cat list.out)"
says "(child|graft) of (one|two) .*(a new|another|less|a wire|a limb|a part|size)" "$controller" list run --top 0 --ranks
youngest=$("$controller" list run --top 0 --json | sed -n 's/^    "id": \([0-9]*\),/\1/p' | sort -n | tail -n 1)
"$controller" list run --lineage "$youngest" >line.out
tail -n 1 line.out | grep -Eq '^ +[0-9]+ .* random$' || fail "the lineage does not end in a first ancestor: $(cat line.out)"
[ "$(sed -n 3p line.out | awk '{print $1}')" = "$youngest" ] || fail "the lineage does not begin with $youngest"
"$controller" list run --lineage "$youngest" --json >line.json
[ "$(grep -c '^    "id":' line.json)" = $(($(wc -l <line.out) - 2)) ] || fail "--lineage --json has others"
[ "$("$controller" list run --lineage "$youngest" --all | wc -l)" -ge "$(wc -l <line.out)" ] || fail "--all has fewer"

# the method of breeding as a gene: equal for any number of workers
for j in 1 2; do
    "$controller" run walk.ini -s guard.referee_top=0 -s breeding.choice=inherited -j $j -o gene$j \
        >/dev/null 2>&1 || fail "run with an inherited method"
done
same_runs gene1 gene2
says '"mutations": ".*breeding method [a-z]* -> ' "$controller" list gene1 --top 0 --json
"$controller" save gene1 1 -o gene.json --text >/dev/null
grep -Eq '"breeding": "(asexual|crossover|graft)"' gene.json || fail "no breeding gene in the file"
says '^\+ |^~ |^- ' "$controller" diff gene.json a.creature

# a run that begins with saved creatures: equal for any number of workers and over a kill, its seeds
# unchanged in it, its descendants' line ends in them
seeds=(-s "evolution.seeds=gene1:1 a.creature" --seed-creature g.creature)
"$controller" run walk.ini "${seeds[@]}" -j 1 -o seeded1 >/dev/null 2>&1 || fail "run with seeds"
start "$controller" run walk.ini "${seeds[@]}" -j 2 -o seeded2 >/dev/null 2>&1
wait_until "seeded2 is in generation 1" has_reached seeded2 1
kill -KILL "$pid"
wait_until "it dies" is_gone "$pid"
rm a.creature g.creature
"$controller" resume seeded2 >/dev/null 2>&1 || fail "resume with seeds"
same_runs seeded1 seeded2
"$controller" save seeded1 2 -o two.json --text >/dev/null
grep -q '"method": "seed"' two.json || fail "creature 2 is no seed"
"$controller" random -o a.creature --seed 1 >/dev/null
says '^([0-9]+) genes the same, 0 changed|^0 genes the same' "$controller" diff two.json a.creature
says '^ +4 .* child of 1 ' "$controller" list seeded1 --lineage 4
says ' seed +[^ ]* +gene1:1$' "$controller" list seeded1 --lineage 1
says '"source": "gene1:1"' "$controller" list seeded1 --lineage 1 --json
# files are beside the parameter file, too, wherever one starts from
mkdir elsewhere
cp walk.ini a.creature elsewhere
mv a.creature b.creature
"$controller" run elsewhere/walk.ini -s evolution.seeds=a.creature -s evolution.generations=1 -o beside >/dev/null 2>&1 ||
    fail "a seed beside the parameter file"
says ' seed +[^ ]* +elsewhere/a.creature$' "$controller" list beside --lineage 1
# a name in the file is first looked for beside it, a name on the command line first from here
sed '/^\[evolution\]/a seeds = c.creature' walk.ini >elsewhere/named.ini
cp b.creature elsewhere/c.creature
cp b.creature c.creature
"$controller" run elsewhere/named.ini -s evolution.generations=1 -o named >/dev/null 2>&1 || fail "a seed of the file"
says ' seed +[^ ]* +elsewhere/c.creature$' "$controller" list named --lineage 1
"$controller" run elsewhere/walk.ini -s evolution.seeds=c.creature -s evolution.generations=1 -o here >/dev/null 2>&1 ||
    fail "a seed from here"
says ' seed +[^ ]* +c.creature$' "$controller" list here --lineage 1

# The run's own parameters are enough to do it again, wherever it is and its seeds have gone: all kinds of names, blanks
# and quotes among them, also where a seed sees another thing than its file says.
mkdir "my files" "my run" other
cp "$root/examples/creatures/water-seeker-1.creature" "my files/it's \"it\".json"
cp gene1/run.db other/
options=(-s evolution.generations=2 -s evolution.seeds_see=light:other -s sensor.light=yes)
"$controller" run elsewhere/walk.ini "${options[@]}" --seed-creature "my files/it's \"it\".json" \
    -s 'evolution.seeds="my files/it'"'"'s ""it"".json" a.creature other:1' -o "my run/a" >/dev/null 2>err ||
    fail "names with blanks: $(cat err)"
says '"source": "my files/it.s ..it...json"' "$controller" list "my run/a" --lineage 1 --json
mv "my files/it's \"it\".json" "my run" && mv "my run" moved && rm -r other
cp elsewhere/a.creature seed-1 # which is none of the run's
"$controller" run moved/a/params.ini -o again >/dev/null 2>err || fail "a seeded run, by its own parameters: $(cat err)"
same_runs moved/a again
(cd moved/a && "$controller" run params.ini -o ../b >/dev/null 2>err) || fail "from there: $(cat moved/a/err)"
same_runs moved/a moved/b
rm moved/b/seed-* moved/b/params.ini
"$controller" resume moved/b --generations 3 >/dev/null 2>err || fail "$(cat err)"
for i in 1 2 3 4; do cmp "moved/a/seed-$i" "moved/b/seed-$i" || fail "resumed, it has other seeds"; done
refused 2 'evolution.seeds: a run has the seeds that it began with' "$controller" resume moved/b -s evolution.seeds=c.creature
refused 1 'evolution.seeds: a quote is not closed' "$controller" run walk.ini -o never -s 'evolution.seeds="a.creature'
says '^seeds = "?.*elsewhere/a.creature' "$controller" run elsewhere/walk.ini --print-config -s evolution.seeds=a.creature
folder=$(printf 'd%.0s' {1..250})
mkdir -p "$folder"
cp walk.ini elsewhere/a.creature "$folder"
"$controller" run "$folder/walk.ini" -o long -s evolution.generations=1 \
    -s "evolution.seeds=a.creature a.creature a.creature a.creature" >/dev/null 2>err || fail "long names: $(cat err)"
refused 1 'evolution.seeds: the names are too long with their folders' "$controller" run "$folder/walk.ini" --print-config \
    -s "evolution.seeds=a.creature a.creature a.creature a.creature"
mv b.creature a.creature
refused 1 'evolution.seeds: .*frog.json: a creature of boxes, but creature.body is rectangles' "$controller" run walk.ini -o never \
    -s "evolution.seeds=\"$root/examples/creatures/frog.json\""
refused 1 'evolution.seeds: nowhere.creature: ' "$controller" run walk.ini -o never -s evolution.seeds=nowhere.creature
refused 1 'seed-creature: gene1.*no creature 999' "$controller" run walk.ini -o never --seed-creature gene1:999
refused 1 '3 seeds are more than population.size 2' "$controller" run walk.ini -o never -s population.size=2 \
    -s population.survival=0.5 -s "evolution.seeds=a.creature a.creature a.creature"
[ ! -e never ] || fail "a refused run has a directory"

# refused
refused 1 'there is no creature 999' "$controller" list run --lineage 999
refused 2 'takes no --generation' "$controller" list run --lineage 1 --generation 0
refused 2 'all goes with' "$controller" list run --all
refused 2 'takes no .*--distinct' "$controller" list run --lineage 1 --distinct

# creatures that move exactly as a better one are left out on request
"$controller" list run --top 0 --json >all.json
"$controller" list run --top 0 --distinct --json >distinct.json || fail "list --distinct"
motions() { grep -e '"path_m"' -e '"work_in_j"' "$1" | paste - - | sort; }
diff <(motions all.json | uniq) <(motions distinct.json | uniq) || fail "a motion is not listed"
[ -n "$(motions all.json | grep -v '"path_m": 0.0,' | uniq -d)" ] || fail "the run has no copies: $(motions all.json)"
[ -z "$(motions distinct.json | grep -v '"path_m": 0.0,' | uniq -d)" ] || fail "copies: $(motions distinct.json)"
refused 1 'a.creature: exists already' "$controller" random -o a.creature
"$controller" random -o a.creature --force >/dev/null || fail "random --force"
refused 2 'A \(a creature\)' "$controller" mutate
refused 2 'B \(another creature\)' "$controller" breed a.creature
refused 2 'unexpected argument' "$controller" diff a.creature a.creature a.creature
refused 2 '^controller breed: --method crossover or' "$controller" breed a.creature b.json
refused 2 "'cloning' is neither" "$controller" breed a.creature b.json -m cloning
refused 2 "'65' is not a whole number" "$controller" mutate a.creature --count 65
refused 2 "unknown option '--count'" "$controller" random --count 1 -o c.creature
refused 2 "unknown option '-m'" "$controller" mutate a.creature -m graft
refused 2 'mutation.stepp.*did you mean' "$controller" mutate a.creature -s mutation.stepp=1
refused 1 'nowhere.creature' "$controller" mutate nowhere.creature
refused 1 'there is no creature 999' "$controller" diff run:999 a.creature
refused 1 'nowhere' "$controller" diff nowhere:1 a.creature
printf 'no creature' >bad.creature
refused 1 '^controller: bad.creature: ' "$controller" diff a.creature bad.creature
