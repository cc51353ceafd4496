#!/usr/bin/env bash
# A preserve as a run: the same for any number of workers and after a kill; eggs drift from world to world
# with their energy; a creature that crashes its simulator is named, and the world lives on without it.
# speed: long
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
ulimit -c 0
preserve=("$bin/controller" run "$root/examples/preserve.ini" --generations 5 -s preserve.worlds=2 -s preserve.founders=8
    -s preserve.width_m=8 -s preserve.height_m=6 -s preserve.drift=1 -s preserve.hatch_s=60 -s farm.commit_s=0.02)
run() { "${preserve[@]}" -o "$@" >"$1.out" 2>&1; } # RUN_DIR OPTION...
sql() { sqlite3 "$1/run.db" "$2"; }

run one -j 1 || fail "run: $(cat one.out)"
says '^ +1 +[0-9]+ +[0-9]+ ' cat one.out
[ "$(sql one 'SELECT count(*) FROM quarantine')" = 0 ] || fail "a simulator crashed: $(cat one.out)"
"$bin/controller" run origin --seed 4 --generations 3 -o many >many.out 2>&1 || fail "run: $(cat many.out)"
[ "$(sql many 'SELECT count(*) FROM quarantine')" = 0 ] || fail "a simulator crashed in a crowded water: $(cat many.out)"
[ "$(sql one 'SELECT count(*) FROM epochs')" = 10 ] || fail "not all epochs are in the store"
[ "$(sql one 'SELECT count(*) FROM lives')" -ge 5 ] || fail "nobody lived"
[ "$(sql one 'SELECT count(*) FROM states WHERE epoch = 4')" = 2 ] || fail "the last states are not kept"
[ "$(sql one 'SELECT count(*) FROM epochs WHERE start_uj + sun_uj - heat_uj + arrivals_uj - departures_uj <>
    plants_uj + reserves_uj + bodies_uj + eggs_uj + carcasses_uj + scent_uj')" = 0 ] || fail "energy does not add up"
[ "$(sql one 'SELECT max(arrivals_uj) > 0 FROM epochs')" = 1 ] || fail "nobody arrives"
[ "$(sql one 'SELECT sum(departures_uj) FROM epochs WHERE epoch = 2')" = \
    "$(sql one 'SELECT sum(arrivals_uj) FROM epochs WHERE epoch = 4')" ] || fail "who leaves is not who arrives"
says 'epoch +4 ' "$bin/controller" status one
says '"died_of_mouths"' "$bin/controller" list one --json
[ "$(grep -E '"(world|epoch|living)":' says.out | tr -dc '0-9\n' | paste -sd '|')" = \
    "$(sql one 'SELECT world, epoch, living FROM epochs WHERE epoch = 4 ORDER BY world' | paste -sd '|')" ] ||
    fail "list --json is not what the store has: $(cat says.out)"
says 'report.html' "$bin/controller" report one
says 'Energy adds up to the microjoule' cat one/report.html
says "<td class='n'>1</td><td class='n'>$(sql one 'SELECT living FROM epochs WHERE world = 1 AND epoch = 4')</td>" cat one/report.html
says 'Longest lineages' cat one/report.html
says '^families +[0-9.]+ +[0-9.]+ \.\. [0-9.]+ +(drift|selection)' "$bin/controller" evolution one
# what is not known yet is a dash
says '^change +- +- \.\. - +too early' "$bin/controller" evolution one
! grep -iw nan says.out || fail "nan for people"
says '^late creatures leave [01]\.[0-9]+ of all' "$bin/controller" garden one --seeds 2 --minutes 1 --each 2
refused 1 'is no preserve|cannot|No such' "$bin/controller" garden none

# a life is a creature as any other: a file, for the simulator and other runs; the report has pictures of families
founder=$(sql one 'SELECT id FROM lives WHERE generation = 0 ORDER BY id LIMIT 1')
says "^life.creature: creature $founder, fitness 1" "$bin/controller" save one "$founder" -o life.creature
says '^digest +[0-9a-f]+ +verified' "$bin/simulator" evaluate life.creature
says 'the genomes are equal' "$bin/controller" diff life.creature "one:$founder"
refused 1 'creature 99999 has not hatched' "$bin/controller" save one 99999 -o nobody.creature
refused 2 'no creature is best' "$bin/controller" save one best -o nobody.creature
sql one "SELECT writefile('first.state', state) FROM states WHERE world = 0 AND epoch = 0" >/dev/null
refused 1 'there is no creature 99999' "$bin/simulator" take --params one/params.ini --id 99999 -o nobody.creature first.state
refused 1 'life.creature: state' "$bin/simulator" take --params one/params.ini --id 1 -o nobody.creature life.creature
refused 2 'expected --params' "$bin/simulator" take first.state
[ ! -e nobody.creature ] || fail "a file of nobody"
says '<h3>Family [0-9]+: [0-9]+ living' cat one/report.html
cp -r one forgetful
sql forgetful 'DELETE FROM states WHERE epoch < 4'
born_early=$(sql one 'SELECT id FROM lives WHERE died_s < 90 AND id NOT IN (SELECT life FROM forms) LIMIT 1')
# the first of each tree of parts is a creature that can be taken out, whatever states were kept
first=$(sql one 'SELECT life FROM forms ORDER BY life DESC LIMIT 1')
says "creature $first, fitness" "$bin/controller" save forgetful "$first" -o first.creature
says '^digest +[0-9a-f]+ +verified' "$bin/simulator" evaluate first.creature
[ "$(sql one 'SELECT count(*) FROM (SELECT DISTINCT world, topology FROM lives)')" = "$(sql one 'SELECT count(*) FROM forms')" ] ||
    fail "not each tree has a first"
# the sentences above the river of forms say what the store has
world=$(sql one 'SELECT world FROM lives GROUP BY world ORDER BY count(*) DESC, world LIMIT 1')
grep -o "river-words'>.*" one/report.html >words || fail "no words"
grep -qF "$(sql one "SELECT count(DISTINCT topology) || ' forms hatched in 2:00; ' || sum(died_s IS NULL) || ' creatures of '
    || count(DISTINCT CASE WHEN died_s IS NULL THEN topology END) || ' form' FROM lives WHERE world = $world")" words || fail "$(cat words)"
[ -z "$born_early" ] || refused 1 'no state' "$bin/controller" save forgetful "$born_early" -o nobody.creature
says 'report.html' "$bin/controller" report forgetful
says '<h3>Family [0-9]+: [0-9]+ living' cat forgetful/report.html
refused 2 'pairs of states' "$bin/simulator" garden --params one/params.ini
refused 1 'params.ini: state' "$bin/simulator" garden --params one/params.ini one/params.ini one/params.ini

# what it looked like: simulated again, as it was
if ! "$bin/viewer" --help | grep -Eq '^  \.png .*left out of this build'; then
    says '^verified +world 1, 60 s to 61 s: 1 of 1 epochs as recorded' "$bin/controller" view one --world 1 --from 1:00 --to 1:01 --size 320x240 --export world.gif
    says '^verified +world 0, 100 s' "$bin/controller" view one --world 0 --from 1:40 --export world.svg
    grep -q '<svg' world.svg || fail "no picture"
    refused 1 'has not come' "$bin/controller" view one --world 0 --from 9:00 --export world.png
    refused 1 'has no state' "$bin/controller" view one --world 9 --from 1:00 --export world.png
    for time in soon 1:75 inf nan -1; do
        refused 2 'is no time' "$bin/controller" view one --world 0 --from "$time" --export world.png
    done
    dead=$(sql one 'SELECT id FROM lives WHERE died_s IS NOT NULL AND cause <> "guard" ORDER BY died_s LIMIT 1')
    says "^verified +world $(sql one "SELECT world FROM lives WHERE id = $dead"), 0 s to" "$bin/controller" view one --follow "$dead" \
        --speed 60 --size 320x240 --export life.gif
    refused 1 'creature 99999 has not hatched' "$bin/controller" view one --follow 99999 --export life.gif
    refused 2 'nor the id of a life' "$bin/controller" view one --follow c --export life.gif
fi
# and in a window, on a display without a screen; its keys go to the other world and follow a creature
if ! "$bin/viewer" one --world 1 --frames 1 2>&1 | grep -q 'left out of this build'; then
    refused 1 'there is no display' env -u DISPLAY -u WAYLAND_DISPLAY "$bin/controller" view one --world 1
    refused 2 'is for --export' "$bin/controller" view one --world 1 --to 2:00
    for keys in 0 n; do
        SDL_VIDEODRIVER=dummy "$bin/controller" view one --world 1 --from 1:00 --frames 3 --size 320x240 --keys "$keys" \
            --screenshot "world-$keys.png" >view.out 2>&1 || fail "a window: $(cat view.out)"
    done
    if cmp -s world-0.png world-n.png; then fail "nobody is followed"; fi
    env -u DISPLAY -u WAYLAND_DISPLAY "${preserve[@]}" -o unseen --watch --generations 1 >unseen.out 2>&1 || fail "unseen: $(cat unseen.out)"
    says 'there is no display to open a window on' cat unseen.out
fi

# a run that stops when something is new: the same at each pause, and in the end, for any number of workers
pausing=("$bin/controller" run "$root/examples/preserve.ini" --generations 4 -s preserve.worlds=2 -s preserve.founders=12
    -s preserve.width_m=10 -s preserve.height_m=6 -s preserve.kept=100 -s preserve.hunt=3 -s preserve.hunters=0.6)
"${pausing[@]}" -o whole -j 2 >whole.out 2>&1 || fail "whole: $(cat whole.out)"
for jobs in 1 2; do
    "${pausing[@]}" -o "pause$jobs" -j $jobs -s 'preserve.pause=predation, trophic-level' >"pause$jobs.out" 2>&1 ||
        fail "pause: $(cat "pause$jobs.out")"
    says 'something new: predation \(eats the living\): creature [0-9]+ of world [01] in epoch 1' cat "pause$jobs.out"
done
same_runs pause1 pause2
[ "$(sql pause1 'SELECT max(epoch) FROM epochs')" = 1 ] || fail "it went on"
while "$bin/controller" resume pause1 -j 1 >>pause1.out 2>&1 && ! grep -q 'watch a world' pause1.out; do :; done
says 'something new: trophic-level' cat pause1.out
same_runs whole pause1
# the moment can be seen though hardly any state is kept
[ "$(sql pause1 "SELECT count(*) FROM firsts f JOIN states s ON s.world = f.world AND s.epoch = f.epoch - 1")" -ge 2 ] ||
    fail "the states are gone"
if ! "$bin/viewer" --help | grep -Eq '^  \.png .*left out of this build'; then
    for command in $(sed -n 's/^see it: controller view pause1 --follow \([0-9]*\) --from \([0-9:]*\)$/\1,\2/p' pause1.out | head -n 1); do
        says '^verified .* epochs as recorded' "$bin/controller" view pause1 --follow "${command%,*}" --from "${command#*,}" --export first.svg
    done
fi

# a gardener: by a text, for any number of workers, and in a run that is stopped or at work; --choices repeats it
cat >garden.txt <<END
; minute, world, deed
0:00 0 feed 4 3 500
0:10 1 put $root/examples/creatures/fish.json 2 2
0:30 0 protect 3
END
"${pausing[@]}" -o garden -j 2 --tend garden.txt --seed-creature "$root/examples/creatures/seeker.json@1" \
    --generations 6 -s preserve.pause=predation >garden.out 2>&1 || fail "garden: $(cat garden.out)"
one=$(sql garden 'SELECT min(id) FROM lives WHERE world = 1 AND died_s IS NULL')
says 'remove in world 1 at 0:30; done when the run is resumed' "$bin/controller" tend garden 1 remove "$one"
start "$bin/controller" resume garden -j 1 >garden.resume 2>&1
gardener=$pid
is_paused() { "$bin/controller" pause garden >/dev/null 2>&1; }
wait_until "the garden is held" is_paused
says 'move in world 0 at [0-9]:[03]0' "$bin/controller" tend garden 0 move 1 5 3
refused 1 'expected put CREATURE' "$bin/controller" tend garden 0 dance
refused 1 'that is no world' "$bin/controller" tend garden 7 feed 1 1 1
"$bin/controller" continue garden >/dev/null
wait "$gardener" || fail "the garden: $(cat garden.resume)"
[ "$(sql garden 'SELECT group_concat(deed, " ") FROM (SELECT deed FROM deeds ORDER BY deed)')" = "feed move protect put put remove" ] ||
    fail "other deeds: $(sql garden 'SELECT * FROM deeds')"
[ "$(sql garden 'SELECT max(arrivals_uj) > 0 AND max(departures_uj) > 0 FROM epochs')" = 1 ] || fail "nothing came or went"
[ "$(sql garden "SELECT cause FROM lives WHERE id = $one")" = removed ] || fail "who was removed has no death"
[ "$(sql garden 'SELECT count(*) FROM epochs WHERE start_uj + sun_uj - heat_uj + arrivals_uj - departures_uj <>
    plants_uj + reserves_uj + bodies_uj + eggs_uj + carcasses_uj + scent_uj')" = 0 ] || fail "energy does not add up in a garden"
"${pausing[@]}" -o again -j 2 --choices garden --generations 6 >again.out 2>&1 || fail "again: $(cat again.out)"
same_runs garden again
if ! "$bin/viewer" --help | grep -Eq '^  \.png .*left out of this build'; then
    says '^verified' "$bin/controller" view garden --world 1 --from 0:31 --export garden.svg
fi
refused 1 'has lived that already' "$bin/controller" resume pause2 --tend garden.txt
refused 1 'a creature of boxes, but creature.body is rectangles' "${pausing[@]}" -o none --seed-creature "$root/examples/creatures/snake.json@1"

refused 1 "'births' is not one of" "${pausing[@]}" -o none -s preserve.pause=births

# killed in the midst, with other workers, and with a window that watches, for which the run does not wait
start env SDL_VIDEODRIVER=dummy setsid "${preserve[@]}" -o "$work/two" -j 2 --watch >two.out 2>&1
wait_until "an epoch" has_reached two 2
kill -KILL "$pid"
wait "$pid" 2>/dev/null || true
no_worker_is_left two
watcher=$(grep -lz "^$work/two$" /proc/[0-9]*/cmdline 2>/dev/null | cut -d / -f 3 | head -n 1 || true)
[ -z "$watcher" ] || started+=("$watcher")
says 'viewer started' cat two.out
"$bin/controller" resume two -j 2 >two.resume 2>&1 || fail "resume: $(cat two.resume)"
same_runs one two

# the simulator names the creature in hand when it crashes in epoch 2 of world 1, unless it is left out
command -v perl >/dev/null || exit 0
cat >crash.pl <<'END'
my $creature = shift @ARGV;
my $child = open(my $simulator, "|-", @ARGV) or die;
while (sysread(STDIN, my $bytes, 1 << 20)) {
    if ($bytes =~ /\x9c\x05.{1,10}\x01\x01\x02[\xc4-\xc6].*\x90\x90\x90\x90$/s) {
        print STDERR "level=error event=fault signal=SIGSEGV task=1 creature=$creature\n";
        kill("KILL", $child);
        exit(139);
    }
    syswrite($simulator, $bytes);
}
END
creature=$(sql one 'SELECT min(id) FROM lives WHERE world = 1')
run sick -j 1 -s farm.launcher="perl $PWD/crash.pl $creature" || fail "the run ended: $(cat sick.out)"
says "quarantine: creature $creature of world 1 in epoch 2: SIGSEGV" cat sick.out
[ "$(sql sick 'SELECT without FROM epochs WHERE world = 1 AND epoch = 2')" = "$creature" ] || fail "it is not left out"

refused 1 'wants founders' "$bin/controller" run "$root/examples/preserve.ini" -o none -s evolution.seeds=
refused 1 'world of water' "$bin/controller" run "$root/examples/preserve.ini" -o none -s world.preset=land
