#!/usr/bin/env bash
# Words in front of the simulator: nice; programs that delay, end, cut and swallow the stream, ignore SIGTERM, queue, and
# give a pseudo-terminal; something called srun; ssh to this machine, if a server can be started. The run is always the same.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
controller=$bin/controller
options=(--seed 5 -s evolution.generations=6 -j 2)
began=$SECONDS
"$controller" run walk.ini "${options[@]}" -o whole >whole.out 2>&1 || fail "$(cat whole.out)"

# through NAME LAUNCHER [OPTION]...: a run behind it is the undisturbed one
through() {
    local name=$1 launcher=$2
    shift 2
    "$controller" run walk.ini "${options[@]}" -o "$name" -s farm.launcher="$launcher" "$@" \
        >"$name.out" 2>&1 || fail "$name: $(cat "$name.out" "$name/logs/controller.log")"
    same_runs whole "$name"
    echo "$name: at $((SECONDS - began)) s"
}
# ends NAME: processes that ended before their time
ends() { grep -c ' level=warn event=worker_exited ' "$1/logs/controller.log" || true; }

through nice 'nice -n 3'
[ "$(ends nice)" = 0 ] || fail "workers behind nice were lost"
"$controller" run walk.ini "${options[@]}" -o settings -s farm.nice=4 -s farm.pin=yes \
    -s farm.memory_mb=512 >settings.out 2>&1 || fail "$(cat settings.out)"
same_runs whole settings
grep -q 'event=setup .* memory_mb=512 nice=4' settings/logs/worker-01.log || fail "not its settings"
if "$controller" run walk.ini -o none -s farm.launcher='no-such-launcher -x' >none.out 2>&1; then
    fail "ran without its launcher"
fi
grep -q '^controller: farm.launcher: program not found: no-such-launcher$' none.out || fail "$(cat none.out)"
[ ! -e none ] || fail "a run that cannot begin left its directory behind"

# A host that greets on standard output, in lines and in pieces; one that does nothing else is told from a simulator.
cat >greeter <<'END2'
#!/bin/sh
printf 'Welcome to '
sleep 0.1
printf '\033[1mnode-07\n\n'
exec "$@"
END2
printf '#!/bin/sh\necho "Account expired"\n' >only_greets
chmod +x greeter only_greets
through greets "$work/greeter"
[ "$(ends greets)" = 0 ] || fail "workers whose host greets were lost"
grep -q 'event=worker_greeting worker=1 text="Welcome to .*node-07' greets/logs/controller.log ||
    fail "the greeting is not in the log: $(cat greets/logs/controller.log)"
if "$controller" run walk.ini "${options[@]}" -o only -s farm.launcher="$work/only_greets" >only.out 2>&1; then
    fail "a greeting alone is a worker"
fi
grep -q 'cannot be started: .*wrote "Account expired *" and no message of the protocol' only.out || fail "$(cat only.out)"

if command -v perl >/dev/null; then
    bad=$root/tests/integration/forward.pl
    through delay "perl $bad delay 1"
    [ "$(ends delay)" = 0 ] || fail "a slow stream lost workers"
    for kind in end cut; do
        through $kind "perl $bad $kind 1"
        [ "$(ends $kind)" -ge 1 ] || fail "'$kind' lost no worker"
        says '"quarantined": 0,' "$controller" status $kind --json
    done
    # limits are for such as answer within them, however busy the machine is
    through mute "perl $bad mute 1" -s farm.silence_s=1 -s farm.deadline_s=1
    [ "$(ends mute)" -ge 1 ] || fail "'mute' lost no worker"
    through deaf "perl $bad deaf 1" -s farm.silence_s=1 -s farm.deadline_s=1
    grep -q ' event=worker_exited .* end=SIGKILL cause="late ' deaf/logs/controller.log ||
        fail "a launcher that ignores SIGTERM was not killed"
    for name in delay end cut mute deaf; do no_worker_is_left $name; done
fi

# A batch system keeps a job waiting: no failed start within farm.start_s, and behind `slurm` never.
cat >queue <<'END2'
#!/bin/sh
sleep 2
exec "$@"
END2
chmod +x queue
through queued "$work/queue" -s farm.start_s=20
[ "$(ends queued)" = 0 ] || fail "a worker that waited in a queue was lost"
if command -v python3 >/dev/null; then
    through terminal "python3 $root/tests/integration/launch_pty.py"
    [ "$(ends terminal)" = 0 ] || fail "workers behind a pseudo-terminal were lost"
    mkdir -p fake
    cat >fake/srun <<END2
#!/bin/sh
echo "\$*" >>$work/fake/words
while case \$1 in -*) true ;; *) false ;; esac; do shift; done
exec $work/queue python3 $root/tests/integration/launch_pty.py "\$@"
END2
    chmod +x fake/srun
    PATH=$work/fake:$PATH through srun 'slurm --partition=long' -s farm.start_s=1
    [ "$(ends srun)" = 0 ] || fail "workers in Slurm's queue were lost"
    grep -q -- '^--unbuffered .* --mem-per-cpu=1024M --partition=long /' fake/words || fail "$(cat fake/words)"
fi

# Stopped workers and launchers delay no run, although their silence would be noticed after an hour only. What they
# say later is equal, and counts no more.
options=(--seed 5 -s evolution.generations=30 -j 2)
"$controller" run walk.ini "${options[@]}" -o long >long.out 2>&1 || fail "$(cat long.out)"
has_late_result() { grep -q " event=late_result .* equal=1" "$1/logs/controller.log"; }
# stop_within NAME LAUNCHER
stop_within() {
    local name=$1 launcher=$2 at
    start "$controller" run walk.ini "${options[@]}" -o "$name" -s farm.launcher="$launcher" \
        -s farm.silence_s=3600 >"$name.out" 2>&1
    local run=$pid
    wait_until "$name begins" has_reached "$name" 2
    local worker
    worker=$(workers "$name" | head -n 1)
    kill -STOP "$worker"
    at=$(generation "$name")
    wait_until "$name goes on without a stopped worker" has_reached "$name" $((at + 2))
    kill -CONT "$worker"
    wait_until "the late result in $name" has_late_result "$name"
    wait "$run" || fail "$name: $(cat "$name.out")"
    same_runs long "$name"
    echo "$name: at $((SECONDS - began)) s"
}
stop_within stopped-worker ''
if command -v perl >/dev/null; then stop_within stopped-launcher "perl $bad delay 1"; fi

# Another host's simulator computes other bits: it gets no task, and the others do everything.
if command -v python3 >/dev/null; then
    cat >first_is_strange <<END2
#!/bin/sh
mkdir strange.first 2>/dev/null || exec "\$@"
exec python3 $root/tests/integration/pretend_host.py strange 1 "\$@"
END2
    chmod +x first_is_strange
    options=(--seed 5 -s evolution.generations=6 -j 1) # so that nothing begins without the strange one
    through strange "$work/first_is_strange"
    grep -q '^host strange is left out: its simulator computes other bits (fingerprint ' strange.out || fail "$(cat strange.out)"
    [ "$(grep -c ' event=host_left_out ' strange/logs/controller.log)" = 1 ] || fail "not said once"
fi

# a server of our own, on a free port, for this user's new key only
server=$(PATH=$PATH:/usr/sbin command -v sshd || true)
if [ -z "$server" ] || ! command -v ssh-keygen ssh >/dev/null || ! command -v perl >/dev/null; then
    echo "without ssh: there is no sshd"
    exit 0
fi
ssh-keygen -q -t ed25519 -N '' -f host_key
ssh-keygen -q -t ed25519 -N '' -f user_key
cp user_key.pub authorized_keys
port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
cat >sshd_config <<END2
ListenAddress 127.0.0.1:$port
HostKey $work/host_key
AuthorizedKeysFile $work/authorized_keys
PidFile $work/sshd.pid
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
END2
start "$server" -D -e -f "$work/sshd_config" 2>sshd.log
cat >ssh_config <<END2
Host farm
HostName 127.0.0.1
Port $port
IdentityFile $work/user_key
IdentitiesOnly yes
BatchMode yes
StrictHostKeyChecking no
UserKnownHostsFile $work/known_hosts
LogLevel ERROR
END2
reaches() { ssh -F ssh_config -T farm true 2>/dev/null; }
tries=0
until reaches; do
    tries=$((tries + 1))
    if [ $tries -gt 20 ] || is_gone "$pid"; then
        echo "without ssh: the server cannot be used here: $(tail -n 2 sshd.log)"
        exit 0
    fi
    sleep 0.1
done
through ssh "ssh -F $work/ssh_config -T farm"
[ "$(ends ssh)" = 0 ] || fail "workers behind ssh were lost"
