#!/usr/bin/env bash
# A program that is stopped while it writes leaves nothing half written behind: no trace, no film, no folder of a report.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
controller=$bin/controller viewer=$bin/viewer simulator=$bin/simulator
unset DISPLAY WAYLAND_DISPLAY
export TMPDIR=$work/temporary
mkdir temporary place
walker=$root/examples/creatures/inchworm.json

has_some() { compgen -G "$1" >/dev/null; }

# SIGNAL PATTERN COMMAND...: the signal comes when a file of that pattern is there; nothing is left.
is_stopped() {
    local signal=$1 pattern=$2
    shift 2
    start "$@" >out 2>&1
    wait_until "$pattern of $*" has_some "$pattern"
    kill "-$signal" "$pid"
    wait "$pid" && fail "$* was not stopped by SIG$signal"
    local left
    left=$(find place temporary -mindepth 1)
    [ -z "$left" ] || fail "SIG$signal leaves $left: $*"
}
for signal in TERM HUP; do
    is_stopped $signal 'place/t.csv*' "$simulator" evaluate "$walker" walk.ini -s simulation.duration_s=3600 \
        -s guard.energy_share=off --trace place/t.csv
done

# a trace that ends well is there under its name, and nothing else
"$simulator" evaluate "$walker" walk.ini -s simulation.duration_s=1 --trace place/t.csv >/dev/null || fail "trace"
[ "$(ls place)" = t.csv ] || fail "beside the trace: $(ls place)"
rm place/t.csv

"$viewer" --help | grep -q '^  \.gif .*left out' && exit 0
is_stopped TERM 'place/film.gif.part-*' "$viewer" "$walker" --export place/film.gif --size 1920x1080 --fps 100

# long motions, so that the report takes its time
"$controller" run walk.ini --seed 3 -j 2 -o run -s evolution.generations=2 -s simulation.duration_s=100 >/dev/null 2>&1 || fail "run"
for signal in TERM HUP; do
    is_stopped $signal 'temporary/bestiary-report-*/*.creature' "$controller" report run -o place/report.html
done
