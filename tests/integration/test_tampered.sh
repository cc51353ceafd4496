#!/usr/bin/env bash
# Who changes what is stored of a creature is found out: `differs` in the window, in exports, in the page and
# in the report, be it the last bit of a gene or one measure; the others of the run stay verified.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
controller=$bin/controller viewer=$bin/viewer
unset DISPLAY WAYLAND_DISPLAY
command -v sqlite3 >/dev/null || { echo "skip: sqlite3 is not installed" && exit 77; }

"$controller" run walk.ini --seed 3 -j 2 -o run -s evolution.generations=2 -s population.size=24 \
    >/dev/null 2>&1 || fail "run"
best=$("$controller" list run --top 1 --json | sed -n 's/^    "id": \([0-9]*\),/\1/p')

# COPY SQL: a copy of the run in which that has been done to its best creature.
tamper() {
    cp -r run "$1"
    sqlite3 "$1/run.db" "$2" || fail "$1: sqlite3"
    cmp -s run/run.db "$1/run.db" && fail "$1: the test changed nothing"
    return 0
}
# The last bit of every double (0xcb) of the genome that is not a round number.
sqlite3 -readonly run/run.db "SELECT hex(genome) FROM individuals WHERE id = $best" | awk '{
    for (i = 1; i + 17 <= length($0); i += 2)
        if (substr($0, i, 3) == "CB3" && substr($0, i + 16, 2) != "00") {
            low = index("0123456789ABCDEF", substr($0, i + 17, 1)) - 1
            $0 = substr($0, 1, i + 16) substr("1032547698BADCFE", low + 1, 1) substr($0, i + 18)
            i += 16
        }
    print
}' >genome.hex
tamper gene "UPDATE individuals SET genome = X'$(cat genome.hex)' WHERE id = $best"
tamper measure "UPDATE individuals SET displacement_m = displacement_m * 1.01 + 0.01 WHERE id = $best"

# COPY WHY: what each way to see it says of it, and of those behind it.
finds_out() {
    "$viewer" "$1" --top 3 --export "$1.html" >said || fail "$1: page"
    grep -q "^differs .*-$best,.*$2" said || fail "$1: the export says: $(cat said)"
    [ "$(grep -c '^verified' said)" = 2 ] || fail "$1: the others: $(cat said)"
    grep -q 'status: "differs"' "$1.html" || fail "$1: the page says nothing"
    [ "$(grep -c 'status: "verified"' "$1.html")" = 2 ] || fail "$1: the page, of the others"
    "$controller" report "$1" >/dev/null 2>&1 || fail "$1: report"
    if ! "$viewer" --help | grep -q '^  \.svg .*left out'; then
        grep -q "<span class='status bad'>differs" "$1/report.html" || fail "$1: the report says nothing"
    fi
    SDL_VIDEODRIVER=dummy "$viewer" "$1" --top 3 --frames 2 >said 2>err ||
        { grep -q 'left out of this build' err && return 0; fail "$1: window: $(cat err)"; }
    grep -q "^differs .*-$best,.*$2" said || fail "$1: the window says: $(cat said)"
}
finds_out gene ''
finds_out measure 'displacement_m'

# a run nobody touched has none
"$controller" report run >/dev/null 2>&1 || fail "report"
grep -q "status bad'>differs" run/report.html && fail "the untouched run differs"
exit 0
