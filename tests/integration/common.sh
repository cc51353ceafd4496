# shellcheck shell=bash
# Sourced by the scripts beside it: finds the programs of $BUILD, makes a temporary directory $work and
# goes there, removes it at the end with all processes that were started with `start`.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
case ${BUILD:-build} in
/*) bin=$BUILD/bin ;;
*) bin=$root/${BUILD:-build}/bin ;;
esac
[ -x "$bin/controller" ] || { echo "there is no $bin/controller: run make first" >&2; exit 1; }
[ -x "$bin/simulator" ] || { echo "there is no $bin/simulator: run make first" >&2; exit 1; }

work=$(mktemp -d)
started=()
clean_up() {
    local pid
    for pid in "${started[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
    cd / && rm -rf "$work"
}
trap clean_up EXIT
cd "$work"

cat >walk.ini <<'END'
[population]
size = 20
[evolution]
generations = 4
search = sims
[simulation]
duration_s = 2
[farm]
commit_s = 0.02
END

fail() {
    echo "FAIL: $*"
    exit 1
}

# wait_until WHAT COMMAND...: until the command succeeds; a minute at most.
wait_until() {
    local what=$1 tries=0
    shift
    until "$@"; do
        tries=$((tries + 1))
        [ $tries -lt 700 ] || fail "waited in vain: $what"
        if [ $tries -lt 100 ]; then sleep 0.02; else sleep 0.1; fi
    done
}

# start COMMAND...: in the background; the process is $pid.
start() {
    "$@" &
    pid=$!
    started+=("$pid")
}

# chooses RUN: while its controller, $pid, is at work, each generation that waits for choices is bred from its second.
chooses() {
    local id
    until is_gone "$pid"; do
        sleep 0.05
        "$bin/controller" status "$1" --json 2>/dev/null | grep -q '^  "state": "waiting"' || continue
        id=$("$bin/controller" choose "$1" | awk '$1 ~ /^[0-9]+$/ && ++n == 2 {print $1}')
        { "$bin/controller" choose "$1" "$id" breed && "$bin/controller" choose "$1" --next; } >/dev/null 2>&1 || true
    done
}

# is_gone PID: no such process, or one that is dead and waits for its parent.
is_gone() {
    local state
    state=$(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null) || true
    [ -z "$state" ] || [ "$state" = Z ] || [ "$state" = X ]
}

# generation RUN_DIR: the number of the generation under way, as the log has it; -1 if there is none yet.
generation() {
    local number
    number=$(awk '/ event=run / { sub(/.* generation=/, ""); at = $1 }
        / event=generation / { sub(/.* number=/, ""); at = $1 + 1 } END { print at }' "$1/logs/controller.log" 2>/dev/null) || true
    echo "${number:--1}"
}
has_reached() { # RUN_DIR GENERATION
    [ "$(generation "$1")" -ge "$2" ]
}

# workers RUN_DIR: the process ids of all simulators the run ever started.
workers() {
    sed -n 's/.* event=worker_started .* pid=\([0-9]*\).*/\1/p' "$1/logs/controller.log"
}

# no_worker_is_left RUN_DIR
no_worker_is_left() {
    local worker
    for worker in $(workers "$1"); do
        wait_until "worker $worker of $1 ends" is_gone "$worker"
    done
}

# same_runs A B: the digests of two runs are equal.
same_runs() {
    "$bin/controller" digest "$1" >"$1.digest"
    "$bin/controller" digest "$2" >"$2.digest"
    diff "$1.digest" "$2.digest" || fail "$1 and $2 differ, see above"
}

# says PATTERN COMMAND...: succeeds, and some line it prints matches the (extended) pattern.
says() {
    local pattern=$1
    shift
    "$@" >says.out 2>&1 || fail "exit code $?: $* ($(cat says.out))"
    grep -Eq -- "$pattern" says.out || fail "no '$pattern' in what this prints: $* ($(cat says.out))"
}

# refused CODE PATTERN COMMAND...: ends with that exit code and one line on standard error that
# matches the (extended) pattern.
refused() {
    local code=$1 pattern=$2 status=0
    shift 2
    "$@" >refused.out 2>refused.err </dev/null || status=$?
    [ "$status" = "$code" ] ||
        fail "exit code $status instead of $code: $* ($(cat refused.err))"
    [ "$(wc -l <refused.err)" = 1 ] ||
        fail "not one line on standard error: $* ($(cat refused.err))"
    grep -Eq -- "$pattern" refused.err ||
        fail "no '$pattern' in the message of: $* ($(cat refused.err))"
}
