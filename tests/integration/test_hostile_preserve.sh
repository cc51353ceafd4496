#!/usr/bin/env bash
# A run of a preserve from a stranger: odd numbers in its tables, and states that unpack to much more. Each
# command that reads or resumes it has to end by itself, with words, and without a broken invariant.
# runs: watched
# speed: long
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
unset DISPLAY WAYLAND_DISPLAY
command -v sqlite3 >/dev/null || { echo "skip: sqlite3 is not installed" && exit 77; }

"$bin/controller" run "$root/examples/preserve.ini" --seed 9 -j 1 -o good -s preserve.worlds=1 \
    -s evolution.generations=3 -s preserve.founders=7 -s preserve.width_m=8 -s preserve.height_m=6 \
    >/dev/null 2>&1 || fail "run"
id=$(sqlite3 good/run.db 'select min(id) from lives')

# Where sanitizers watch, each case meets a third of the commands, by turns.
share=1
! grep -q __asan_init "$bin/simulator" || share=3
commands=("controller status run" "controller list run" "controller save run $id --force -o saved.creature"
    "controller report run --no-pictures -o page.html" "controller garden run --seeds 1 --minutes 1 --each 1"
    "viewer run --world 0 --from 0:40 --export picture.png" "controller resume run -j 1 --generations 4")
case_count=0
hostile() { # SQL [PATTERN: what one of the commands says]
    local i status said=
    case_count=$((case_count + 1))
    for ((i = case_count % share; i < ${#commands[@]}; i += share)); do
        rm -rf run && cp -r good run
        sqlite3 run/run.db "$1" || fail "$1: cannot be made"
        status=0
        # shellcheck disable=SC2086 # words of a command
        timeout -s KILL 60 "$bin/"${commands[i]} >out 2>err </dev/null || status=$?
        [ "$status" != 137 ] || fail "$1: this does not end: ${commands[i]}"
        [ "$status" -lt 124 ] || fail "$1: exit code $status: ${commands[i]} ($(tail -3 err))"
        ! grep -Eq 'bug:|Sanitizer|runtime error' out err run/logs/*.log || fail "$1: ${commands[i]}: $(cat out err)"
        said+=$(cat err)
    done
    [ -z "${2-}" ] || [ "$share" -gt 1 ] || grep -Eq -- "$2" <<<"$said" || fail "$1: no '$2' in: $said"
}

hostile "update lives set world = id * 1000000007" 'column world is .*, expected 0 to 63'
hostile "update epochs set epoch = 4294967295 - epoch; update states set epoch = 4294967295 - epoch" 'no run has'
hostile "update epochs set world = world - 3" 'world 0 has come to epoch -1, the run to 2'
hostile "update epochs set world = 63; update states set world = 63; update lives set world = 63" 'world 0 has'
hostile "update states set epoch = -1 - epoch"
hostile "update epochs set epoch = epoch + 900000"
for number in -1 9223372036854775807; do
    for column in world epoch living births heat_uj sun_uj; do hostile "update or replace epochs set $column = $number"; done
    for column in mother family generation children hunter parts living_uj; do
        hostile "update lives set $column = $number"
    done
done
for column in born_s died_s area_m2 way_m preyed_s; do
    hostile "update lives set $column = 9e999"
    hostile "update lives set $column = -1e300"
done
hostile "update lives set cause = 'boredom', died_s = 20, topology = -1"
hostile "update forms set egg = x'00000005789c', life = life + 1"
hostile "insert into deeds values (0, 1, 1, 'remove', -1, 0, 0, 0, NULL)"
hostile "insert into deeds values (0, 2, 1, 'feed', 0, 9e999, 0, 5, NULL)"
hostile "update epochs set without = '99999999999999999999 x', drifted_to = 99, traveller = x'00000005789c'"

# A report does without the pictures of a state that cannot be read, and says so.
rm -rf run && cp -r good run
sqlite3 run/run.db "delete from forms; update states set state = x'00000005789c'"
"$bin/controller" report run -o page.html >out 2>err || fail "a bad state: no report ($(cat err))"
grep -q 'missing: creature .*: world 0, state of epoch 2: it cannot be uncompressed' err || fail "a bad state: $(cat err)"
grep -q 'state of epoch 2: it cannot be uncompressed' page.html || fail "a bad state: the page says nothing"

# 48 MB of zeros in an array, in 48 KB
bomb=$(perl -MCompress::Zlib -e '$p = "\xdd" . pack("N", (48 << 20) - 5) . "\0" x ((48 << 20) - 5);
    print unpack("H*", pack("N", length $p) . compress($p))') || bomb=
[ -z "$bomb" ] || {
    echo "update states set state = x'$bomb';" >bomb.sql
    rm -rf run && cp -r good run && sqlite3 run/run.db <bomb.sql
    for i in 4 5; do
        status=0
        # shellcheck disable=SC2086
        ([ "$share" != 1 ] || ulimit -v 1200000
            timeout -s KILL 60 "$bin/"${commands[i]}) >out 2>err </dev/null || status=$?
        [ "$status" -le 1 ] || fail "a bomb: exit code $status: ${commands[i]} ($(tail -3 err))"
        grep -q 'expected 18 elements' out err || fail "a bomb: ${commands[i]}: $(cat out err)"
    done
}
