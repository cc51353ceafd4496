#!/usr/bin/env bash
# The page's editor, the keeping of its runs and its challenges, in a browser: a template is changed by touch and by fields, undone
# and saved; the programs read what it saves and come to the page's digests; a run goes on where its closed page left it.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
[ -e "$root/build/web/bestiary.wasm" ] || { echo "skip: there is no module (make web)" && exit 77; }
command -v node >/dev/null || { echo "skip: node is not installed (scripts/dependencies --install web)" && exit 77; }
[ -x /usr/bin/chromium ] || [ -x /usr/bin/chromium-browser ] || [ -x /usr/bin/google-chrome ] ||
    { echo "skip: chromium is not installed" && exit 77; }

cd "$work" || exit 1
"$bin/viewer" "$root/examples/creatures/walker-3.creature" --export page.html >/dev/null || fail "page"
printf '[world]\npreset = land\n[population]\nsize = 20\n[evolution]\ngenerations = 3\n' >small.ini
"$bin/controller" run small.ini --seed 3 -o small >run.out 2>&1 || fail "no run: $(tail -n 3 run.out)"
node "$root/tests/page/edits.mjs" "$work" >said || fail "the page: $(cat said)"
{ read -r built && read -r run; } <said

# the programs come to the page's digests
"$bin/simulator" evaluate built-b-.json --json >evaluated || fail "what the page saved is refused"
grep -q "\"digest\": *\"$built\"" evaluated || fail "another digest: $(cat evaluated), not $built"
[ "run $run" = "$("$bin/controller" digest small | tail -n 1)" ] || fail "a run that was left is another: $run"

# and read its parameters
"$bin/controller" run run.ini -o again >run.out 2>&1 || fail "parameters of the page: $(tail -n 3 run.out)"
[ "run $run" = "$("$bin/controller" digest again | tail -n 1)" ] || fail "the run of run.ini is another"
