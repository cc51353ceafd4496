#!/usr/bin/env bash
# The page's module of WebAssembly computes the same bits as the programs: its fingerprint, the digests of creature files and
# of creatures written by hand in all kinds of worlds, lives that are changed and taken back, and the digest of a run.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
module=$root/build/web/bestiary.wasm
[ -e "$module" ] || { echo "skip: there is no module (make web)" && exit 77; }
command -v node >/dev/null || { echo "skip: node is not installed (scripts/dependencies --install web)" && exit 77; }
module() { node "$root/tests/page/module.mjs" "$module" "$@"; }
digest_of() { "$bin/simulator" evaluate "$@" --json | sed -n 's/.*"digest": *"\([0-9a-f]*\)".*/\1/p'; }

node --test "$root"/tests/page/*.test.mjs >tests.out 2>&1 || fail "$(grep -A 12 '^not ok' tests.out)"
[ "$(sed -n 's/^# pass //p' tests.out)" = 17 ] || fail "$(tail -n 9 tests.out)"

"$bin/simulator" --fingerprint | grep -q "$(module fingerprint)" || fail "another fingerprint"

# all files of examples and tests, and some of results
cd "$root" || exit 1
champions=(docs/results/*/champions/*.creature) examples=(examples/creatures/*.creature)
files=("${examples[@]}" tests/golden/*.creature tests/creatures/*.creature)
for ((i = 0; i < ${#champions[@]}; i += 3)); do files+=("${champions[i]}"); done
module verify "${files[@]}" >"$work/there" 2>&1 || fail "$(tail -n 3 "$work/there")"
for file in "${files[@]}"; do
    grep -q "^$(digest_of "$file" 2>/dev/null) .*$file\$" "$work/there" || fail "$file: $(grep "$file" "$work/there")"
done
[ ${#files[@]} -ge 38 ] || fail "only ${#files[@]} files"
[ "$(grep -c "verified examples" "$work/there")" = "${#examples[@]}" ] || fail "examples are not verified"

pairs=0
for body in biped inchworm fish tripod spider quadruped snake biped3d; do
    for world in land water moon air; do
        printf '[world]\npreset = %s\n[simulation]\nduration_s = 1.5\n' "$world" >"$work/world.ini"
        digest=$(digest_of "examples/creatures/$body.json" "$work/world.ini" --seed 3 2>/dev/null)
        there=$(module evaluate "examples/creatures/$body.json" 3 "world.preset=$world" simulation.duration_s=1.5)
        [ "$there" = "$digest" ] || fail "$body in $world: $there, not $digest"
        pairs=$((pairs + 1))
    done
done
[ $pairs = 32 ] || fail "$pairs pairs"

module live examples/creatures/{walker-3,swimmer-1,land-seeker-2}.creature tests/creatures/creeping-walker.creature >"$work/lives" ||
    fail "no lives"
[ "$(grep -c ' same ' "$work/lives")" = 4 ] || fail "lives: $(cat "$work/lives")"

cd "$work" || exit 1
printf '[population]\nsize = 60\n[evolution]\ngenerations = 12\n[simulation]\nduration_s = 2\n' >run.ini
"$bin/controller" run run.ini -o run -s farm.workers=2 >run.out 2>&1 || fail "no run: $(tail -n 3 run.out)"
settings=(population.size=60 evolution.generations=12 simulation.duration_s=2)
for flight in 1 9; do
    [ "run $(module run $flight "${settings[@]}")" = "$("$bin/controller" digest run | tail -1)" ] || fail "with $flight tasks in flight it is another run"
done
