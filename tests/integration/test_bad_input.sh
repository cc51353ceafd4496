#!/usr/bin/env bash
# What is wrong gets one line that names it, and an exit code: 1 failed, 2 wrong usage. Nothing is
# damaged by it.
# runs: watched
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
controller=$bin/controller

# usage
refused 2 'no command' "$controller"
refused 2 "unknown command 'fly'" "$controller" fly
refused 2 "unknown command 'rnu' .did you mean run" "$controller" rnu
refused 2 "unknown command 'evalute' .did you mean evaluate" "$bin/simulator" evalute
refused 2 'PARAMS.ini is missing' "$controller" run
refused 2 "unknown option '--frob'" "$controller" run walk.ini --frob
refused 2 "unknown option '-x'" "$controller" run walk.ini -x
refused 2 "'-o' needs a value" "$controller" run walk.ini -o
refused 1 'fitness.expression: column 14: no measure is called siez_m .did you mean size_m' \
    "$controller" run walk.ini -s 'fitness.expression=distance_m / siez_m'
refused 1 'fitness.expression is ignored: evolution.behaviour is walk' \
    "$controller" run walk.ini -s 'fitness.expression=distance_m'
if "$controller" run walk.ini -o undefined -s evolution.behaviour=custom \
    -s 'fitness.expression=1 / (parts - parts)' -s simulation.duration_s=1 2>undefined.err; then
    fail "a run without any fitness ended well"
fi
grep -q 'fitness.expression is not a finite number for any of the [0-9]* creatures of generation 0' \
    undefined.err || fail "a fitness that nobody has: $(cat undefined.err)"
# each program that judges says so
strider=$root/examples/creatures/strider.json
for formula in Distance_m '1,5*distance_m' 'min()' ''; do
    refused 1 'fitness.expression' "$controller" run walk.ini -s evolution.behaviour=custom -s "fitness.expression=$formula"
    sed 's/^controller: //' refused.err >by_run
    for command in "$bin/simulator evaluate" "$bin/controller evaluate" "$bin/viewer --export never.png"; do
        file=walk.ini
        [[ $command != *viewer* ]] || file=--params=walk.ini
        [ -x "${command%% *}" ] || continue
        # shellcheck disable=SC2086 # words
        refused 1 'fitness.expression' $command "$strider" $file -s evolution.behaviour=custom -s "fitness.expression=$formula"
        grep -qF -- "$(cat by_run)" refused.err || fail "$command says another thing than run: $(cat refused.err by_run)"
    done
done
refused 1 'fitness.expression is empty' "$controller" run walk.ini -s evolution.behaviour=custom
refused 1 'archive.cells: column 9: bounds must rise' \
    "$controller" run walk.ini -s archive.cells=links:4,3
refused 2 "unexpected argument 'b'" "$controller" run walk.ini b
refused 2 'ID .* is missing' "$controller" save somewhere
refused 2 "ID 'x'" "$controller" save somewhere x
refused 2 "ID '0'" "$controller" save somewhere 0
refused 2 "--top '-1'" "$controller" list somewhere --top -1
refused 2 "--generation '1.5'" "$controller" list somewhere --generation 1.5
for command in resume status list save view digest; do
    refused 2 'RUN_DIR is missing' "$controller" $command
    says "^usage: controller $command " "$controller" $command --help
done

# parameters on the command line
refused 2 'no.such' "$controller" run walk.ini -s no.such=1
refused 2 'population.size' "$controller" run walk.ini -s population.size=many
refused 2 'population.size.*2 \.\. 1000000' "$controller" run walk.ini -s population.size=1
refused 2 'evolution.behaviour.*walk' "$controller" run walk.ini -s evolution.behaviour=dance
refused 2 '' "$controller" run walk.ini -s population.size
refused 2 '^controller run: seed: x is' "$controller" run walk.ini --seed x
refused 2 '^controller run: evolution.generations: x is' "$controller" run walk.ini --generations x
refused 2 'did you mean --population' "$controller" run walk.ini --populatoin 3
refused 2 'seed' "$controller" run walk.ini --seed -1
refused 2 'workers' "$controller" run walk.ini -j 100000
refused 1 '' "$controller" run walk.ini -s initial.bodies_min=5 -s initial.bodies_max=2

# parameter files
refused 1 'missing.ini' "$controller" run missing.ini
refused 1 'wlak: No such file.*did you mean walk' "$controller" run wlak
refused 1 'biped.json: this is a creature, not a parameter file .try: viewer ' \
    "$controller" run "$root/examples/creatures/biped.json"
refused 2 'the creature stands first' "$bin/simulator" evaluate walk.ini "$root/examples/creatures/biped.json"
refused 1 'biped.json: this is a creature, not a scene' "$bin/simulator" scene "$root/examples/creatures/biped.json"
bad() { # PATTERN LINES
    printf '%b' "$2" >bad.ini
    refused 1 "bad.ini.*$1" "$controller" run bad.ini
}
bad '2.*population.sise' '[population]\nsise = 3\n'
bad '2.*population.size' '[population]\nsize = 3.5\n'
bad '3.*world.gravity_m_s2' '[world]\n; heavy\ngravity_m_s2 = 1000\n'
bad '1' 'nonsense\n'
bad '2' '[population]\nsize\n'
bad '' '[population\n'

# nothing of all that made a run
[ ! -e runs ] || fail "a refused run left something: $(find runs)"

# directories
mkdir full empty && echo precious >full/file
refused 1 'full.*exists already' "$controller" run walk.ini -o full
refused 1 'full/file' "$controller" run walk.ini -o full/file/below
[ "$(cat full/*)" = precious ] || fail "full/ was changed: $(ls full)"
for command in resume status list digest view; do
    refused 1 'nowhere: No such file' "$controller" $command nowhere
    refused 1 'full: not a run' "$controller" $command full
    refused 1 'walk.ini: this is a parameter file, not a run .try: controller run walk.ini.' \
        "$controller" $command walk.ini
done
refused 1 'full: not a run' "$controller" save full 1

"$controller" run walk.ini -s evolution.generations=1 -o empty >run.out 2>&1 ||
    fail "an empty directory was not accepted: $(cat run.out)"
refused 1 'empty: exists already .look at it: controller view empty; .*--seed N' "$controller" run walk.ini -o empty
refused 1 'no creature 999' "$controller" save empty 999
refused 2 "'empty' is neither .* but a run, which stands first" "$controller" save 999 empty
refused 2 "'empty' is not a whole number .* but a run" "$controller" workers 2 empty
refused 1 'empty:1: this is a creature of a run.*controller evaluate empty:1' "$bin/simulator" evaluate empty:1
refused 1 'generation 1 is not complete' "$controller" list empty --generation 1
echo precious >kept.creature
refused 1 'kept.creature: exists already' "$controller" save empty 1 -o kept.creature
[ "$(cat kept.creature)" = precious ] || fail "save overwrote a file"
refused 1 'no/such/place' "$controller" save empty 1 -o no/such/place

# what is no file, wherever one is expected: at once, with its name
mkfifo pipe
mkdir piped && cp empty/params.ini piped && mkfifo piped/run.db
soon() { # PATTERN COMMAND...
    refused 1 "$1" timeout 20 "${@:2}"
}
for thing in pipe /dev/zero full; do
    soon "$thing: (a named pipe|a device|a directory), not a file" "$controller" run "$thing"
    soon "$thing: a" "$controller" run walk.ini -o none --seed-creature "$thing"
    soon "$thing: a" "$controller" run walk.ini -o none -s "evolution.seeds=$thing"
    soon "$thing: a" "$controller" run "$root/examples/preserve.ini" -o none --tend "$thing"
    soon "$thing: " "$controller" diff "$thing" "$thing"
    soon "$thing: " "$controller" evaluate "$thing"
    soon "$thing: " "$controller" league "$thing" "$thing" walk.ini
    soon "$thing: " "$bin/simulator" evaluate "$root/examples/creatures/biped.json" "$thing"
    soon "$thing: " "$bin/simulator" scene "$thing"
    soon "$thing: " "$bin/simulator" preserve "$thing"
    soon "$thing: " "$bin/simulator" take --params "$root/examples/preserve.ini" --id 1 -o none "$thing"
    [ ! -x "$bin/viewer" ] || soon "$thing: " "$bin/viewer" "$thing" --export none.html
done
for command in resume status list digest view; do
    soon 'piped/run.db: not a regular file' "$controller" $command piped
done
[ ! -e none ] || fail "a refused run left something"
timeout 20 "$controller" run <(cat walk.ini) --print-config >config.out 2>config.err || fail "<(...): $(cat config.err)"
grep -q '^size = 20' config.out || fail "<(...) was not read"

# names that begin with a dash, behind --: as they are, and as they are handed on
cp "$root/examples/creatures/seeker.json" ./-a.json
cp "$root/examples/creatures/fish.json" ./--help
cp "$root/examples/chase.ini" ./-p.ini
"$controller" run walk.ini -s evolution.generations=1 -o -run >run.out 2>&1 || fail "-o -run: $(cat run.out)"
for command in status list digest; do
    "$controller" $command -- -run >dash.out 2>&1 || fail "$command -- -run: $(cat dash.out)"
done
"$controller" evaluate -s simulation.duration_s=1 -- -a.json -p.ini >dash.out 2>&1 || fail "evaluate -- -a.json: $(cat dash.out)"
"$controller" evaluate -s simulation.duration_s=1 -- --help -p.ini >dash.out 2>&1 || fail "evaluate -- --help: $(cat dash.out)"
grep -q distance_m dash.out || fail "evaluate -- --help: $(cat dash.out)"
"$controller" league -s simulation.duration_s=1 -- -a.json --help -p.ini >dash.out 2>&1 || fail "league: $(cat dash.out)"
grep -q -- '-a.json' dash.out || fail "league of names with dashes: $(cat dash.out)"
[ ! -x "$bin/viewer" ] || "$controller" view --export page.html -- -run >dash.out 2>&1 || fail "view -- -run: $(cat dash.out)"
refused 1 '-none: No such file' "$controller" view -- -none
refused 1 '-none' "$controller" garden -- -none

# run stores that are none, or are damaged
mkdir notadb truncated foreign torn
echo 'SQLite format 3 it is not, but long enough to look like something' >notadb/run.db
head -c 20000 empty/run.db >truncated/run.db
cp empty/run.db torn/run.db
size=$(stat -c %s torn/run.db)
head -c 40000 /dev/zero | tr '\0' 'x' |
    dd of=torn/run.db bs=1 seek=$((size / 2 / 8192 * 8192)) conv=notrunc status=none
: >foreign/run.db
for command in resume digest; do
    refused 1 'notadb/run.db: ' "$controller" $command notadb
    refused 1 'truncated/run.db: ' "$controller" $command truncated
    refused 1 'foreign/run.db: not a run store' "$controller" $command foreign
done
cp torn/run.db torn.before
refused 1 'torn/run.db: ' "$controller" resume torn
cmp torn.before torn/run.db || fail "resume changed a damaged store"

# without a simulator
mkdir alone && cp "$controller" alone/
refused 1 'simulator' env PATH=/nonexistent alone/controller run walk.ini -o lonely
