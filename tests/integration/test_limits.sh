#!/usr/bin/env bash
# Limits that a shell sets: too few open files, too small a stack. One clear error where nothing can be done,
# and a run whose limit of files is lowered while it works still answers to signals and stays the same.
# shellcheck source=/dev/null disable=SC2154,SC3045
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
controller=$bin/controller
options=(--seed 7 -s evolution.generations=8 -s simulation.duration_s=3)

limited() ( # ulimit's OPTION and NUMBER, COMMAND...
    ulimit "$1" "$2"
    shift 2
    exec "$@"
)
few='at most 10 files may be open at once, 2 workers and their controller need [0-9]+: see ulimit -n'
refused 1 "^controller: $few" limited -n 10 "$controller" run walk.ini "${options[@]}" -j 2 -o few
[ ! -e few ] || fail "a run was made that cannot work"

small='the stack may grow to 64 kB only, 512 kB are needed: see ulimit -s'
for program in controller simulator viewer; do
    [ -x "$bin/$program" ] || continue
    refused 1 "^$program: $small" limited -s 64 "$bin/$program" --help
done


"$controller" run walk.ini "${options[@]}" -o whole >whole.out 2>&1 || fail "$(cat whole.out)"
refused 1 "^controller: $few" limited -n 10 "$controller" resume whole -j 2 -s evolution.generations=9

command -v prlimit >/dev/null || { echo "skip: needs prlimit"; exit 77; }
start "$controller" run walk.ini "${options[@]}" -j 2 -o lowered >lowered.out 2>&1
wait_until "the run listens" test -S lowered/control
wait_until "it is in generation 1" has_reached lowered 1
"$controller" pause lowered >/dev/null # so that it does not come to its end before
prlimit --pid "$pid" --nofile=5:5
says '^workers +the controller does not answer' "$controller" status lowered
kill -TERM "$pid"
wait_until "it obeys" is_gone "$pid"
wait "$pid" || fail "it ended with $?: $(cat lowered.out)"
grep -q 'event=no_answer reason="Too many open files"' lowered/logs/controller.log || fail "not in the log"
"$controller" resume lowered >resumed.out 2>&1 || fail "$(cat resumed.out)"
same_runs whole lowered
