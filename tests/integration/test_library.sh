#!/usr/bin/env bash
# libbestiary: its example lives, from the shared and from the static library; a search by ask and tell
# has the digest of a controller's run, in whatever order its results are told; what is installed is found.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
build=$(dirname "$bin")

creature=$root/examples/creatures/walker-3.creature
digest=$("$bin/simulator" evaluate "$creature" --json | sed -n 's/.*"digest": *"\([0-9a-f]*\)".*/\1/p')
[ ${#digest} = 16 ] || fail "no digest: $digest"
for program in embed embed_static; do
    "$build/$program" "$creature" >said || fail "$program: $(cat said)"
    [ "$(grep -c "digest $digest, verified" said)" = 2 ] || fail "$program: $(cat said), expected $digest"
    grep -q '^a child: fitness' said || fail "$program has no child: $(cat said)"
done
echo '{"format": "bestiary-creature", "version": 99}' >later.json
"$build/embed" later.json 2>said && fail "a creature of a later version lives"
grep -q 'creature: ' said || fail "no reason: $(cat said)"

sed 's/size = 20/size = 60/; s/generations = 4/generations = 12/; s/search = sims//' walk.ini >run.ini
"$bin/controller" run run.ini -o run -s farm.workers=2 >/dev/null 2>&1 || fail "no run"
run=$("$bin/controller" digest run | tail -1)
for flight in 1 9; do
    [ "$("$build/library_run" run.ini $flight)" = "$run" ] || fail "with $flight tasks in flight it is another run"
done
"$build/library_run" "$root/examples/sumo.ini" 1 2>said && fail "a search of contests"
grep -q 'no contests, preserves or choices' said || fail "no reason: $(cat said)"

# what is installed; sanitized builds link with what a compiler does not know
[ "$build" = "$root/build" ] || exit 0
make -s -C "$root" install-library PREFIX="$work/usr" >/dev/null || fail "not installed"
export PKG_CONFIG_PATH=$work/usr/lib/pkgconfig
read -ra flags <<<"$(pkg-config --cflags --libs bestiary)"
cc "$root/examples/embed.c" -o installed "${flags[@]}" || fail "the example cannot be built"
LD_LIBRARY_PATH=$work/usr/lib ./installed "$creature" | grep -q verified || fail "the installed library differs"
"$root/scripts/check-layers" --build "$build" >said || fail "$(cat said)"
nm -D --defined-only "$build/libbestiary.so.1" | grep -q 'bestiary_life_make@@BESTIARY_1' || fail "no version"
