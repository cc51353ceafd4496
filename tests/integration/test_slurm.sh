#!/usr/bin/env bash
# A real Slurm with four nodes on this machine, in a folder of its own. Runs from the login side, within a job and in a
# job that is requeued, while steps are cancelled, workers, launchers and a node are killed, a node is drained and the
# cluster is full: each is the local run.
# runs: seldom
# speed: long
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
export PATH=$PATH:/usr/sbin
command -v slurmctld slurmd munged srun >/dev/null || { echo "skip: needs slurm-wlm and munge"; exit 77; }
[ "$(id -u)" = 0 ] || { echo "skip: only root can start a cluster"; exit 77; }
controller=$bin/controller
began=$SECONDS
tell() { echo "$1: at $((SECONDS - began)) s"; }

# ---- the cluster ----

state=$work/slurm
mkdir -p "$state/save"
head -c 1024 /dev/urandom >"$state/munge.key"
chmod 400 "$state/munge.key"
port=$(python3 -c '
import socket
for base in range(21000, 60000, 37):
    try:
        for i in range(5):
            with socket.socket() as s:
                s.bind(("127.0.0.1", base + i))
        print(base)
        break
    except OSError:
        pass
')
export SLURM_CONF=$state/slurm.conf
cat >"$SLURM_CONF" <<END2
ClusterName=bestiary
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$state/munge.socket
StateSaveLocation=$state/save
SlurmdSpoolDir=$state/spool.%n
SlurmctldPidFile=$state/slurmctld.pid
SlurmdPidFile=$state/slurmd.%n.pid
SlurmctldLogFile=$state/slurmctld.log
SlurmdLogFile=$state/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
ReturnToService=2
SlurmdTimeout=10
KillWait=2
NodeName=n[1-4] NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((port + 1))-$((port + 4)) CPUs=2 RealMemory=8000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END2
# ours to the last: daemons, and what they have started
end_cluster() {
    [ -d "$state" ] || { clean_up; return; }
    scancel --quiet --user=root 2>/dev/null || true
    local i
    for i in $(seq 50); do [ -n "$(squeue -h 2>/dev/null)" ] || break; sleep 0.1; done
    for i in $(pgrep -f "^slurmstepd: " || true); do
        if tr '\0' '\n' <"/proc/$i/environ" 2>/dev/null | grep -qx "SLURM_CONF=$SLURM_CONF"; then kill -KILL "$i" || true; fi
    done
    clean_up
}
trap end_cluster EXIT
start munged --foreground --force --key-file="$state/munge.key" --socket="$state/munge.socket" \
    --pid-file="$state/munged.pid" --log-file="$state/munged.log" --seed-file="$state/munge.seed" 2>"$state/munged.out"
munge_runs() { [ -S "$state/munge.socket" ]; }
wait_until "munge" munge_runs
start slurmctld -D -i >"$state/slurmctld.out" 2>&1
slurmd_pids=()
for node in 1 2 3 4; do
    mkdir -p "$state/spool.n$node"
    start slurmd -D -N "n$node" >"$state/slurmd.n$node.out" 2>&1
    slurmd_pids+=("$pid")
done
all_idle() { sinfo -h -o '%T %D' 2>/dev/null | grep -qx 'idle 4'; }
tries=0
until all_idle; do
    tries=$((tries + 1))
    [ $tries -lt 200 ] || { echo "skip: Slurm cannot be used here: $(tail -qn 2 "$state"/*.log)"; exit 77; }
    sleep 0.1
done
tell "the cluster"

# ---- runs ----

options=(--seed 1 -s population.size=40 -s evolution.generations=6)
"$controller" run walk.ini "${options[@]}" -j 2 -o whole >whole.out 2>&1 || fail "$(cat whole.out)"
slurm=(-s farm.launcher=slurm -s farm.memory_mb=512)
log_of() { echo "$1/logs/controller.log"; }

# from the login side: each worker is a job
for count in 1 4 8; do
    "$controller" run walk.ini "${options[@]}" "${slurm[@]}" -j $count -o "login-$count" >"login-$count.out" 2>&1 ||
        fail "$(cat "login-$count.out" "login-$count/logs/worker-01.log")"
    same_runs whole "login-$count"
    hosts=$(sed -n 's/.* event=worker_ready .* host=\(n[1-4]\) job=[0-9]* step=0.*/\1/p' "$(log_of "login-$count")" | sort -u | wc -l)
    [ "$hosts" -ge $((count < 8 ? 1 : 2)) ] || fail "$count workers on $hosts hosts"
done
tell "from the login side"

# within a job: each worker is a step; their number is the job's
cat >inside.sbatch <<END2
#!/bin/sh
exec "$controller" run "$work/walk.ini" ${options[*]} ${slurm[*]} -o "\$1"
END2
for count in 1 4 8; do
    sbatch --quiet --wait --ntasks=$count --mem-per-cpu=700 --output=inside.out inside.sbatch "$work/inside-$count" ||
        fail "$(cat inside.out)"
    same_runs whole "inside-$count"
    [ "$(grep -c ' event=worker_ready ' "$(log_of "inside-$count")")" = $count ] || fail "not $count workers in the job"
done
tell "within a job"

# ---- disturbed ----

long=(--seed 2 -s population.size=40 -s evolution.generations=60)
"$controller" run walk.ini "${long[@]}" -j 2 -o long >long.out 2>&1 || fail "$(cat long.out)"
tell "a longer run"
start "$controller" run walk.ini "${long[@]}" "${slurm[@]}" -s farm.silence_s=3600 -j 6 -o disturbed >disturbed.out 2>&1
run=$pid
# the newest living worker ready on a host, or anywhere: "PID HOST JOB"
ready() {
    sed -n "s/.* event=worker_ready worker=[0-9]* pid=\([0-9]*\) host=\(${1:-n[1-4]}\) job=\([0-9]*\) .*/\1 \2 \3/p" "$(log_of disturbed)" | tac |
        while read -r words; do ! kill -0 "${words%% *}" 2>/dev/null || { echo "$words" && break; }; done
}
is_ready() { [ -n "$(ready "$@")" ]; }
# srun, host and job of such a one
choose() {
    wait_until "a worker is ready" is_ready
    read -r srun host job < <(ready)
}
# the processes of a job but its launcher: slurmstepds and simulators
of_job() { pgrep -f "^slurmstepd: \[$1[.]" || true; }
simulators_of() { for i in $(of_job "$1"); do pgrep -P "$i" || true; done; }
more() { # WHAT: the run goes on
    local at
    at=$(generation disturbed)
    wait_until "the run goes on after $1" has_reached disturbed $((at + 2))
    tell "$1 (generation $at)"
}
wait_until "the run begins" has_reached disturbed 1

choose
scancel "$job.0"
more "a cancelled step"

choose
# shellcheck disable=SC2046
kill -KILL $(simulators_of "$job") || true
more "a killed worker"

choose
kill -KILL "$srun"
more "a killed srun"

choose
kill -STOP "$srun"
more "a stopped srun"
kill -CONT "$srun"

choose
scontrol update "nodename=$host" state=drain reason=test
# shellcheck disable=SC2046
kill -KILL $(simulators_of "$job") || true
more "a drained node"
scontrol update "nodename=$host" state=resume

if is_ready n2; then
    read -r srun host job < <(ready n2)
    jobs=$(squeue -h -w n2 -o %i)
    kill -KILL "${slurmd_pids[1]}"
    for job in $jobs; do
        # shellcheck disable=SC2046
        kill -KILL $(of_job "$job") $(simulators_of "$job") 2>/dev/null || true
    done
    more "a lost node"
fi
wait "$run" || fail "disturbed: $(tail -n 5 disturbed.out)"
same_runs long disturbed
tell "disturbed"
scancel --quiet --user=root || true
start slurmd -D -N n2 >"$state/slurmd.n2.out" 2>&1
wait_until "all nodes are back" all_idle

# a full cluster: workers wait in the queue, which is no failed start
filler=$(sbatch --parsable --nodes=4 --ntasks=8 --output=/dev/null --wrap 'sleep 600')
fills() { [ "$(squeue -h -j "$filler" -o %T)" = RUNNING ]; }
wait_until "the cluster is full" fills
start "$controller" run walk.ini "${options[@]}" "${slurm[@]}" -s farm.start_s=1 -j 3 -o queued >queued.out 2>&1
run=$pid
three_wait() { [ "$(squeue -h -t PENDING -n simulator -o %i | wc -l)" = 3 ]; }
wait_until "the workers are in the queue" three_wait
sleep 2
scancel "$filler"
wait "$run" || fail "queued: $(cat queued.out)"
same_runs whole queued
! grep -q ' level=warn event=worker_exited ' "$(log_of queued)" || fail "a queued worker was a failed start"
[ -z "$(squeue -h -n simulator)" ] || fail "workers are left in the queue: $(squeue)"
tell "a full cluster"

# the example, requeued twice
export BESTIARY_BIN=$bin
job=$(sbatch --parsable --ntasks=4 --mem-per-cpu=700 --time=10 --output=requeued.out \
    "$root/examples/slurm/run.sbatch" "$work/requeued" "$work/walk.ini" "${long[@]}" -s farm.memory_mb=512)
must_wait() { [ "$(squeue -h -j "$job" -o %T)" = PENDING ]; }
# A requeued job waits for two minutes after the last of its steps has ended. It may start sooner, but in another second
# than the one in which its credential was revoked.
no_steps() { [ -z "$(of_job "$job")" ]; }
for at in 6 18; do
    wait_until "the job's run reaches generation $at" has_reached requeued $at
    scontrol requeue "$job"
    wait_until "the job is in the queue again" must_wait
    wait_until "its steps have ended" no_steps
    sleep 3
    scontrol update "jobid=$job" starttime=now
done
is_over() { [ -z "$(squeue -h -j "$job" 2>/dev/null)" ]; }
wait_until "the job ends" is_over
same_runs long requeued
grep -q 'going on in generation' requeued.out || fail "it did not go on: $(cat requeued.out)"
tell "requeued twice"
