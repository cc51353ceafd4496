#!/usr/bin/env bash
# A tenth of the thousand digests of tests/golden/everywhere.txt, by this build's library and by WebAssembly; another
# one each commit. After a change of the physics: build/everywhere >tests/golden/everywhere.txt
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
list=$root/tests/golden/everywhere.txt
first=$((16#$(git -C "$root" rev-parse HEAD 2>/dev/null | tail -c 4 || echo 0) % 10))

same_digests() { # NAME COMMAND...
    local name=$1
    shift
    "$@" $first 11 >"$name" 2>said || fail "$name: $(cat said)"
    awk -v f=$first 'NR > f && (NR - 1 - f) % 11 == 0' "$list" | diff - "$name" >difference || fail "$name: $(head -n 5 difference)"
    [ "$(wc -l <"$name")" -gt 89 ] || fail "$name has $(wc -l <"$name") digests"
}
[ "$(wc -l <"$list")" = 1000 ] || fail "the list has $(wc -l <"$list") digests"
[ "$(cut -d' ' -f3 "$list" | sort -u | wc -l)" -gt 940 ] || fail "too many digests are equal"
same_digests native "$(dirname "$bin")/everywhere"
if [ -e "$root/build/web/bestiary.wasm" ] && command -v node >/dev/null && [ "$(dirname "$bin")" = "$root/build" ]; then
    make -s -C "$root" build/web/everywhere.wasm >said 2>&1 || fail "no program of WebAssembly: $(cat said)"
    same_digests WebAssembly node --no-warnings "$root/tests/page/wasi.mjs" "$root/build/web/everywhere.wasm"
fi
