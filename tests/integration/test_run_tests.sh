#!/usr/bin/env bash
# The test runner itself: that it counts, that it fails when it must, and that nothing run is a failure.
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
    output=$(BUILD=build TEST_TIMEOUT_S=1 "$tree/scripts/run-tests" "${@:3}" 2>&1) || status=$?
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
printf '# speed: slow\nexit 3\n' | script test_bad
expect 1 "0 passed, 0 failed, 0 skipped" --no-slow integration test_bad
