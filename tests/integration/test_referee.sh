#!/usr/bin/env bash
# simulator evaluate --referee and --solver: the fitness side by side, what is said of them, and that an
# artefact of the step is told from a motion that holds.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
simulator=$bin/simulator
creatures=$root/examples/creatures

swim() {
    "$simulator" evaluate "$creatures/fish.json" "$root/examples/swim.ini" \
        -s simulation.duration_s=2 "$@"
}
# row NAME FIELD FILE: of a table
row() { awk -v name="$1" -v field="$2" '$1 == name { value = $field } END { print value }' "$3"; }

# a swimmer holds at a quarter of the step and with the other solver; itself it is as without referee
swim >plain
swim --referee --solver constraint >judged
cmp <(sed -n '3p;9,42p' plain) <(sed -n '3p;9,42p' judged) || fail "the referee changed something"
[ "$(grep -c ': holds: keeps' judged)" = 2 ] || fail "it does not hold: $(cat judged)"
grep -q '^articulated at 0.001042 s: holds: keeps .* % of its fitness (swim), 70 % are' judged ||
    fail "no verdict on the quarter step: $(cat judged)"
grep -q '^constraint at 0.004167 s: holds' judged || fail "no verdict of the solver: $(cat judged)"
grep -q '^verdict  *ok  *ok  *ok *$' judged || fail "no verdicts side by side: $(cat judged)"
awk '$1 == "fitness" && NF == 6 { ok = $2 > 0 && $4 > 0.99 && $4 < 1.01 && $6 > 0.99 && $6 < 1.01 }
     END { exit !ok }' judged || fail "no fitness side by side: $(cat judged)"

# the same as evaluating with that step, and with that solver
swim -s simulation.dt_s=0.0010416666666666667 >fine
[ "$(row displacement_m 2 fine)" = "$(row displacement_m 3 judged)" ] || fail "the quarter step is another one"
swim --solver constraint >other
[ "$(row displacement_m 2 other)" = "$(row displacement_m 5 judged)" ] || fail "the solver is another one"
[ "$(row fitness 2 judged)" != "$(row fitness 3 judged)" ] || fail "the referee repeated the evaluation"

# as JSON
swim --referee --solver constraint --json >judged.json
[ "$(grep -o '"holds": true' judged.json | wc -l)" = 2 ] || fail "$(cat judged.json)"
grep -q '"behaviour": "swim"' judged.json || fail "what the fitness is: $(cat judged.json)"
grep -q '"solver": "constraint"' judged.json || fail "no other solver: $(cat judged.json)"

# what is a matter of the step does not hold
walk() {
    "$simulator" evaluate "$creatures/$1" "$root/examples/walk.ini" --referee "${@:2}" \
        -s simulation.dt_s=0.0166 -s guard.energy_share=0 -s guard.turn_rad=0 \
        -s guard.penetration_m=0 -s guard.reversals_hz=0 -s creature.strength_n=10 -s creature.hill_curvature=0
}
{ walk biped.json -s creature.servo_rad_s=200; walk inchworm.json -s creature.effector_mode=torque; } >bad
grep -q 'does not hold' bad || fail "an artefact holds: $(cat bad)"

status=0
swim --solver best 2>err || status=$?
[ $status = 2 ] || fail "--solver best: status $status"

# the solver constraint moves no spheres: the default does, which is no second opinion, and is said
crawl() {
    "$simulator" evaluate "$creatures/caterpillar.json" "$root/examples/caterpillar.ini" --solver "$@"
}
crawl articulated >default
crawl constraint >other
grep -q '^solver    constraint moves no spheres' other || fail "nothing is said: $(cat other)"
! grep -q '^solver' default || fail "it is said of the default: $(cat default)"
[ "$(row displacement_m 2 default)" = "$(row displacement_m 2 other)" ] || fail "another motion"
crawl constraint --referee >judged
[ "$(grep -c ' at 0.00.* its fitness' judged)" = 1 ] || fail "the same motion is an opinion: $(cat judged)"
crawl rejection >rejected
grep -Eq '^verdict   (energy|momentum)' rejected || fail "what makes energy or momentum has a score: $(cat rejected)"
