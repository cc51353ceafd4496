#!/usr/bin/env bash
# A seeker that was bred under moving lights goes to lights that stand still, on a circle around it, eight
# places; and blind (its eyes switched off) it does not.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

seek() { # x, y, settings: the share of the distance to the light by which it was nearer than at the start
    "$bin/simulator" evaluate "$root/examples/creatures/seeker.json" "$root/examples/seek.ini" --seed 1 \
        -s light.kind=still -s "light.x_m=$1" -s "light.y_m=$2" "${@:3}" |
        sed -n 's/^follow_share *\([-0-9.e]*\).*/\1/p'
}

: >seeing
: >blind
for place in "2 0" "1.4 1.4" "0 2" "-1.4 1.4" "-2 0" "-1.4 -1.4" "0 -2" "1.4 -1.4"; do
    # shellcheck disable=SC2086
    { seek $place >>seeing && seek $place -s sensor.light=no >>blind; }
done
[ "$(wc -l <seeing)" = 8 ] || fail "not eight shares: $(cat seeing)"
awk '{ sum += $1; if ($1 < 0.3) bad = 1 } END { exit bad || sum < 0.45 * NR }' seeing ||
    fail "it does not follow the light everywhere: $(cat seeing)"
# who sees nothing comes no nearer to any of them
awk '$1 > 0.15 { bad = 1 } END { exit bad }' blind || fail "it follows the light without eyes: $(cat blind)"
