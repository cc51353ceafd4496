#!/usr/bin/env bash
# A page that simulates its creatures itself, in a browser in real time: of all kinds, on a wide screen and on a phone. It says
# that they are verified, plays and scrubs, lets them be changed, and proves links; contests and worlds live there, too; nothing is said on the console, and nothing is asked for.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
[ -e "$root/build/web/bestiary.wasm" ] || { echo "skip: there is no module (make web)" && exit 77; }
command -v node >/dev/null || { echo "skip: node is not installed (scripts/dependencies --install web)" && exit 77; }
[ -x /usr/bin/chromium ] || [ -x /usr/bin/chromium-browser ] || [ -x /usr/bin/google-chrome ] ||
    { echo "skip: chromium is not installed" && exit 77; }

cd "$root/examples/creatures" || exit 1
"$bin/viewer" ./*.creature --export "$work/files.html" >/dev/null || fail "page of files"
"$bin/viewer" spider.json quadruped.json -s simulation.duration_s=2 --seed 7 --export "$work/kinds.html" >/dev/null || fail "page of kinds"
"$bin/viewer" spider.json -s simulation.duration_s=2 --recorded --export "$work/recorded.html" >/dev/null || fail "recorded page"
cd "$work" || exit 1
"$bin/controller" run walk.ini -o run >run.out 2>&1 || fail "no run: $(tail -n 3 run.out)"
printf '[world]\npreset = land\n[population]\nsize = 20\n[evolution]\ngenerations = 3\n' >small.ini
"$bin/controller" run small.ini --seed 3 -o small >run.out 2>&1 || fail "no run: $(tail -n 3 run.out)"
"$bin/controller" digest small | tail -n 1 >digest.txt
"$bin/controller" save run best --link >link.txt || fail "no link"
"$bin/controller" run "$root/examples/sumo.ini" -s population.size=8 -s evolution.generations=2 -s simulation.duration_s=2 -o sumo >run.out 2>&1 ||
    fail "no contests: $(tail -n 3 run.out)"
"$bin/viewer" sumo --top 2 --export contests.html >/dev/null || fail "page of contests"
"$bin/controller" run "$root/examples/preserve.ini" -s preserve.worlds=1 -s evolution.generations=2 -o waters >run.out 2>&1 ||
    fail "no world: $(tail -n 3 run.out)"
"$bin/viewer" waters --world 0 --from 20 --to 30 --export world.html >said || fail "page of a world"
grep -Eq '^verified .* 1 of 1 epochs as recorded' said || fail "$(cat said)"
"$bin/viewer" waters --world 0 --recorded --export recorded-world.html >said 2>&1 && fail "a recorded page of a world"
[ "$(wc -c <files.html)" -lt 1100000 ] || fail "the page is large"
[ "$(wc -c <recorded.html)" -lt 250000 ] || fail "the recorded page is large"
node "$root/tests/page/lives.mjs" "$work" || fail "the page"
