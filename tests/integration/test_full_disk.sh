#!/usr/bin/env bash
# A disk that is full, at the first byte, in the midst and at the last one: no command that writes a file leaves half of it,
# and each ends with exit code 1 and one line. What had the name before stays.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
controller=$bin/controller viewer=$bin/viewer simulator=$bin/simulator
unset DISPLAY WAYLAND_DISPLAY
short=(-s simulation.duration_s=0.5)
"$controller" run walk.ini --seed 3 -j 1 -o run -s evolution.generations=2 -s population.size=6 "${short[@]}" >/dev/null 2>&1 ||
    fail "run"
best=$("$controller" list run --top 1 --json | sed -n 's/^    "id": \([0-9]*\),/\1/p')
"$controller" save run "$best" -o a.creature >/dev/null
scene=$root/tests/oracle/scenes/bouncing-ball.json

# fills SUFFIX COMMAND...: the command writes FILE.SUFFIX, for which FILE stands in it. Files may grow to a limit, which
# is that of a full disk for all that is written: a child gets it, too.
fills() {
    local suffix=$1 size limit status name err
    local -a command
    shift
    for name in whole cut; do
        command=("${@//FILE/out/$name.$suffix}")
        rm -rf out && mkdir out
        if [ "$name" = whole ]; then
            "${command[@]}" >said 2>&1 || { echo "left out: $*: $(cat said)" && return; }
            size=$(stat -c %s "out/whole.$suffix")
            continue
        fi
        for limit in 0 $(((size - 1) / 2048)) $(((size - 1) / 1024)); do
            echo "mine" >"out/cut.$suffix"
            status=0
            # messages go through a pipe, since with 0 kB no file takes a byte
            err=$( (ulimit -f "$limit" && exec "${command[@]}") 2>&1 >/dev/null) || status=$?
            [ "$status" = 1 ] || fail "exit code $status with $limit kB for $size bytes: ${command[*]} ($err)"
            [ "$(grep -c . <<<"$err")" = 1 ] || fail "not one line: ${command[*]} ($err)"
            [ "$(ls out)" = "cut.$suffix" ] || fail "${command[*]} leaves $(ls out)"
            [ "$(cat "out/cut.$suffix")" = mine ] || fail "${command[*]} leaves half a file"
        done
    done
}

for suffix in png svg gif html mp4 webm; do
    fills $suffix "$viewer" a.creature --size 320x180 --export FILE
done
fills creature "$controller" save run "$best" --force -o FILE
fills json "$controller" save run "$best" --force --text -o FILE
fills creature "$controller" random --seed 1 -o FILE
fills html "$controller" report run --no-pictures -o FILE
fills csv "$simulator" evaluate a.creature --trace FILE
fills csv "$simulator" scene "$scene" --trace FILE
fills csv "$simulator" scene "$scene" --contacts FILE
fills xml "$simulator" export a.creature --mjcf FILE
fills csv "$simulator" export a.creature --signals FILE
fills csv "$simulator" export a.creature --trajectory FILE

# A folder of pages: none of it is left. The simulator's answers are files, too; pages of duels are longer than those, and
# the table is the last.
pages=("$controller" league a.creature b.creature c.creature "$root/examples/sumo.ini" "${short[@]}" -j 1 -o pages)
cp "$root/examples/creatures/strider.json" b.creature
cp "$root/examples/creatures/biped.json" c.creature
"${pages[@]}" >said 2>&1 || fail "a league: $(cat said)"
largest=$(stat -c %s pages/* | sort -n | tail -n 1)
for limit in 0 1 2 4 8 $(((largest - 1) / 1024)); do
    rm -rf pages
    status=0
    err=$( (ulimit -f "$limit" && exec "${pages[@]}") 2>&1 >/dev/null) || status=$?
    [ "$status" = 1 ] || fail "exit code $status with $limit kB for a league ($err)"
    [ "$(grep -c . <<<"$err")" = 1 ] || fail "not one line of a league with $limit kB: $err"
    [ ! -e pages ] || fail "a league with $limit kB leaves $(ls pages)"
done
# nor where a creature is refused; what was there before stays
refused 1 'no-such' "$controller" league a.creature no-such.creature walk.ini -o pages
[ ! -e pages ] || fail "a league that is refused leaves a folder"
mkdir pages && echo mine >pages/index.html
refused 1 'exists already' "$controller" league a.creature b.creature walk.ini -o pages
[ "$(cat pages/index.html)" = mine ] || fail "a folder of others was changed"

# devices get what they take
[ -w /dev/full ] || exit 0
refused 1 'full' "$controller" save run "$best" --force -o /dev/full
refused 1 'full' "$simulator" evaluate a.creature --trace /dev/full
refused 1 'full' "$simulator" scene "$scene" --trace /dev/full
refused 1 'full' "$simulator" export a.creature --signals /dev/full
[ -c /dev/full ] || fail "/dev/full was replaced"
