#!/usr/bin/env bash
# The benchmarks run and print what they say, and the tools that put figures into the documentation work
# and refuse what they must. Their times are not looked at.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "$*"
    exit 1
}
# expect_rows COUNT FILE: a CSV with a header and so many rows, all with as many columns, none empty.
expect_rows() {
    awk -F, -v rows="$1" '
        NR == 1 {columns = NF}
        NF != columns {exit bad = 1}
        {for (i = 1; i <= NF; i++) if ($i == "") exit bad = 1}
        END {exit bad || NR != rows + 1}' "$2" || { cat "$2" && fail "not $1 rows of a CSV"; }
}
refuses() { # COMMAND...
    ! "$@" >"$work/out" 2>&1 || fail "accepted: $*"
    [ -s "$work/out" ] || fail "refused without a word: $*"
}

"$build/tests/bench/bench_simulator" \
    c5_land,c12_water,evolved_walk_brain,evolved_swim_brain,brain_only,pendulum_rk4,pendulum_rk4_error 1 \
    >"$work/simulator.csv"
expect_rows 7 "$work/simulator.csv"
awk -F, '$1 == "pendulum_rk4_error" && $3 < 1e-6 {found = 1} END {exit !found}' "$work/simulator.csv" ||
    fail "the pendulum's tip is off"
"$build/tests/bench/bench_controller" breeding_only,store_only 1 >"$work/controller.csv"
expect_rows 2 "$work/controller.csv"
"$build/tests/bench/bench_farm" echo,prefetch 1 >"$work/farm.csv"
expect_rows 12 "$work/farm.csv"
refuses "$build/tests/bench/bench_farm" no_such_workload
refuses "$build/tests/bench/bench_farm" echo 0
refuses "$build/tests/bench/bench_simulator" no_such_workload
refuses "$build/tests/bench/run" sideways

# pictures
printf 'panel,series,setting,x,y\na & <b>,one,1/60 s,1,0.5\na & <b>,one,1/120 s,20,0.001\nc,two,,3,4\n' |
    scripts/plot "title" "x" >"$work/picture.svg"
[[ $(head -n 1 "$work/picture.svg") == '<svg '* ]] || fail "not a picture"
[ "$(tail -n 1 "$work/picture.svg")" = '</svg>' ] || fail "not a whole picture"
grep -q 'a &amp; &lt;b&gt;' "$work/picture.svg" || fail "names are not written as XML needs it"
[ "$(grep -c '<title>' "$work/picture.svg")" = 3 ] || fail "not three points"
for line in 'a,b,c,0,1' 'a,b,c,1,-1' 'a,b,c,1,nan' 'a,b,c,1' 'a,b,c,x,1' ''; do
    printf 'panel,series,setting,x,y\n%s\n' "$line" >"$work/bad.csv"
    refuses scripts/plot title x <"$work/bad.csv"
done
{ echo header && seq -f 'a,series %g,s,1,1' 13; } >"$work/bad.csv"
refuses scripts/plot title x <"$work/bad.csv"

# blocks of pages
page=$work/page.md
printf 'before\n<!-- figures: made by hand -->\nold\n<!-- figures: end -->\nafter\n' >"$page"
echo "new" | scripts/write-block "$page" figures
printf 'before\n<!-- figures: made by hand -->\nnew\n<!-- figures: end -->\nafter\n' | cmp - "$page"
: >"$work/empty"
refuses scripts/write-block "$page" figures <"$work/empty"
echo "new" >"$work/text"
refuses scripts/write-block "$page" others <"$work/text"
printf '<!-- figures: made by hand -->\nold\n' >"$page"
refuses scripts/write-block "$page" figures <"$work/text"
printf '<!-- figures: made by hand -->\nold\n' | cmp - "$page"
