#!/usr/bin/env bash
# A simulator built with fused multiply-adds, as on a node with a compiler of its own: refused by its fingerprint. One that
# says the right fingerprint all the same is found by a backup copy: the run ends and names both hosts.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
grep -qw fma /proc/cpuinfo || { echo "skip: needs a processor with fused multiply-adds"; exit 77; }
command -v python3 >/dev/null || { echo "skip: needs python3"; exit 77; }
controller=$bin/controller

# the objects of this build, but for those of the plane
build=$(dirname "$bin")
mkdir -p other/obj
cp -pr "$build"/obj/{common,proto,simulator} other/obj/
find other/obj/simulator/planar -name '*.o' -delete
make -s -C "$root" B="$work/other" MODE=release SAN= WHOLE= WITH_WHOLE= \
    CFLAGS='-O1 -fexpensive-optimizations -march=haswell -ffp-contract=fast' "$work/other/bin/simulator" >make.out 2>&1 || fail "$(tail -n 5 make.out)"
right=$("$bin/simulator" --fingerprint) other=$("$work/other/bin/simulator" --fingerprint)
[ "$right" != "$other" ] || fail "fused multiply-adds do not show in the fingerprint"

# make_launcher NAME FINGERPRINT: its first worker is the other simulator on host `strange`.
make_launcher() {
    cat >"launch-$1" <<END2
#!/bin/sh
mkdir $work/$1.first 2>/dev/null || exec "\$@"
exec python3 $root/tests/integration/pretend_host.py strange $2 $work/other/bin/simulator
END2
    chmod +x "launch-$1"
}
make_launcher honest "$other"
make_launcher liar "$right"

"$controller" run walk.ini --seed 5 -j 2 -o whole >whole.out 2>&1 || fail "$(cat whole.out)"
"$controller" run walk.ini --seed 5 -j 1 -o honest -s farm.launcher="$work/launch-honest" >honest.out 2>&1 ||
    fail "$(cat honest.out)"
same_runs whole honest
grep -q "^host strange is left out: its simulator computes other bits (fingerprint $other; here it is $right)" honest.out ||
    fail "$(cat honest.out)"

# Stopped until others have done its tasks, so that its results come late and are compared. Reuse would find it too, by a
# creature whose like was simulated before.
start "$controller" run walk.ini --seed 5 -j 3 -s evolution.generations=100000 -s farm.reuse=no -o liar \
    -s farm.launcher="$work/launch-liar" >liar.out 2>&1
run=$pid
strange_ready() { grep -q ' event=worker_ready .* host=strange ' liar/logs/controller.log 2>/dev/null; }
wait_until "the liar is at work" strange_ready
liar=$(sed -n 's/.* event=worker_ready .* pid=\([0-9]*\) host=strange .*/\1/p' liar/logs/controller.log)
copies() { grep -c ' event=copied ' liar/logs/controller.log 2>/dev/null || true; }
more_copies() { [ "$(copies)" -gt "$1" ] || is_gone "$run"; }
tries=0
until is_gone "$run"; do
    tries=$((tries + 1))
    [ $tries -lt 20 ] || fail "other bits were not found"
    before=$(copies)
    kill -STOP "$liar" 2>/dev/null || break
    wait_until "copies of the liar's tasks" more_copies "$before"
    sleep 0.5
    kill -CONT "$liar" 2>/dev/null || break
    sleep 0.2
done
status=0
wait "$run" || status=$?
[ "$status" = 1 ] || fail "exit code $status: $(cat liar.out)"
grep -q "^controller: creature [0-9]* (task [0-9]*) has two results: worker .* on host " liar.out || fail "$(cat liar.out)"
grep -q "host strange says" liar.out || fail "the strange host is not named: $(cat liar.out)"
grep -q "host $(uname -n) says" liar.out || fail "the other host is not named: $(cat liar.out)"

# A liar that is not stopped is found by reuse, when a creature whose like it has simulated is simulated by another worker.
# Half of the children are copies, so that this is soon.
make_launcher first "$right"
status=0
timeout 300 "$controller" run walk.ini --seed 5 -j 3 -s evolution.generations=100000 -o first \
    -s breeding.draws=1 -s mutation.none=0.5 -s breeding.crossover=0 -s breeding.graft=0 \
    -s farm.launcher="$work/launch-first" >first.out 2>&1 || status=$?
[ "$status" = 1 ] || fail "exit code $status: $(cat first.out)"
grep -Eq "^controller: creature(s [0-9]+ and [0-9]+ have the same body and brain, but not the same result| [0-9]+ \(task [0-9]+\) has two results)" \
    first.out || fail "$(cat first.out)"
