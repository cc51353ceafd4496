#!/usr/bin/env bash
# controller logs: all processes' lines in the order of time, chosen, followed; damaged logs.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
controller=$bin/controller

"$controller" run walk.ini --seed 3 -o run >/dev/null 2>run.err || fail "run: $(cat run.err)"
"$controller" logs run >all
[ "$(wc -l <all)" = "$(cat run/logs/*.log | wc -l)" ] || fail "lines are lost"
sed 's/^log=[^ ]* time=\([^ ]*\) .*/\1/' all >all.times
LC_ALL=C sort -c all.times || fail "not in the order of time"
for log in controller worker-01 worker-02; do
    sed -n "s/^log=$log //p" all | cmp - "run/logs/$log.log" || fail "$log.log is not as it is"
done

# choices
[ "$("$controller" logs run --worker 1 | grep -c '^log=worker-01 ')" = "$(wc -l <run/logs/worker-01.log)" ] ||
    fail "--worker 1"
"$controller" logs run --worker 0 | grep -qv '^log=controller ' && fail "--worker 0 gives others"
"$controller" logs run --task 17 >task
[ "$(grep -c ' event=task task=17 ' task)" = "$(cat run/logs/worker-*.log | grep -c ' event=task task=17 ')" ] ||
    fail "--task 17: $(cat task)"
grep -q ' event=task task=17 ' task || fail "--task 17 says nothing"
grep -qv ' task=17 ' task && fail "--task 17 gives others: $(cat task)"
"$controller" logs run --creature 3 | grep -q ' creature=3 ' || fail "--creature 3"
printf 'time=2030-01-01T00:00:00.000Z level=warn event=planted note="level=info x"\n' >>run/logs/worker-02.log
[ "$("$controller" logs run --level warn | grep -c 'event=planted')" = 1 ] || fail "--level warn"
"$controller" logs run --level error | grep -q planted && fail "--level error gives a warning"

# lines of other origin stay where they were written; what is no text does not reach the terminal
printf 'terminate called\n\033[31mred\n' >>run/logs/worker-02.log
"$controller" logs run | tail -n 3 >last
cat >expected <<'END'
log=worker-02 time=2030-01-01T00:00:00.000Z level=warn event=planted note="level=info x"
log=worker-02 terminate called
log=worker-02  [31mred
END
cmp last expected || fail "foreign lines: $(cat last)"

# following: whole lines only, new files too
start "$controller" logs run --level warn --follow >followed
wait_until "planted is followed" grep -q planted followed
printf 'time=2030-01-01T00:00:01.000Z level=warn event=first_' >>run/logs/worker-01.log
printf 'time=2030-01-01T00:00:02.000Z level=error event=new_file\n' >run/logs/worker-03.log
wait_until "a new file is followed" grep -q new_file followed
grep -q first_ followed && fail "half a line was printed"
printf 'half\n' >>run/logs/worker-01.log
wait_until "the whole line is followed" grep -q first_half followed
# also when a log is put away
mv run/logs/worker-03.log run/logs/worker-03.old.log
printf 'time=2030-01-01T00:00:03.000Z level=warn event=anew\n' >run/logs/worker-03.log
wait_until "a log that began anew is followed" grep -q anew followed
[ "$(grep -c new_file followed)" = 1 ] || fail "lines of a log that was put away come twice"
kill -TERM "$pid"
wait "$pid" || fail "an interrupted --follow is no failure"

# a last line without an end is printed when not following
printf 'time=2030-01-01T00:00:09.000Z level=warn event=cut' >>run/logs/worker-01.log
"$controller" logs run | tail -n 1 | grep -q 'event=cut$' || fail "the cut last line is missing"

# the controller's own begins anew beyond farm.log_mb, and is read on
{ yes "time=2020-01-01T00:00:00.000Z level=info event=filler" || true; } | head -c 1100000 >>run/logs/controller.log
before=$("$controller" logs run --worker 0 | wc -l)
"$controller" resume run -s evolution.generations=6 -s farm.log_mb=1 >resume.out 2>&1 || fail "$(cat resume.out)"
[ "$(wc -c <run/logs/controller.old.log)" -gt 1000000 ] || fail "the controller's log was not put away"
grep -q 'event=resume ' run/logs/controller.log || fail "the controller's log did not begin anew"
"$controller" logs run --worker 0 >after
[ "$(wc -l <after)" -gt "$before" ] || fail "lines of the controller were lost"

refused 2 'RUN_DIR is missing' "$controller" logs
refused 2 "'loud' is not one of debug|info|warn|error" "$controller" logs run --level loud
refused 2 'not a whole number' "$controller" logs run --task x
refused 1 'no such log' "$controller" logs run --worker 9
refused 1 'not a run' "$controller" logs .

# Deleted under a run, with their folder, logs come back: the controller's, and each worker's with its next process. The
# run is the same, and no worker is lost.
settings=(--seed 3 -j 2 -s evolution.generations=25 -s population.size=30)
"$controller" run walk.ini "${settings[@]}" -o whole >/dev/null 2>whole.err || fail "$(cat whole.err)"
start "$controller" run walk.ini "${settings[@]}" -o bare >/dev/null 2>bare.err
run=$pid
wait_until "bare begins" has_reached bare 2
rm -r bare/logs
has_logs() { [ -s bare/logs/controller.log ] && [ -s bare/logs/worker-01.log ] && [ -s bare/logs/worker-02.log ]; }
wait_until "logs come back" has_logs
grep -q 'event=start ' bare/logs/worker-01.log || fail "a log without its beginning: $(head -3 bare/logs/worker-01.log)"
wait "$run" || fail "$(cat bare.err)"
grep -q 'level=warn event=log_lost' bare/logs/controller.log || fail "it is not said: $(cat bare/logs/controller.log)"
! grep -q 'level=warn event=worker_exited' bare/logs/controller.log || fail "workers were lost"
same_runs whole bare
