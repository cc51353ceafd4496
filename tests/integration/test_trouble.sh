#!/usr/bin/env bash
# Trouble with the disk: full, read-only, a store that another program writes to, a directory that
# is moved while the run works. One clear error each, and the resumed run is the undisturbed one.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
controller=$bin/controller
options=(--seed 11 -s evolution.generations=10 -s simulation.duration_s=3 -j 2)

"$controller" run walk.ini "${options[@]}" -o whole >whole.out 2>&1 || fail "$(cat whole.out)"

# finish RUN_DIR: resumes it and compares
finish() {
    no_worker_is_left "$1"
    "$controller" resume "$1" -j 1 >"$1.resumed" 2>&1 || fail "resume $1: $(cat "$1.resumed")"
    same_runs whole "$1"
}

# the disk is full: no file may grow beyond a limit, which then is raised once, not enough
status=0
(ulimit -f 400 && exec "$controller" run walk.ini "${options[@]}" -o full >full.out 2>&1) || status=$?
[ "$status" = 1 ] || fail "exit code $status on a full disk: $(cat full.out)"
grep -q '^controller: full/run.db: cannot be written: ' full.out || fail "no clear error: $(cat full.out)"
grep -q 'go on with: controller resume full$' full.out || fail "no word of resume: $(cat full.out)"
reached=$(generation full)
if [ "$reached" -lt 0 ] || [ "$reached" -ge 9 ]; then fail "generation $reached on a full disk"; fi
status=0
(ulimit -f 700 && exec "$controller" resume full >full.again 2>&1) || status=$?
[ "$status" = 1 ] || fail "exit code $status on a full disk again: $(cat full.again)"
finish full

# the disk is full while a run begins: with room again it begins again, or goes on if it had begun
small=(--seed 5 -s population.size=6 -s evolution.generations=2 -s simulation.duration_s=0.3 -j 1)
"$controller" run walk.ini "${small[@]}" -o tiny >tiny.out 2>&1 || fail "$(cat tiny.out)"
begun=0 begun_again=0
for room_kb in 0 1 8 16 20 40 80 120 160 200 240 280; do
    rm -rf short
    status=0
    (ulimit -f "$room_kb" && exec "$controller" run walk.ini "${small[@]}" -o short >/dev/null 2>&1) || status=$?
    if "$controller" resume short >resumed.out 2>&1; then
        begun=$((begun + 1))
    else
        [ "$status" = 1 ] || fail "exit code $status with $room_kb kB"
        [ "$(wc -l <resumed.out)" = 1 ] || fail "resume with $room_kb kB: $(cat resumed.out)"
        "$controller" run walk.ini "${small[@]}" -o short >short.out 2>&1 ||
            fail "run again after $room_kb kB: $(cat short.out)"
        begun_again=$((begun_again + 1))
    fi
    same_runs tiny short
    [ -s short/params.ini ] || fail "no params.ini after $room_kb kB"
done
if [ "$begun" = 0 ] || [ "$begun_again" -le 2 ]; then fail "$begun runs had begun, $begun_again began again"; fi

# the log tells of generations that are in the store, not of one that could not be written
status=0
(ulimit -f 300 && exec "$controller" run walk.ini "${options[@]}" -s farm.commit_s=60 -o late >late.out 2>&1) ||
    status=$?
[ "$status" = 1 ] || fail "exit code $status on a full disk: $(cat late.out)"
told=$(sed -n 's/.* event=generation number=\([0-9]*\) .*/\1/p' late/logs/controller.log | tail -n 1)
closed=$("$controller" status late --json | sed -n 's/^  "closed_generation": \([0-9]*\),/\1/p')
[ "${told:--}" = "${closed:--}" ] || fail "the log tells of generation $told, the store of $closed"

# moved while running, and another run in its place, which must not notice
start "$controller" run walk.ini "${options[@]}" -o place >place.out 2>&1
wait_until "place is in generation 1" has_reached place 1
"$controller" pause place >/dev/null
mv place moved
"$controller" run walk.ini "${options[@]}" -o place >other.out 2>&1 || fail "in its place: $(cat other.out)"
status=0
wait "$pid" || status=$?
[ "$status" = 1 ] || fail "exit code $status after a move: $(cat place.out)"
grep -q '^controller: place/run.db: the run.s directory was moved or removed' place.out ||
    fail "no clear error: $(cat place.out)"
grep -q 'kept where the run is now' place.out || fail "no word of where: $(cat place.out)"
same_runs whole place
finish moved

# moved while stopped: a run is its directory
mv moved elsewhere
same_runs whole elsewhere

# another program writes to the store for a while: the run waits
if command -v sqlite3 >/dev/null; then
    start "$controller" run walk.ini "${options[@]}" -o busy >busy.out 2>&1
    run=$pid
    wait_until "busy is in generation 1" has_reached busy 1
    printf '.timeout 20000\nBEGIN IMMEDIATE;\n.shell sleep 1\nROLLBACK;\n' | sqlite3 busy/run.db
    wait "$run" || fail "a busy store ended the run: $(cat busy.out)"
    same_runs whole busy
fi

# a directory that cannot be written to; root may write everywhere, so it is another user, that takes
# copies of the programs: the build may lie where only root can look
become=()
chmod 755 "$work"
if [ "$(id -u)" = 0 ]; then
    become=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    mkdir copies
    cp "$bin/controller" "$bin/simulator" copies/
    controller=$work/copies/controller
fi
if [ "$(id -u)" != 0 ] || "${become[@]}" test -x "$controller" 2>/dev/null; then
    mkdir closed
    chmod 555 closed whole
    chmod 444 whole/run.db
    refused 1 'closed/run: .*Permission denied' "${become[@]}" "$controller" run walk.ini -o closed/run
    refused 1 'whole/lock: .*Permission denied' "${become[@]}" "$controller" resume whole
    says '^state +finished' "${become[@]}" "$controller" status whole
    says '^ +1[* ] ' "${become[@]}" "$controller" list whole
    chmod 755 whole
fi
