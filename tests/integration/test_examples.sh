#!/usr/bin/env bash
# Each example creature names, in its note, the parameter file that it fits, and does something there: it is not
# disqualified, and goes some way. Each parameter file is accepted.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root" || exit 1
for creature in examples/creatures/*.json; do
    params=$(grep -o '"note": .*' "$creature" | grep -o 'examples/[a-z0-9-]*\.ini' | sort -u)
    [ "$(wc -w <<<"$params")" = 1 ] || fail "$creature names not one parameter file: $params"
    "$bin/simulator" evaluate "$creature" "$params" >"$work/out" 2>"$work/err" || fail "$creature with $params"
    [ ! -s "$work/err" ] || fail "$creature with $params: $(cat "$work/err")"
    grep -q '^verdict   ok: ' "$work/out" || fail "$creature with $params: $(cat "$work/out")"
    awk '$1 == "path_m" {exit !($2 > 0.3)}' "$work/out" || fail "$creature goes nowhere: $(cat "$work/out")"
    grep -q "^note .*$params" "$work/out" || fail "its note is not shown: $(cat "$work/out")"
done
# without its file a worm lies still, and each program says why
off='these parameters switch off some genes (on: -s creature.stretch_max=0.5)'
worm=examples/creatures/earthworm.json
for verb in "evaluate $worm" "export $worm --trajectory $work/worm.csv" "contest $worm $worm"; do
    # shellcheck disable=SC2086
    "$bin/simulator" $verb examples/swim.ini >"$work/out" 2>"$work/err" || fail "$verb"
    grep -qF "$worm: $off" "$work/err" || fail "$verb: $(cat "$work/err")"
done
if [ -x "$bin/viewer" ]; then
    "$bin/viewer" "$worm" --export "$work/worm.html" >"$work/out" || fail "viewer $worm"
    grep -qF "$off" "$work/out" || fail "viewer $worm: $(cat "$work/out")"
    grep -qF "$off" "$work/worm.html" || fail "a page of $worm does not say what is off"
fi
for params in examples/*.ini; do
    "$bin/simulator" evaluate examples/creatures/pusher.json "$params" >"$work/out" || fail "$params"
done
# the creature that README.md shows goes far
model=$(sed -n 's,^ *cp \(examples/creatures/[a-z]*\.json\) .*,\1,p' README.md)
"$bin/simulator" evaluate "$model" examples/walk.ini >"$work/out" || fail "$model"
awk '$1 == "fitness" {exit !($2 > 3)}' "$work/out" || fail "README's $model is hardly worth a look: $(cat "$work/out")"
"$bin/simulator" evaluate "$model" examples/walk.ini --referee >"$work/out" || fail "$model, referee"
grep -q ': holds: ' "$work/out" || fail "README's $model walks so at this step only: $(cat "$work/out")"
# those of boxes that swim, fly and walk steadily have the same score at a quarter of the step
score() { # CREATURE OPTION...
    local params
    params=$(grep -o 'examples/[a-z0-9-]*\.ini' "examples/creatures/$1.json" | head -n 1)
    "$bin/simulator" evaluate "examples/creatures/$1.json" "$params" --seed 1 "${@:2}" | awk '$1 == "fitness" {print $2}'
}
for creature in snake ray moth tadpole seeker3d quadruped; do
    coarse=$(score $creature --trial entry) fine=$(score $creature --trial entry+finer-2)
    awk -v a="$coarse" -v b="$fine" 'BEGIN {exit !(a > 0 && a / b > 0.97 && a / b < 1.03)}' || fail "$creature: $coarse, at a quarter of the step $fine"
done
# walkers keep on their legs from starts that are off by a little, at a quarter of the step, too; and the constraint solver's ledger balances
# where feet strike, slide and jam
near=(-s exam.turn_rad=0.001 -s exam.drop_m=0 -s exam.slope_rad=0)
while read -r walker way_m; do
    for start in 1 4 5 8; do
        for trial in "perturbed-$start" "perturbed-$start+finer-2"; do
            "$bin/simulator" evaluate "examples/creatures/$walker.json" examples/walk3d.ini --trial "entry+$trial" "${near[@]}" >"$work/out" || fail "$walker, $trial"
            awk -v way="$way_m" '$1 == "way_x_m" && $2 > way || $1 == "way_y_m" && $2 > -0.03 {good++} END {exit good != 2}' "$work/out" ||
                fail "$walker falls, $trial: $(cat "$work/out")"
        done
        "$bin/simulator" evaluate "examples/creatures/$walker.json" examples/walk3d.ini --trial "entry+perturbed-$start" \
            "${near[@]}" --solver constraint -s simulation.duration_s=0.5 >"$work/out" || fail "$walker, constraint"
        awk '$1 == "residual_share" {exit !($2 < 5e-4)}' "$work/out" || fail "constraint's ledger of $walker: $(cat "$work/out")"
    done
done <<'END'
quadruped 6
biped3d 4.5
END
