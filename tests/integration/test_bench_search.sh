#!/usr/bin/env bash
# scripts/bench-search runs examples by two programs, examines their champions and prints tables; what it has made it does not
# make again. Scores and seconds are not looked at.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "$*"
    exit 1
}
refuses() { # WORDS COMMAND...
    local words=$1
    shift
    ! "$@" >"$work/out" 2>&1 || fail "accepted: $*"
    grep -qF -- "$words" "$work/out" || fail "$*: $(cat "$work/out")"
}

scripts/bench-search --self-test
search() {
    scripts/bench-search -o "$work/search" --build "$build" --examples walk --seeds 1 -s population.size=12 "$@"
}
# the other program is the same one, in a tree of its own
mkdir -p "$work/other/build"
ln -s "$PWD/$build/bin" "$work/other/build/bin"
ln -s "$PWD/examples" "$work/other/examples"
search -s evolution.generations=2 >"$work/one" 2>&1 || fail "$(cat "$work/one")"
[ "$(wc -l <"$work/search/results.csv")" = 2 ] || fail "$(cat "$work/search/results.csv")"
search -s evolution.generations=2 --against other="$work/other/build" >"$work/two" 2>&1 || fail "$(cat "$work/two")"
grep -q '^| walk | other | 1 | ' "$work/two" || fail "$(cat "$work/two")"
cp "$work/search/results.csv" "$work/before"
search -s evolution.generations=2 --against other="$work/other/build" >"$work/again" 2>&1
cmp "$work/before" "$work/search/results.csv"
# equal seconds: the share of the example's generations is looked for
search --seconds 0.3 >"$work/equal" 2>&1 || fail "$(cat "$work/equal")"
grep -q 'evolution.generations=[0-9]*$\|evolution.generations=[0-9]*,' "$work/search/results.csv" ||
    fail "$(cat "$work/search/results.csv")"

refuses 'there is no such example' search --examples no-such
refuses 'two programs have one name' search --against "$build"
refuses 'there is no such program' search --against /nowhere
refuses "is not a number" search --seeds many
