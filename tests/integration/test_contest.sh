#!/usr/bin/env bash
# Contests of two creature files: who wins, in either order; pictures; and what cannot meet.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
champions=$root/docs/results/boxes-long/champions
a=$champions/seek-land3d-sims-4.creature b=$champions/seek-land3d-sims-2.creature
short=(-s simulation.duration_s=5)

# the same contest in either order, from the controller as from the simulator
"$bin/simulator" contest "$a" "$b" --see light:object "${short[@]}" --json >ab.json || fail "a contest"
"$bin/controller" contest "$b" "$a" --see light:object "${short[@]}" --json >ba.json || fail "exchanged"
python3 - <<'END' || fail "exchanged, it is another contest"
import json
ab, ba = json.load(open("ab.json")), json.load(open("ba.json"))
assert ab["digest"] == ba["digest"] and ab["margin"] == -ba["margin"] != 0
assert len(ab["bouts"]) == 2 and all(b["sides"][0]["margin"] == -b["sides"][1]["margin"] for b in ab["bouts"])
END
says '^winner +[AB] by 0\.' "$bin/simulator" contest "$a" "$b" --see light:object "${short[@]}"
says '^winner +nobody: both move alike' "$bin/simulator" contest "$a" "$a" "${short[@]}"
says '^goal +sumo' "$bin/simulator" contest "$a" "$b" "${short[@]}" -s contest.goal=sumo

# a page and a picture
says '\(blue\) against .* \(red\), cube: (blue|red) wins by' "$bin/viewer" --contest "$a" "$b" \
    --see light:object "${short[@]}" --export duel.html
grep -q '(blue) against' duel.html || fail "the page does not say who is who"
"$bin/viewer" --contest "$a" "$b" "${short[@]}" --bout 2 --follow b --export duel.png --size 320x180 >/dev/null ||
    fail "no picture"

# what cannot be
"$bin/controller" random -o flat.creature --seed 1 >/dev/null
"$bin/controller" random -o ball.creature --seed 1 -s creature.body=spheres >/dev/null
refused 2 'boxes and rectangles do not meet' "$bin/simulator" contest "$a" flat.creature
refused 2 'no contests of spheres' "$bin/simulator" contest ball.creature ball.creature walk.ini
refused 2 'beside the cube' "$bin/simulator" contest "$a" "$b" -s contest.line_m=0.1
refused 2 'give a PARAMS.ini' "$bin/simulator" contest flat.creature flat.creature
refused 2 'light:object' "$bin/simulator" contest "$a" "$b" --see light
refused 1 'no-such' "$bin/simulator" contest "$a" no-such.creature
refused 2 'two creature files' "$bin/viewer" --contest "$a" --export never.png
refused 2 'are for --contest' "$bin/viewer" "$a" --bout 1 --export never.png
