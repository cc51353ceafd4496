#!/usr/bin/env bash
# README.md's commands, typed in order, in short runs of a few creatures: each succeeds, writes its files,
# opens its window, and prints what the page shows but for the numbers. `scripts/type-readme` without --small
# does it in a fresh clone and compares to the letter. Planted: a command that fails, and an output that is none.
# Libraries of windows leak a little, which the address sanitizer would blame on README: not under sanitizers.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
for program in python3 sqlite3 make; do
    command -v $program >/dev/null || { echo "skip: there is no $program" && exit 77; }
done
[ -x "$bin/viewer" ] || { echo "skip: this build has no viewer" && exit 77; }
if "$bin/viewer" --help | grep -q 'left out'; then echo "skip: this build writes no pictures" && exit 77; fi

"$root/scripts/type-readme" --small --build "$(dirname "$bin")" >typed.out 2>&1 || fail "$(grep -v '  ok  ' typed.out)"
[ "$(grep -c '  ok  ' typed.out)" -ge 30 ] || fail "hardly a command is typed: $(cat typed.out)"
grep '^skip: ' typed.out || true

# planted, in a copy of the page
mkdir copy
for name in "$root"/*; do ln -s "$name" copy/; done
rm copy/scripts copy/README.md
mkdir copy/scripts
cp "$root/scripts/type-readme" copy/scripts/
planted() { # PATTERN: what it says of the page on standard input
    cat >copy/README.md
    copy/scripts/type-readme --small --build "$(dirname "$bin")" >planted.out 2>&1 && fail "passes: $(cat copy/README.md)"
    grep -Eq -- "$1" planted.out || fail "no '$1': $(cat planted.out)"
}
planted 'FAIL +controller list runs/none' <<<'    controller list runs/none'
planted 'prints something else' <<<$'    $ simulator --version\n    simulator version none'
planted 'README.md:1: neither a command' <<<'    controler run examples/walk.ini'
planted 'mine.creature was not written' <<<'    simulator evaluate examples/creatures/pusher.json examples/walk.ini; : -o mine.creature'
# what another version may change: an id; a file of an earlier typing is not in the way
echo old >copy/saved.creature
planted "creature 3 is this version's alone" <<'END'
    controller run walk -o runs/walk-1
    $ controller list runs/walk-1 --ranks --top 1
    runs/walk-1, generation 49
     rank       id    fitness distance (m)   W/kg  parts  neurons   born  method        verdict     mutations
        1        3    33.3009       26.408   17.1      5        4     49  child of one  ok          none

    controller save runs/walk-1 3 -o saved.creature
END
! grep -q 'exists already' planted.out || fail "an old file is in the way: $(cat planted.out)"
