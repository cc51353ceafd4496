#!/usr/bin/env bash
# simulator scene: the examples on both solvers, the trace's shape, options and their errors.
# runs: watched
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
simulator=$bin/simulator

for scene in "$root"/examples/scenes/*.json; do
    for solver in articulated constraint; do
        if grep -q '"loops"' "$scene" && [ $solver = articulated ]; then
            "$simulator" scene "$scene" --solver $solver >out 2>err && fail "$scene on $solver"
            grep -q 'closed loops are moved by the constraint solver only' err || fail "$(cat err)"
            continue
        fi
        "$simulator" scene "$scene" --solver $solver --until 1 --trace trace.csv \
            --contacts contacts.csv >summary || fail "$scene on $solver"
        [ "$(awk -F, '{print NF}' contacts.csv | sort -u)" = 10 ] || fail "$scene: ragged contacts"
        [ "$(wc -l <trace.csv)" = 62 ] || fail "$scene on $solver: not 61 lines"
        [ "$(awk -F, '{print NF}' trace.csv | sort -u | wc -l)" = 1 ] || fail "$scene: ragged trace"
        grep -q residual summary || fail "$scene: no summary"
    done
done

# in three dimensions
for scene in "$root"/examples/scenes/space/*.json; do
    for choice in '--integrator auto' '--integrator midpoint' '--solver constraint --rtol 1e-7'; do
        # shellcheck disable=SC2086
        "$simulator" scene "$scene" $choice --until 1 --trace trace.csv >summary || fail "$scene by $choice"
        [ "$(wc -l <trace.csv)" = 62 ] || fail "$scene by $choice: not 61 lines"
        [ "$(awk -F, '{print NF}' trace.csv | sort -u | wc -l)" = 1 ] || fail "$scene: ragged trace"
        grep -q residual summary || fail "$scene: no summary"
    done
done
head -1 trace.csv | grep -q ',com_z_m,' || fail "no z"

# boxes come to rest on one another, and the ground carries both: 3 kg for a step
for solver in articulated constraint; do
    "$simulator" scene "$root"/examples/scenes/space/stack.json --solver $solver --until 3 --trace a.csv \
        --contacts c.csv >/dev/null
    awk -F, '$1 > 2.9 && $3 == "ground" {n++; sum += $9} END {exit !(n > 10 && sum / n > 0.122 && sum / n < 0.123)}' \
        c.csv || fail "$solver: the ground carries: $(tail -2 c.csv)"
done

# every step's contacts are there, and their impulses carry the block
"$simulator" scene "$root"/examples/scenes/sliding-block.json --until 1 --contacts c.csv >/dev/null
awk -F, 'NR > 1 && ($2 != "block" || $3 != "ground") {exit 1} NR > 1 {sum += $9}
    END {exit !(sum > 11.7719 && sum < 11.7721)}' c.csv || fail "contacts of the block"

# columns are named after the kind of the joint
"$simulator" scene "$root"/examples/scenes/carriage.json --until 1 --trace c.csv >/dev/null
head -1 c.csv | grep -q ',carriage_joint_m,carriage_joint_m_s,carriage_force_n,' || fail "carriage"
head -1 c.csv | grep -q ',bob_joint_rad,bob_joint_rad_s,bob_torque_n_m,' || fail "bob"

# the same twice, and to standard output
block=$root/examples/scenes/sliding-block.json
"$simulator" scene "$block" --trace a.csv >/dev/null
"$simulator" scene "$block" --trace - >b.csv
cmp a.csv b.csv || fail "the same scene moved in two ways"
"$simulator" scene "$block" --dt 1/960 --interval 1/10 --until 0.5 --trace c.csv >/dev/null
[ "$(wc -l <c.csv)" = 7 ] || fail "--interval: $(wc -l <c.csv) lines"

# refuse STATUS WORDS ARGUMENT...
refuse() {
    local status=0 words=$2
    "$simulator" scene "${@:3}" >out 2>err || status=$?
    [ "$status" = "$1" ] || fail "scene ${*:3}: status $status"
    [ "$(wc -l <err)" = 1 ] || fail "scene ${*:3}: not one line: $(cat err)"
    grep -q -- "$words" err || fail "scene ${*:3}: $(cat err)"
}
# a box on a light one stays there, or the scene says that the contacts could not hold it
pile() {
    cat >pile.json <<EOF
{"scene": 1, "world": {"ground": true, "friction": 0.6}, "bodies": [
  {"name": "bottom", "rectangles": [{"width_m": 0.4, "height_m": 0.2, "mass_kg": $1}], "position_m": [0, 0.1]},
  {"name": "top", "rectangles": [{"width_m": 0.4, "height_m": 0.2, "mass_kg": 100}], "position_m": [0.1, 0.3]}]}
EOF
}
pile 0.01
"$simulator" scene pile.json --until 10 --trace c.csv >/dev/null
tail -1 c.csv | awk -F, '{exit !($3 > 0.2999)}' || fail "a heavy box sank: $(tail -1 c.csv)"
for mass in 0.0001 0.0000001; do
    pile $mass
    if "$simulator" scene pile.json --until 10 --trace c.csv >/dev/null 2>err; then
        tail -1 c.csv | awk -F, '{exit !($3 > 0.2999)}' || fail "a heavy box sank: $(tail -1 c.csv)"
    else
        grep -q 'contacts cannot hold' err || fail "a heavy box: $(cat err)"
    fi
done

# bodies in any order: another one stands between two that a joint joins
between() { # DIMENSIONS SHAPES VISCOSITY AT_A AT_B AT_C
    echo '{"scene": 1, '"$1"' "world": {"ground": true, "'"$3"'": 2, "drag_exposure": true}, "bodies": [
        {"name": "a", '"$2"', "position_m": ['"$4"']}, {"name": "b", '"$2"', "position_m": ['"$5"']},
        {"name": "c", '"$2"', "joint": {"to": "a", "kind": "rigid", "at_m": ['"$6"']}}]}' >between.json
}
for solver in articulated constraint; do
    between '"dimensions": 3,' '"boxes": [{"size_m": [0.3, 0.2, 0.2], "density_kg_m3": 900}]' viscosity_pa_s_m '0, 1, 0' '2, 1, 0' '0.3, 0, 0'
    "$simulator" scene between.json --solver $solver --until 1 >/dev/null 2>err || fail "in space by $solver: $(cat err)"
    between '' '"rectangles": [{"width_m": 0.3, "height_m": 0.2, "density_kg_m2": 20}]' viscosity_pa_s '0, 1' '2, 1' '0.3, 0'
    "$simulator" scene between.json --solver $solver --until 1 >/dev/null 2>err || fail "in the plane by $solver: $(cat err)"
done

# energy from nowhere, or that goes there, is told
chain=$root/examples/scenes/chain.json
"$simulator" scene "$chain" --dt 1/30 --interval 1/6 >/dev/null 2>err || fail "a chain at 1/30 s"
grep -q 'energy is off by' err || fail "nothing is said of the energy"
"$simulator" scene "$chain" >/dev/null 2>err || fail "a chain"
[ ! -s err ] || fail "a word of a chain that keeps its energy: $(cat err)"
resting() { echo '{"name": "b'"$1"'", "boxes": [{"size_m": [0.1, 0.1, 0.1], "mass_kg": 1}], "position_m": ['"$1"', 0.05, 0]}'; }
echo '{"scene": 1, "dimensions": 3, "world": {"ground": true, "friction": 0.6}, "bodies": [
    '"$(for i in $(seq 16); do echo "$(resting "$i"),"; done; resting 17)"']}' >rest.json
"$simulator" scene rest.json --until 1 --solver constraint >/dev/null 2>err || fail "boxes at rest: $(cat err)"
[ ! -s err ] || fail "a word of boxes at rest: $(cat err)"

# scenes in space for MuJoCo
stack=$root/examples/scenes/space/stack.json
"$simulator" scene "$stack" --until 0.1 --dt 1/240 --mjcf s.xml --signals s.csv >/dev/null || fail "no scene for MuJoCo"
[ "$(tail -n 1 s.xml)" = "</mujoco>" ] || fail "not a whole model"
[ "$(grep -c "type='free'" s.xml)" = "$(grep -c '"name"' "$stack")" ] || fail "not all bodies are free"
[ "$(wc -l <s.csv)" = 25 ] || fail "not a line for each step: $(wc -l <s.csv)"
refuse 1 'could not be written\|No space' "$stack" --until 0.1 --mjcf /dev/full
refuse 1 'nodir/s.csv' "$stack" --until 0.1 --signals nodir/s.csv
refuse 1 'are for scenes in three dimensions' "$block" --mjcf s.xml

refuse 2 'expected one scene'
refuse 2 "--dt: '0' is not a positive number" "$block" --dt 0
refuse 2 "--dt: '1/' is not a positive number" "$block" --dt 1/
refuse 2 "--solver 'best' is not one of articulated|constraint" "$block" --solver best
refuse 1 'none.json' none.json
refuse 1 'whole number of steps' "$block" --interval 0.01
refuse 1 'could not be written\|No space' "$block" --trace /dev/full
refuse 1 'could not be written\|No space' "$block" --contacts /dev/full
echo '{"scene": 1, "bodies": [{"name": "a", "mass_kg": 1, "inertia_kg_m2": 1, "colour": 3}]}' >a.json
refuse 1 'a.json: bodies\[0\].colour: unknown here' a.json
