#!/usr/bin/env bash
# Seekers go to lights that stand still, on a circle around them, eight places; and blind (their eyes switched off) they do
# not: one in the plane, bred under moving lights, and one in space, made by hand, by both solvers.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# creature, parameters, settings: of each place the share of the distance to the light by which it was nearer than at the start
seek() {
    local place x y
    for place in "2 0" "1.4 1.4" "0 2" "-1.4 1.4" "-2 0" "-1.4 -1.4" "0 -2" "1.4 -1.4"; do
        read -r x y <<<"$place"
        "$bin/simulator" evaluate "$root/examples/creatures/$1" "$root/examples/$2" --seed 1 \
            -s light.kind=still -s "light.x_m=$x" -s "light.y_m=$y" "${@:3}" |
            sed -n 's/^follow_share *\([-0-9.e]*\).*/\1/p'
    done
}

# file, least share, least mean: the shares are eight, and none is less
follows() {
    awk -v least="$2" -v mean="$3" '{ sum += $1; if ($1 < least) bad = 1 } END { exit bad || NR != 8 || sum < mean * NR }' "$1"
}

seek seeker.json seek.ini >seeing
follows seeing 0.3 0.45 || fail "it does not follow the light everywhere: $(cat seeing)"
# a blind creature comes no nearer to any of them
seek seeker.json seek.ini -s sensor.light=no >blind
awk '$1 > 0.15 { bad = 1 } END { exit bad || NR != 8 }' blind || fail "it follows the light without eyes: $(cat blind)"

for solver in articulated constraint; do
    seek seeker3d.json seek3d.ini -s simulation.solver=$solver >seeing
    follows seeing 0.2 0.45 || fail "in space, $solver, it does not follow the light everywhere: $(cat seeing)"
done
# blind it swims straight on, to those ahead of it only
seek seeker3d.json seek3d.ini -s sensor.light=no >blind
awk '{ sum += $1 } END { exit NR != 8 || sum > 0.1 * NR }' blind || fail "in space it follows the light without eyes: $(cat blind)"
