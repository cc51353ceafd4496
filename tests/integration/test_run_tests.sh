#!/usr/bin/env bash
# The test runner itself: that it counts, that it fails when it must, that nothing run is a failure, and
# that tests run side by side, or alone.
set -euo pipefail
cd "$(dirname "$0")/../.."

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{scripts,tests/unit,tests/integration,build/tests/unit}
cp scripts/run-tests "$tree/scripts/"

# program NAME: its shell text is read from standard input
program() {
    touch "$tree/tests/unit/$1.c"
    { echo '#!/bin/sh' && cat; } >"$tree/build/tests/unit/$1"
    chmod +x "$tree/build/tests/unit/$1"
}
script() {
    { echo '#!/bin/sh' && cat; } >"$tree/tests/integration/$1.sh"
    chmod +x "$tree/tests/integration/$1.sh"
}
# expect STATUS CLOSING_LINE ARGUMENT...
expect() {
    local status=0 output
    output=$(BUILD=build TEST_TIMEOUT_S=${TIMEOUT_S:-1} "$tree/scripts/run-tests" "${@:3}" 2>&1) || status=$?
    if [ "$status" != "$1" ] || [ "$(tail -n 1 <<<"$output")" != "$2" ]; then
        printf 'run-tests %s: expected status %s and "%s", got status %s and:\n%s\n' \
            "${*:3}" "$1" "$2" "$status" "$output"
        exit 1
    fi
}

expect 1 "0 passed, 0 failed, 0 skipped" unit integration
program test_good <<<'echo "100%: Checks: 3, Failures: 0, Errors: 0"'
program test_two_suites <<<'for i in 1 2; do echo "100%: Checks: 2, Failures: 0, Errors: 0"; done'
script test_good <<<'exit 0'
script test_skipped <<<'echo "skipped: no chromium"; exit 77'
expect 0 "8 passed, 0 failed, 1 skipped" unit integration
expect 0 "3 passed, 0 failed, 0 skipped" unit test_good
expect 0 "1 passed, 0 failed, 0 skipped" integration 'test_g*'
# a source may stand in a folder; its program does not
mkdir "$tree/tests/unit/part"
mv "$tree/tests/unit/test_good.c" "$tree/tests/unit/part/"
expect 0 "3 passed, 0 failed, 0 skipped" unit test_good
mv "$tree/tests/unit/part/test_good.c" "$tree/tests/unit/"
rmdir "$tree/tests/unit/part"

program test_skipped <<<'echo "skipped: no such library"; exit 77'
expect 0 "0 passed, 0 failed, 1 skipped" unit test_skipped

program test_bad <<<'echo "50%: Checks: 4, Failures: 1, Errors: 1"; exit 1'
expect 1 "2 passed, 2 failed, 0 skipped" unit test_bad
program test_bad <<<'echo "50%: Checks: 4, Failures: 1, Errors: 1"; exit 0'
expect 1 "2 passed, 2 failed, 0 skipped" unit test_bad
program test_bad <<<'echo "100%: Checks: 4, Failures: 0, Errors: 0"; kill -SEGV $$'
expect 1 "3 passed, 1 failed, 0 skipped" unit test_bad
program test_bad <<<'exit 1'
expect 1 "0 passed, 1 failed, 0 skipped" unit test_bad
program test_bad <<<'exit 0'
expect 1 "0 passed, 1 failed, 0 skipped" unit test_bad
program test_bad <<<'sleep 20'
expect 1 "0 passed, 1 failed, 0 skipped" unit test_bad
rm "$tree/build/tests/unit/test_bad"
expect 1 "0 passed, 1 failed, 0 skipped" unit test_bad
script test_bad <<<'exit 3'
expect 1 "0 passed, 1 failed, 0 skipped" integration test_bad
# a mark takes a test out of its folder's kind, unless it is asked for by name
mv "$tree/tests/integration/test_bad.sh" "$tree/"
script test_marked <<<$'# runs: watched\nexit 3'
expect 1 "0 passed, 1 failed, 0 skipped" watched
expect 1 "0 passed, 1 failed, 0 skipped" integration test_marked
expect 1 "0 passed, 1 failed, 0 skipped" integration watched test_marked
expect 0 "1 passed, 0 failed, 1 skipped" integration
rm "$tree/tests/integration/test_marked.sh"
mv "$tree/test_bad.sh" "$tree/tests/integration/"
printf '/* Bad.\n * runs: seldom */\n' >"$tree/tests/unit/test_two_suites.c"
expect 1 "0 passed, 0 failed, 0 skipped" watched test_two_suites
expect 0 "4 passed, 0 failed, 0 skipped" seldom test_two_suites

# checks share a process where that is asked for, but those that must not
# shellcheck disable=SC2016
program test_bad <<<'[ "${CK_FORK:-}" != no ] || echo "100%: Checks: 2, Failures: 0, Errors: 0"'
expect 1 "0 passed, 1 failed, 0 skipped" unit test_bad
expect 0 "2 passed, 0 failed, 0 skipped" --one-process unit test_bad
printf '/* Dies.\n * checks: forked */\n' >"$tree/tests/unit/test_bad.c"
expect 1 "0 passed, 1 failed, 0 skipped" --one-process unit test_bad

# shellcheck disable=SC2016
script test_bad <<<'[ -z "${CK_FORK:-}" ]'
expect 0 "1 passed, 0 failed, 0 skipped" --one-process integration test_bad

# two that wait for each other end only side by side; one that is alone sees neither
rm "$tree"/tests/*/*
cat >"$tree/meet.sh" <<'END'
touch "$1.came"
tries=0
until [ -e "$2.came" ]; do
    tries=$((tries + 1))
    [ $tries -lt "$3" ] || exit 1
    sleep 0.05
done
END
meet() { # NAME OTHER TRIES
    rm -f "$tree"/*.came
    script "test_$1" <<<"exec sh '$tree/meet.sh' '$tree/$1' '$tree/$2' $3"
}
script test_alone <<<"# runs: alone
[ -e '$tree/left.came' ] && [ -e '$tree/right.came' ] && sleep 0.1"
meet left right 1000 && meet right left 1000
TIMEOUT_S=60 expect 0 "3 passed, 0 failed, 0 skipped" --jobs 2 integration
TIMEOUT_S=60 expect 0 "3 passed, 0 failed, 0 skipped" --jobs 9 integration
meet left right 2 && meet right left 2
expect 1 "2 passed, 1 failed, 0 skipped" --jobs 1 integration
expect 2 "run-tests: --jobs 0: not a number of jobs" --jobs 0 integration

# the long one goes first; each failure's output stays beside its line
rm "$tree"/tests/*/*
for name in a b; do script "test_$name" <<<"echo $name; [ -e '$tree/long' ] && exit 3"; done
script test_long <<<"# speed: long
touch '$tree/long'"
BUILD=build "$tree/scripts/run-tests" --jobs 1 integration >"$tree/out" && exit 1
sed 's/ *[0-9]* s *[0-9.]* s cpu$//' "$tree/out" | diff - <(cat <<'END'
ok   integration/test_long
FAIL integration/test_a                           exit status 3
    | a
    | run-tests: exit status 3
FAIL integration/test_b                           exit status 3
    | b
    | run-tests: exit status 3
1 passed, 2 failed, 0 skipped
END
)

# a runner's shell that is killed is a failure, too, and no endless wait
rm "$tree"/tests/*/*
script test_good <<<'exit 0'
# shellcheck disable=SC2016
script test_killer <<<'kill -KILL "$(cut -d" " -f4 /proc/$PPID/stat)"; sleep 20'
expect 1 "1 passed, 1 failed, 0 skipped" --jobs 2 integration
