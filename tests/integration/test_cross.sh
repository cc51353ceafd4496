#!/usr/bin/env bash
# The simulator for arm64, built on another machine and run by qemu, computes the same bits: its fingerprint, ten
# creatures, and a run of 16 creatures and 3 generations whose workers are all of that kind.
# runs: seldom
# speed: long
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
libraries=$root/build/arm64/libraries
for program in aarch64-linux-gnu-gcc qemu-aarch64; do
    command -v $program >/dev/null || { echo "skip: there is no $program (scripts/dependencies --install cross)" && exit 77; }
done
[ -e "$libraries/complete" ] || { echo "skip: no libraries (scripts/cross-libraries build/arm64/libraries)" && exit 77; }

# what is vectorised for the processor of this machine is not for another
planned() { env -u MAKEFLAGS -u CFLAGS make -C "$root" -Bn V=1 "$@" build/flags/bin/simulator VARIANT=flags; }
planned CC=aarch64-linux-gnu-gcc >flags.out || fail "make: $(tail -n 3 flags.out)"
grep -q 'aarch64-linux-gnu-gcc.*-flto' flags.out || fail "no command: $(tail -n 3 flags.out)"
! grep -q -- '-mavx\|NEEDS_AVX' flags.out || fail "AVX for arm64"
if grep -qw avx /proc/cpuinfo; then
    planned >flags.out
    grep -q -- '-mavx' flags.out || fail "no AVX for this machine"
fi

# at -O1, as most of the time is the compiler's, but with what would fuse multiplications and additions
env -u MAKEFLAGS -u WERROR make -C "$root" CC=aarch64-linux-gnu-gcc AR=aarch64-linux-gnu-ar VARIANT=arm64 WHOLE= OPT='-O1 -fexpensive-optimizations' -j 2 \
    CFLAGS="-isystem $libraries/usr/include -Wno-maybe-uninitialized" \
    LDFLAGS="-static -L$libraries/usr/lib/aarch64-linux-gnu" build/arm64/bin/simulator >make.out 2>&1 ||
    fail "make: $(tail -n 20 make.out)"
arm=$root/build/arm64/bin/simulator
file_head=$(head -c 20 "$arm" | od -An -tx1 | tr -d ' \n')
[ "${file_head:36:4}" = b700 ] || fail "not for arm64: $file_head"

mkdir other
cp "$bin/controller" other/
printf '#!/bin/sh\nexec qemu-aarch64 %s "$@"\n' "$arm" >other/simulator
chmod +x other/simulator
diff <("$bin/simulator" --fingerprint) <(other/simulator --fingerprint) || fail "another fingerprint"

count=0
for pair in strider:walk biped:walk inchworm:walk pusher:walk caterpillar:walk fish:swim tripod:walk quadruped:walk3d \
    snake:swim3d moth:fly3d; do
    for side in "$bin" other; do
        "$side/simulator" evaluate "$root/examples/creatures/${pair%:*}.json" "$root/examples/${pair#*:}.ini" \
            -s simulation.duration_s=0.5 --json | sed '/"cost"/d' >"${side##*/}.json" || fail "$side: $pair"
    done
    diff "${bin##*/}.json" other.json || fail "$pair differs"
    count=$((count + 1))
done
[ $count = 10 ] || fail "$count creatures"

for side in "$bin" other; do
    "$side/controller" run walk.ini --seed 5 --population 16 --generations 3 -s simulation.duration_s=0.5 -s guard.exam_candidates=1 \
        -o "run-${side##*/}" >run.out 2>&1 || fail "$side: $(cat run.out)"
done
same_runs "run-${bin##*/}" run-other
grep -hq 'event=task ' run-other/logs/worker-*.log || fail "nobody worked"
