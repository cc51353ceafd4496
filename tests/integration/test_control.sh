#!/usr/bin/env bash
# Orders to a run at work: another number of workers, pause, continue, status; its result is the same
# as without. Also behind a long path, and with no process or nonsense at the socket.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
controller=$bin/controller
options=(--seed 7 -s evolution.generations=40 -s simulation.duration_s=3)
long=$(printf 'a-directory-with-a-long-name/%.0s' 1 2 3 4 5)run

refused 1 'nowhere: No such file' "$controller" pause nowhere
refused 2 'N is missing' "$controller" workers walk.ini
refused 2 "'0' is not a whole number within 1 .. 1024" "$controller" workers walk.ini 0

"$controller" run walk.ini "${options[@]}" -o whole >whole.out 2>&1 || fail "$(cat whole.out)"
refused 1 'whole: no controller is working on this run' "$controller" pause whole
[ ! -e whole/control ] || fail "the socket was left behind"

# live PATTERN: what the controller tells has a line with it
live() { "$controller" status "$long" --json | grep -Eq "$1"; }
has_workers() { [ "$("$controller" status "$long" --json | grep -c '^          "worker":')" = "$1" ]; }
is_idle() { ! live '"state": "(busy|starting|setup|stopping|dead)"'; }

start "$controller" run walk.ini "${options[@]}" -j 2 -o "$long" >long.out 2>&1
run=$pid
wait_until "the run listens" test -S "$long/control"
wait_until "it is in generation 1" has_reached "$long" 1
says '^paused$' "$controller" pause "$long"
says '^paused already$' "$controller" pause "$long"
says '^state +paused \(process' "$controller" status "$long"
wait_until "nobody works" is_idle
says '"workers_wanted": 2' "$controller" status "$long" --json
before=$(generation "$long")
says '^3 workers from now on$' "$controller" workers "$long" 3
wait_until "there are three workers" has_workers 3
says '^1 worker from now on$' "$controller" workers "$long" 1
wait_until "there is one worker" has_workers 1
[ "$(generation "$long")" = "$before" ] || fail "a paused run went on"
says '^continued$' "$controller" continue "$long"
says '^not paused$' "$controller" continue "$long"
says '^ +[0-9]+ +[0-9]+ +(busy|idle|starting|setup|waiting) +[0-9]+ % ' "$controller" status "$long"

# nonsense is answered or dropped, and does no harm; the run waits, so that it does not end meanwhile
says '^paused$' "$controller" pause "$long"
if command -v perl >/dev/null; then
    cat >send.pl <<'PERL'
use Socket;
chdir(shift) or die;
socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die;
connect($s, pack_sockaddr_un("control")) or die;
syswrite($s, shift =~ s/\\n/\n/gr);
my $answer = ""; while (sysread($s, my $piece, 4096)) { $answer .= $piece; }
print $answer;
PERL
    for line in '\n' 'fly\n' 'workers\n' 'workers x\n' 'workers 0\n' 'workers 4000\n' 'workers -1\n'; do
        perl send.pl "$long" "$line" >answer
        grep -q '^error: ' answer || fail "answer to '$line': $(cat answer)"
    done
    perl send.pl "$long" "$(head -c 5000 /dev/zero | tr '\0' x)" >answer || true
    [ ! -s answer ] || fail "answer to a long line: $(cat answer)"
fi
live '"workers_wanted": 1,' || fail "nonsense changed something"

# one that stands still does not answer; asking again and again does not hang
kill -STOP "$run"
for _ in $(seq 40); do timeout 0.05 "$controller" status "$long" >/dev/null 2>&1 || true; done
says 'the controller does not answer' "$controller" status "$long"
kill -CONT "$run"
wait_until "it answers again" live '"workers_wanted": 1,'

# more orders at once than there is room for
crowd=()
for _ in $(seq 60); do
    "$controller" workers "$long" 1 >>crowd.out 2>&1 &
    crowd+=($!)
done
for order in "${crowd[@]}"; do wait "$order" || fail "an order was lost: $(sort crowd.out | uniq -c)"; done
[ "$(grep -c '^1 worker from now on$' crowd.out)" = 60 ] || fail "orders were lost: $(sort crowd.out | uniq -c)"
says '^continued$' "$controller" continue "$long"

# a killed controller leaves its socket, which a resumed one replaces
kill -KILL "$run"
wait "$run" 2>/dev/null || true
refused 1 'no controller is working' "$controller" continue "$long"
start "$controller" resume "$long" -j 1 >long.resumed 2>&1
run=$pid
answers() { "$controller" workers "$long" 2 >/dev/null 2>&1; }
wait_until "the resumed run takes orders" answers
"$controller" status "$long" --watch --json >watched || fail "status --watch"
[ "$(tail -n 1 watched | grep -c '"state":"finished"')" = 1 ] || fail "watched to no end: $(tail -n 1 watched)"
[ "$(grep -c '"state":"running"' watched)" -ge 1 ] || fail "nothing watched: $(cat watched)"
wait "$run" || fail "the resumed run: $(cat long.resumed)"
ln -s "$long" ordered
same_runs whole ordered
no_worker_is_left "$long"
