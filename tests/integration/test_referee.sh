#!/usr/bin/env bash
# simulator evaluate --referee, --trial and --solver: the exam's trials, what is said of them, and that an
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

# a swimmer passes the champion's exam; its own evaluation is as without referee
swim >plain
swim --referee >judged
cmp <(sed -n '3p;9,42p' plain) <(sed -n '3p;9,42p' judged) || fail "the referee changed something"
[ "$(grep -c '^from perturbed start \(9\|1[0-2]\) at h with solver constraint *ok ' judged)" = 4 ] ||
    fail "not four by the other solver: $(cat judged)"
[ "$(grep -c '^from perturbed start \(9\|1[0-6]\) at h/4 *ok ' judged)" = 8 ] || fail "not eight fine ones: $(cat judged)"
awk '/^from perturbed/ { count += $(NF - 2) > 90 && $(NF - 2) < 110 && $NF < 5 }
     END { exit count != 12 }' judged || fail "what they keep: $(cat judged)"
grep -q 'h/4 (median of 8, passed 8 of 8), .* with solver constraint (least of 4, passed 4 of 4): holds: 7 of 8 must keep 70 %' judged ||
    fail "no verdict: $(cat judged)"

# each line is the trial that --trial makes
score() { awk -v words="$1" 'index($0, words) == 1 { print $(NF - 3) }' judged; }
for trial in "champion+perturbed-11+other-solver:from perturbed start 11 at h with solver constraint" \
    "champion+perturbed-16+finer-2:from perturbed start 16 at h/4"; do
    swim --trial "${trial%%:*}" >alone
    [ "$(awk '$1 == "fitness" { printf "%.6g", $2; exit }' alone)" = "$(score "${trial#*:}")" ] ||
        fail "$trial: $(cat alone judged)"
done

# as JSON
swim --referee --json >judged.json
grep -q '"behaviour": "swim"' judged.json || fail "what the fitness is: $(cat judged.json)"
python3 - <<'END' || fail "$(cat judged.json)"
import json

referee = json.load(open("judged.json"))["referee"]
trials = {trial["trial"]: trial for trial in referee["trials"]}
least = min(trials[f"champion+perturbed-{i}+other-solver"]["fitness"] for i in range(9, 13))
assert len(trials) == 12 and referee["holds"] and referee["solver_least"] == least, referee
assert referee["fine_passed"] == 8 == referee["fine_starts"] and referee["pass_needed"] == 7, referee
END

# what is a matter of the step does not hold
walk() {
    "$simulator" evaluate "$creatures/$1" "$root/examples/walk.ini" --referee "${@:2}" \
        -s simulation.dt_s=0.0166 -s guard.energy_share=0 -s rectangles.strength_n=10 -s creature.hill_curvature=0
}
walk strider.json -s rectangles.strength_n=30 >bad
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
crawl articulated --referee >judged
[ "$(grep -c '^from perturbed' judged)" = 8 ] || fail "the same motion is an opinion: $(cat judged)"
crawl rejection >rejected 2>err && fail "a solver that is gone moves creatures"
grep -q 'is not one of articulated|constraint' err || fail "$(cat err)"
