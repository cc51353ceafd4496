#!/usr/bin/env bash
# Two controllers never work on one run; readers may look at any time.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

start "$bin/controller" run walk.ini -s evolution.generations=100000 -j 1 -o busy >busy.out 2>&1
controller=$pid
wait_until "the run is in generation 1" has_reached busy 1
refused 1 "another controller \(process $controller\)" "$bin/controller" resume busy
refused 1 'exists already' "$bin/controller" run walk.ini -o busy

says "running \(process $controller\)" "$bin/controller" status busy
says '"is_running": true' "$bin/controller" status busy --json
"$bin/controller" list busy --generation 0 >/dev/null || fail "list of a running run"
refused 1 'generation 99999 is not complete' "$bin/controller" list busy --generation 99999
"$bin/controller" save busy 1 -o first.creature >/dev/null || fail "save from a running run"
before=$(generation busy)
wait_until "the run goes on" has_reached busy $((before + 1))

# stopped workers hold up the end: the second signal does not wait for them
for worker in $(workers busy); do kill -STOP "$worker"; done
kill -INT "$controller"
stopping() { grep -q stopping busy.out; }
wait_until "the controller says that it stops" stopping
kill -INT "$controller"
status=0
wait "$controller" || status=$?
[ $status = 130 ] || [ $status = 0 ] || fail "exit code $status after two signals"
for worker in $(workers busy); do kill -CONT "$worker" 2>/dev/null || true; done
no_worker_is_left busy
says 'state *stopped' "$bin/controller" status busy
