#!/usr/bin/env bash
# Every creature of the examples and of the documents has in a page, in Chromium and in Firefox, the digest and the status that
# the simulator gives it; runs of 60 x 12 in the page have the digests of the controller's.
# runs: seldom
# speed: long
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
[ -e "$root/build/web/bestiary.wasm" ] || { echo "skip: there is no module (make web)" && exit 77; }
command -v node >/dev/null || { echo "skip: node is not installed (scripts/dependencies --install web)" && exit 77; }
browsers=()
for browser in chromium firefox firefox-esr; do
    [ ! -x "/usr/bin/$browser" ] || browsers+=("${browser%-esr}")
done
[ ${#browsers[@]} -gt 0 ] || { echo "skip: there is no browser (scripts/dependencies --install browser)" && exit 77; }

cd "$root" || exit 1
mapfile -t files < <(find examples docs -name '*.creature' | sort)
[ ${#files[@]} -ge 60 ] || fail "only ${#files[@]} creatures"
"$bin/viewer" "${files[@]}" --export "$work/all.html" >"$work/shown.txt" || fail "no page: $(tail -n 2 "$work/shown.txt")"
for file in "${files[@]}"; do
    { "$bin/simulator" evaluate "$file" --json 2>/dev/null || true; } | sed -n 's/.*"digest": *"\([0-9a-f]*\)".*/\1/p'
done >"$work/digests.txt"
grep '^[a-z].*  [^ ]' "$work/shown.txt" | cut -c 1-13 | sed 's/ *$//' | paste -d ' ' - "$work/digests.txt" >"$work/wanted.txt"
[ "$(wc -l <"$work/wanted.txt")" = ${#files[@]} ] || fail "$(wc -l <"$work/wanted.txt") lines for ${#files[@]} creatures"
[ "$(grep -c '^verified' "$work/wanted.txt")" -ge 13 ] || fail "the examples are not verified"

cd "$work" || exit 1
run_of() { # kind in the page, name, settings of the file
    printf '%b[population]\nsize = 60\n' "$3" >"$2.ini"
    "$bin/controller" run "$2.ini" --seed 1 -o "$2" >run.out 2>&1 || fail "no run: $(tail -n 3 run.out)"
    printf '%s\t%s\n' "$1" "$("$bin/controller" digest "$2" | tail -n 1 | awk '{print $NF}')" >>runs.txt
}
run_of 'walk, in the plane' walk '[evolution]\nbehaviour = walk\ngenerations = 12\n[world]\npreset = land\n'
run_of 'swim, in the plane' swim '[evolution]\nbehaviour = swim\ngenerations = 12\n[world]\npreset = water\n'
run_of 'walk, of boxes' walk3d '[evolution]\nbehaviour = walk\ngenerations = 12\n[world]\npreset = land\n[creature]\nbody = boxes\n'

for browser in "${browsers[@]}"; do
    node "$root/tests/page/verified.mjs" "$browser" "$work" >said.txt 2>&1 || fail "$browser: $(tail -n 20 said.txt)"
    cat said.txt
done
