#!/usr/bin/env bash
# A change of a stored creature is found out: `differs` in the window, in exports, in the page and
# in the report, be it the last bit of a gene, one measure, the fitness or the verdict; the others of the run stay
# verified. The same of files, binary and text.
# runs: watched
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
controller=$bin/controller viewer=$bin/viewer simulator=$bin/simulator
unset DISPLAY WAYLAND_DISPLAY
command -v sqlite3 >/dev/null || { echo "skip: sqlite3 is not installed" && exit 77; }

"$controller" run walk.ini --seed 3 -j 2 -o run -s evolution.generations=2 -s population.size=24 \
    -s evolution.behaviour=custom -s fitness.expression=path_m \
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
tamper fitness "UPDATE individuals SET fitness = 1000 WHERE id = $best"
tamper verdict "UPDATE individuals SET verdict = 'motionless' WHERE id = $best"

# COPY WHY: what each way to see it says of it, and of those behind it.
finds_out() {
    "$viewer" "$1" --top 3 --recorded --export "$1.html" >said || fail "$1: page"
    grep -q "^differs .*-$best,.*$2" said || fail "$1: the export says: $(cat said)"
    [ "$(grep -c '^verified' said)" = 2 ] || fail "$1: the others: $(cat said)"
    grep -q "\"status\": \"differs\"" "$1.html" || fail "$1: the page says nothing"
    [ "$(grep -c '"status": "verified"' "$1.html")" = 2 ] || fail "$1: the page, of the others"
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
finds_out fitness 'fitness: recorded 1000, now'
finds_out verdict 'recorded verdict motionless, now ok'

# FILE WHY: what the viewer and the simulator say of a file.
file_differs() {
    "$viewer" "$1" --export file.html >said || fail "$1: page"
    grep -q "^differs .*$2" said || fail "$1: the export says: $(cat said)"
    "$simulator" evaluate "$1" >said 2>err && fail "$1: simulator evaluate is content: $(cat said)"
    grep -q "the evaluation differs from the recorded one: .*$2" err || fail "$1: $(cat err)"
}
"$controller" save fitness "$best" -o fitness.creature >/dev/null || fail "save"
"$controller" save run "$best" -o true.json --text >/dev/null || fail "save --text"
file_differs fitness.creature 'fitness: recorded 1000, now'
sed 's/"fitness": [0-9.e-]*/"fitness": 1000/' true.json >fitness.json
file_differs fitness.json 'fitness: recorded 1000, now'
sed 's/"distance_m": [0-9.e-]*/"distance_m": 1000/' true.json >measure.json
file_differs measure.json 'distance_m: recorded 1000, now'
sed 's/"verdict": "ok"/"verdict": "motionless"/' true.json >verdict.json
file_differs verdict.json 'recorded verdict motionless'

# the least over trials is shown as recorded, and so is a score that the referee let fall; more than its own is refused
"$simulator" evaluate true.json --json >own.json || fail "evaluate"
own=$(sed -n 's/^ *"fitness": \([0-9.e-]*\),/\1/p' own.json)
least() { awk -v own="$own" -v share="$1" 'BEGIN { printf "%.17g", own * share }'; }
sed "s/\"fitness\": [0-9.e-]*/\"fitness\": $(least 0.9)/" true.json >least.json
is_recorded() {
    "$viewer" "$1" --export file.html >said || fail "$1: page"
    grep -q '^verified .*, fitness .* (this start: ' said || fail "$1: the export says: $(cat said)"
}
is_recorded least.json
"$simulator" evaluate least.json >said || fail "least.json: simulator evaluate"
grep -q '^recorded  .*least over trials' said || fail "least.json: $(cat said)"
sed "s/\"fitness\": [0-9.e-]*/\"fitness\": $(least 0.5)/" true.json >low.json
is_recorded low.json
sed "s/\"fitness\": [0-9.e-]*/\"fitness\": $(least 1.1)/" true.json >high.json
file_differs high.json 'fitness: recorded'

# an untouched run has none
"$controller" report run >/dev/null 2>&1 || fail "report"
grep -q "status bad'>differs" run/report.html && fail "the untouched run differs"
exit 0
