#!/usr/bin/env bash
# All digests of tests/golden/everywhere.txt: by gcc without optimisation and at -O3 for a processor without AVX, by
# clang at -O1 and -O3, and for arm64 by qemu.
# runs: seldom
# speed: long
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

same_digests() { # NAME STEP RUNNER ARGUMENT_OF_MAKE...: each STEP-th, by a build of its own
    local name=$1 step=$2 runner=$3
    shift 3
    env -u MAKEFLAGS -u CFLAGS make -s -C "$root" WHOLE= B="build/$name" "$@" "build/$name/everywhere" >said 2>&1 ||
        fail "$name: $(tail -n 5 said)"
    $runner "$root/build/$name/everywhere" 0 "$step" >"$name" || fail "$name ends"
    awk -v s="$step" '(NR - 1) % s == 0' "$root/tests/golden/everywhere.txt" | diff - "$name" >difference ||
        fail "$name: $(head -n 5 difference)"
    echo "$name: $(wc -l <"$name") digests are equal"
}
same_digests gcc-O0 3 "" CC=gcc OPT=-O0
same_digests gcc-O3-sse2 1 "" CC=gcc OPT=-O3 CFLAGS='-mno-avx -march=x86-64'
if command -v clang >/dev/null; then
    same_digests clang-O1 3 "" CC=clang OPT=-O1
    same_digests clang-O3 1 "" CC=clang OPT=-O3
fi
libraries=$root/build/arm64/libraries
if command -v qemu-aarch64 >/dev/null && [ -e "$libraries/complete" ]; then
    same_digests arm64 10 qemu-aarch64 CC=aarch64-linux-gnu-gcc AR=aarch64-linux-gnu-ar OBJCOPY=aarch64-linux-gnu-objcopy \
        OPT='-O2 -fexpensive-optimizations' CFLAGS="-isystem $libraries/usr/include -Wno-maybe-uninitialized" \
        LDFLAGS="-static -L$libraries/usr/lib/aarch64-linux-gnu"
fi
