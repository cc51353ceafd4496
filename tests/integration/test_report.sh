#!/usr/bin/env bash
# `controller report`: the page of a run, of one under way, of one with hostile names, with and without
# viewer; opened in a browser without a screen, where there is one.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
controller=$bin/controller
unset DISPLAY WAYLAND_DISPLAY
mkdir tmp
export TMPDIR=$work/tmp

name="<b>it's & \"so\""
"$controller" run walk.ini --seed 5 -o run -s name="$name" >run.out 2>run.err || fail "run: $(cat run.err)"
before=$(cksum run/run.db)
"$controller" report run >out 2>err || fail "report: $(cat err)"
[ "$(cat out)" = run/report.html ] || fail "does not print the path: $(cat out)"
page=run/report.html
[ "$(cksum run/run.db)" = "$before" ] || fail "the report changed the run"
[ -z "$(ls tmp)" ] || fail "the report left files behind: $(ls tmp)"

# ---- what is in it ----
for id in doctor fitness champions lineage variety breeding verdicts workers parameters; do
    grep -q "<h2 id='$id'>" $page || fail "no section $id"
done
grep -q '<h1>&lt;b&gt;it&#39;s &amp; &quot;so&quot;</h1>' $page || fail "the name is not escaped"
grep -q '<b>it' $page && fail "the name came through"
best=$("$controller" list run --top 1 --json | sed -n 's/^    "id": \([0-9]*\),/\1/p')
fitness=$("$controller" list run --top 1 --json | sed -n 's/^    "fitness": \([0-9.]*\),/\1/p')
grep -q "<b>1. creature $best</b>" $page || fail "the best is not in it"
grep -q "<b>$(printf %.4g "$fitness")</b><span>best fitness" $page || fail "not the best fitness"
grep -q '<code>population.size</code></td><td class=.long.><b>20</b>' $page || fail "no parameters"
sed "s,http://www.w3.org/2000/svg,," $page | grep -Eq 'https?://' && fail "it refers to the network"
# every creature that ever was has a verdict in the table
sum=$(sed -n "/<h2 id='verdicts'>/,/<h2 id='workers'>/s,^<tr><td>[a-z-]*</td><td class='n'>\([0-9]*\)</td><td class='n'>[0-9.]* %</td><td>.*,\1,p" $page |
    awk '{s += $1} END {print s}')
[ "$sum" = "$("$controller" status run --json | sed -n 's/^  "evaluated": \([0-9]*\),*/\1/p')" ] ||
    fail "the verdicts add up to $sum"

if "$bin/viewer" --help | grep -q '^  \.png .*left out'; then
    grep -q 'Pictures or replays are missing: .*left out of this build' $page || fail "does not say why"
else
    grep -q "<symbol id='c$best' viewBox='0 0 160 100'>" $page || fail "no picture of the best"
    grep -q '<span>replays verified' $page || fail "does not say verified"
    cards=$(grep -c "<div class='card'>" $page)
    [ "$(grep -c "<span class='status good'>verified" $page)" = "$cards" ] || fail "not all of $cards verified"
    [ "$cards" -gt 2 ] || fail "only $cards of the best"
fi
grep -q "<iframe id='player'" $page || fail "no replays"

# ---- with less ----
"$controller" report run -o small.html --no-pictures >/dev/null || fail "--no-pictures"
grep -q 'iframe' small.html && fail "--no-pictures has replays"
[ "$(wc -c <small.html)" -lt "$(wc -c <$page)" ] || fail "--no-pictures is not smaller"
mkdir alone && cp "$controller" alone/
PATH=/nonexistent alone/controller report run -o alone.html >/dev/null 2>err || fail "without viewer: $(cat err)"
grep -q 'viewer: the program is neither beside' err || fail "does not say what is missing: $(cat err)"
grep -q 'Pictures or replays are missing' alone.html || fail "the page does not say so"
# a viewer that fails, or tells of a replay that differs
printf '#!/bin/sh\necho "viewer: out of paint" >&2\nexit 1\n' >alone/viewer
chmod +x alone/viewer
alone/controller report run -o broken.html >/dev/null 2>err || fail "with a broken viewer: $(cat err)"
grep -q 'out of paint' broken.html || fail "the viewer's word is lost"
printf '#!/bin/sh\nkill -INT $$\nsleep 9\n' >alone/viewer
refused 1 'interrupted' alone/controller report run -o interrupted.html
[ ! -e interrupted.html ] || fail "an interrupted report left a file"
[ -z "$(ls tmp)" ] || fail "left behind: $(ls tmp)"

# ---- a run under way, then damaged ----
start "$controller" run walk.ini --seed 6 -o live -s evolution.generations=100000 -s name=live >live.out 2>&1
live=$pid
wait_until "two generations" has_reached live 2
"$controller" report live --no-pictures >/dev/null || fail "a run under way"
grep -q 'not finished' live/report.html || fail "does not say that it is not finished"
kill -TERM "$live"
wait "$live" || true
"$controller" report live --no-pictures >/dev/null || fail "a stopped run"

# ---- mistakes ----
refused 2 'RUN_DIR is missing' "$controller" report
refused 2 'must end in .html' "$controller" report run -o run/run.db
refused 2 "unknown option '--fast'" "$controller" report run --fast
refused 1 'nowhere: ' "$controller" report nowhere
refused 1 'nodir/x.html' "$controller" report run -o nodir/x.html --no-pictures
[ "$(cksum run/run.db)" = "$before" ] || fail "a mistake changed the run"
says 'usage: controller report' "$controller" report --help

# ---- in a browser: no errors, the champions are verified, and a picture that is clicked plays ----
command -v node >/dev/null || { echo "skip: node is not installed (scripts/dependencies --install web)" && exit 77; }
[ -x /usr/bin/chromium ] || [ -x /usr/bin/chromium-browser ] || [ -x /usr/bin/google-chrome ] ||
    { echo "skip: the page in a browser (chromium is not installed)" && exit 77; }
second=""
! grep -q "data-play='1'" $page || second=$(grep -o '<b>[0-9]*\. creature [0-9]*' $page | sed -n '2s/.* //p')
node "$root/tests/page/report.mjs" "$work" $page "$second" || fail "the page"
