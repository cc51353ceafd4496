#!/usr/bin/env bash
# Two hosts, here two network namespaces, and a link between them that is down for ten seconds: one worker is here, one
# there. The run goes on meanwhile, and is the same.
# shellcheck source=/dev/null disable=SC2154
command -v python3 ip unshare >/dev/null || { echo "skip: needs python3, ip and unshare"; exit 77; }
if [ "${1:-}" != inside ]; then
    # namespaces of our own, which end with their last process
    for user in '' '--user --map-root-user'; do
        # shellcheck disable=SC2086
        if unshare $user --net --mount true 2>/dev/null; then
            exec unshare $user --net --mount "$(realpath "${BASH_SOURCE[0]}")" inside
        fi
    done
    echo "skip: no network namespaces here"
    exit 77
fi
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
controller=$bin/controller
if ! { mount -t tmpfs none /run 2>/dev/null && mkdir -p /run/netns; }; then
    echo "skip: nothing can be mounted here"
    exit 77
fi
ip netns add there 2>/dev/null || { echo "skip: no network namespaces here"; exit 77; }
if ! { ip link add here0 type veth peer name there0 && ip link set there0 netns there; }; then
    echo "skip: no veth here"
    exit 77
fi
ip addr add 10.77.0.1/24 dev here0 && ip link set here0 up
ip -n there addr add 10.77.0.2/24 dev there0 && ip -n there link set there0 up && ip -n there link set lo up

cat >server.py <<'END2'
"""Starts the program for each connection, which is its standard input and output."""
import socket, subprocess, sys
listener = socket.create_server(("10.77.0.2", 7000))
while True:
    connection, _ = listener.accept()
    subprocess.Popen(sys.argv[1:], stdin=connection, stdout=connection, stderr=subprocess.DEVNULL)
    connection.close()
END2
cat >client.py <<'END2'
"""A launcher: the first worker is there, the others are here."""
import os, select, socket, sys
try:
    open("first", "x").close()
except FileExistsError:
    os.execv(sys.argv[1], sys.argv[1:])
there = socket.create_connection(("10.77.0.2", 7000))
while True:
    for ready in select.select([0, there], [], [])[0]:
        data = os.read(0, 65536) if ready == 0 else there.recv(65536)
        if not data and ready == 0:
            there.shutdown(socket.SHUT_WR)
            while data := there.recv(65536):
                os.write(1, data)
        if not data:
            sys.exit(0)
        if ready == 0:
            there.sendall(data)
        else:
            os.write(1, data)
END2
start ip netns exec there python3 server.py "$bin/simulator"
reaches() { python3 -c 'import socket; socket.create_connection(("10.77.0.2", 7000), 1).close()' 2>/dev/null; }
wait_until "the other host answers" reaches

options=(--seed 3 -j 2 -s evolution.generations=40)
"$controller" run walk.ini "${options[@]}" -o whole >whole.out 2>&1 || fail "$(cat whole.out)"
start "$controller" run walk.ini "${options[@]}" -s farm.launcher="python3 $work/client.py" -o apart >apart.out 2>&1
run=$pid
both_ready() { [ "$(grep -c ' event=worker_ready ' apart/logs/controller.log 2>/dev/null)" = 2 ]; }
wait_until "both workers are ready" both_ready
wait_until "the run begins" has_reached apart 1
ip link set here0 down
at=$(generation apart)
sleep 10
has_reached apart $((at + 1)) || fail "the run stood still while the link was down"
ip link set here0 up
wait "$run" || fail "$(cat apart.out)"
same_runs whole apart
grep -q ' event=copied ' apart/logs/controller.log || fail "nothing was copied: the link was not missed"
