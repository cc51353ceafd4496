#!/usr/bin/env bash
# A preserve from the command line: it repeats, its energy adds up, and what cannot live there is said.
# runs: watched
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
creatures=$root/examples/creatures
preserve() { "$bin/controller" preserve "$creatures/fish.json" "$creatures/seeker.json" --see light:object --minutes 1 -s preserve.founders=6 "$@"; }

preserve --log >one.txt || fail "a preserve"
preserve --log >two.txt || fail "again"
cmp one.txt two.txt || fail "it does not repeat"
preserve -s seed=2 >other.txt || fail "another seed"
cmp -s <(tail -1 one.txt) <(tail -1 other.txt) && fail "seeds do not matter"
grep -Eq '^ +[0-9.]+ s  [0-9]+ of family [0-5] hatches' one.txt || fail "nobody is born"
read -r sum stores < <(sed -En 's/^ledger .* = ([0-9]+) uJ; stores hold ([0-9]+)$/\1 \2/p' one.txt)
[ "$sum" = "$stores" ] || fail "ledger: $sum is not $stores"

refused 2 'expected creature files' "$bin/simulator" preserve
refused 2 'there is no preserve of boxes' "$bin/simulator" preserve "$creatures/tadpole.json"
refused 2 'a preserve is water' "$bin/simulator" preserve "$creatures/fish.json" -s world.preset=land
refused 2 'whole cells' "$bin/simulator" preserve "$creatures/fish.json" -s preserve.width_m=10.1
refused 2 'minutes' "$bin/simulator" preserve "$creatures/fish.json" --minutes 0
refused 1 'no-such' "$bin/simulator" preserve no-such.creature
