#!/usr/bin/env bash
# The creatures that come with the project: what is recorded of them is what the present programs come to.
# speed: long
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
simulator=$bin/simulator
cd "$root" || exit 1

stale=()
for file in examples/creatures/*.creature tests/creatures/*.creature; do
    "$simulator" evaluate "$file" >"$work/said" 2>&1 || true
    grep -q '^digest .* verified$' "$work/said" || stale+=("$file")
done
[ ${#stale[@]} = 0 ] || fail "not verified (scripts/record-creatures records them anew): ${stale[*]}"

# what is recorded anew is verified, with the same genome, parameters and seed, whatever was recorded before
copy=$work/copy.json
"$simulator" evaluate examples/creatures/swimmer-1.creature --record "$copy" >/dev/null || fail "a record as text"
cp "$copy" "$work/true.json"
sed -i 's/"digest": "\(.\)/"digest": "0\1/; s/\("digest": ".\{16\}\)[0-9a-f]"/\1"/; s/"fitness": [0-9.e-]*/"fitness": 1000/
    s/"simulator_version": [0-9]*/"simulator_version": 1/' "$copy"
evaluates() { # PATTERN WORD...
    "$simulator" evaluate "$copy" "${@:2}" >"$work/said" || fail "evaluate ${*:2}"
    grep -q "$1" "$work/said" || fail "evaluate ${*:2}: not '$1': $(head -n 12 "$work/said")"
}
records() { # PATTERN
    BUILD=$(dirname "$bin") scripts/record-creatures "$copy" >"$work/said" || fail "record-creatures: $(cat "$work/said")"
    grep -q "$1" "$work/said" || fail "record-creatures says: $(cat "$work/said")"
}
evaluates '^digest .* other version$'
records ': recorded anew: ok fitness '
cmp -s "$copy" "$work/true.json" || fail "recorded otherwise: $(diff "$copy" "$work/true.json" | head -n 9)"
records ': verified, stays as it is$'
# by other parameters: they are in the record
evaluates ' not compared$' -s world.gravity_m_s2=1 --seed 5 --record "$copy"
evaluates '^digest .* verified$'

# Each one passes its exam, or is a beginning: a body whose brain an example trains, or a lesson. CREATURE, its PARAMETERS (-: those of
# its record), and the LEAST median of the exam's starts at a quarter of the step, or why it sits none. A tenth is drawn, by the commit;
# EXAMS=all has all of them, in six minutes of processor time.
cat >"$work/table" <<'END_OF_TABLE'
arm seek-land3d lesson: a spherical joint, and what an arm alone can do
beetle beetle3d beginning: a plan whose brain is to be trained
biped walk lesson: it falls and crawls on, something to mend
biped3d walk3d lesson: it keeps its feet from most starts by one solver
bird herd beginning: a plan whose brain is to be trained
caterpillar caterpillar beginning: the brain is to be trained
dog dog3d beginning: a plan whose brain is to be trained
earthworm worm 1.4
fish swim 0.7
fish3d fish3d beginning: a plan whose brain is to be trained
flapper fly lesson: it climbs, by the default solver
flyer fly 39
frog jump3d lesson: the other solver takes minutes for it
hopper hopper beginning: the brain is to be trained
hound seek-land3d beginning: it falls where lights are behind it
inchworm swim 1.7
land-seeker-1 - beginning: it falls from most starts
land-seeker-2 - beginning: it falls from most starts
land-seeker-3 - beginning: it falls from most starts
lizard herd beginning: a plan whose brain is to be trained
minnow vent beginning: a small swimmer of a water whose families are to be seen
mite origin beginning: a poor swimmer, which others are to outlive
moth fly3d 7
pike pike beginning: it hunts what does not flee
pusher walk 3.8
quadruped walk3d 4.4
ray swim3d 0.44
seeker seek 0.3
seeker3d seek3d 0.15
serpent fish3d beginning: a plan whose brain is to be trained
shy-minnow pike beginning: a minnow that turns away from mouths
snake swim3d 1.6
spider spider beginning: the brain is to be trained
strider walk 12
strider3d walk3d lesson: it walks on what is above its small toes, and that is belly
swimmer-1 - 7
swimmer-2 - 3.4
swimmer-3 - 6
swimmer-4 - 3.2
swimmer-5 - 5.5
tadpole swim 0.48
tail swim 1.5
toad herd beginning: a plan whose brain is to be trained
tripod tripod beginning: the brain is to be trained
turtle herd beginning: a plan whose brain is to be trained
walker-1 - 17
walker-2 - 9
walker-3 - 3.8
water-seeker-1 - 0.3
water-seeker-2 - 0.3
END_OF_TABLE
for file in examples/creatures/*; do
    name=$(basename "${file%.*}")
    grep -q "^$name " "$work/table" || fail "$file stands in no row of the table"
done
drawn=$(($(git rev-parse HEAD 2>/dev/null | cksum | cut -d ' ' -f 1) % 10)) number=0
while read -r name params least; do
    file=$(echo "examples/creatures/$name".*)
    [ -f "$file" ] || fail "$name is in the table only"
    [[ $least == [0-9]* ]] || continue
    number=$((number + 1))
    [ "${EXAMS:-}" = all ] || [ $((number % 10)) = $drawn ] || continue
    # shellcheck disable=SC2046  # no word, or one
    "$simulator" evaluate "$file" $([ "$params" = - ] || echo "examples/$params.ini") --referee --json >"$work/exam" || fail "$file"
    grep -q '^ *"holds": true' "$work/exam" || fail "$file does not pass its exam: $(grep -A 8 '"holds"' "$work/exam")"
    median=$(sed -n 's/^ *"fine_median": \([0-9.e+-]*\),/\1/p' "$work/exam")
    awk -v a="$median" -v b="$least" 'BEGIN { exit !(a >= b) }' || fail "$file: $median in its exam, less than $least"
    echo "$name: $median"
done <"$work/table"
