#!/usr/bin/env bash
# Garbage on the simulator's standard input: a logged error and an exit code, never a crash or a hang.
# runs: watched
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# fed NAME: the simulator gets NAME on its standard input
fed() {
    local status=0
    timeout 60 "$bin/simulator" <"$1" >"$1.out" 2>"$1.err" || status=$?
    [ $status -lt 124 ] || fail "exit code $status (a signal or a hang) on $1: $(cat "$1.err")"
    if grep -q 'Sanitizer\|runtime error' "$1.err"; then fail "on $1: $(cat "$1.err")"; fi
    echo $status
}
# rejected NAME: it must also say that something is wrong
rejected() {
    local status
    status=$(fed "$1") || { echo "$status"; exit 1; }
    [ "$status" != 0 ] || fail "exit code 0 on $1"
    grep -q 'level=error' "$1.err" || fail "no logged error on $1: $(cat "$1.err")"
}

: >nothing
[ "$(fed nothing)" = 0 ] || fail "an empty input is not the end of work: $(cat nothing.err)"

printf '\377\377\377\377' >huge_frame
printf '\0\0\0\0' >empty_frame
printf '\0\0\0\1\301' >reserved_byte
printf '\0\0\0\5\335\377\377\377\377' >huge_array
printf '\0\0\0\2\221\177' >unknown_message
printf '\0\0\0\2\221\3' >short_task
printf '\0\0\0\2\220\220' >two_objects
printf 'GET / HTTP/1.1\r\n\r\n' >http
{ printf '\0\0\0\100' && head -c 64 /dev/zero | tr '\0' '\221'; } >deep
for name in huge_frame empty_frame reserved_byte huge_array unknown_message short_task two_objects \
    http deep; do
    rejected $name
done

# a frame that never ends, and much noise (the same each time)
printf '\0\0\0\100\221' >half
fed half >/dev/null
awk 'BEGIN { srand(1); for (i = 0; i < 65536; i++) printf "%c", int(rand() * 256) }' >noise
fed noise >/dev/null
