#!/usr/bin/env bash
# Contests of two creature files: the winner, in either order; pictures; files that cannot meet.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
champions=$root/tests/creatures
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
says '^winner +none: a draw, both move alike' "$bin/simulator" contest "$a" "$a" "${short[@]}"
says '^goal +sumo' "$bin/simulator" contest "$a" "$b" "${short[@]}" -s contest.goal=sumo

# on a platform a creature that is pushed off has lost
walkers=("$root"/examples/creatures/walker-{2,3}.creature)
says '^  A ok .* 6\.000 .* -1\.000$' "$bin/simulator" contest "${walkers[@]}" platform-sumo

# a page and a picture
says '\(blue\) against .* \(red\), cube: (blue|red) wins by' "$bin/viewer" --contest "$a" "$b" \
    --see light:object "${short[@]}" --export duel.html
grep -q '(blue) against' duel.html || fail "the page does not say who is who"
both=$("$bin/viewer" --contest "$a" "$b" "${short[@]}" --follow ab --export both.png --size 640x180) || fail "both"
[ "$(grep -c ' against ' <<<"$both")" = 2 ] || fail "not a picture of each: $both"
"$bin/viewer" --contest "$a" "$b" "${short[@]}" --bout 2 --follow b --export duel.png --size 320x180 >/dev/null ||
    fail "no picture"

# what cannot be
"$bin/controller" random -o flat.creature --seed 1 >/dev/null
"$bin/controller" random -o ball.creature --seed 1 -s creature.body=spheres >/dev/null
refused 2 'boxes and rectangles do not meet' "$bin/simulator" contest "$a" flat.creature
refused 2 'no contests of spheres' "$bin/simulator" contest ball.creature ball.creature walk.ini
refused 2 'beside the object' "$bin/simulator" contest "$a" "$b" -s contest.line_m=0.1
refused 2 'give a PARAMS.ini' "$bin/simulator" contest flat.creature flat.creature
refused 2 'light:object' "$bin/simulator" contest "$a" "$b" --see light
# a creature that sees the cube already stays as it is, and it is said
hound=$root/examples/creatures/hound.json
"$bin/controller" mutate "$hound" --see light:object -o sees.creature >/dev/null || fail "mutate --see"
for other in "$hound" sees.creature; do
    "$bin/simulator" contest "$a" "$other" --see light:object "${short[@]}" --json 2>err | grep '"digest"' || fail "against $other"
    echo "$other: $(grep -c 'stays as it is$' err)" >>said
done >digests
[ "$(sort -u digests | wc -l)" = 1 ] || fail "the one that sees the cube was changed: $(cat digests)"
grep -q 'sees.creature: it sees object already, and stays as it is$' err || fail "not said: $(cat err)"
[ "$(sed 's/.*: //' said | paste -sd ' ')" = "0 1" ] || fail "said of others: $(cat said)"
refused 1 'no-such' "$bin/simulator" contest "$a" no-such.creature
refused 2 'two creature files' "$bin/viewer" --contest "$a" --export never.png
refused 2 'are for --contest' "$bin/viewer" "$a" --bout 1 --export never.png

# a league: the same table however many run at once, a page with the duels
league() { "$bin/controller" league "$@" --see light:object -s simulation.duration_s=2; }
mkdir files && cp "$champions"/seek-land3d-sims-[1-4].creature files
league files/*.creature seek-land3d -j 1 -o pages >one.txt 2>/dev/null || fail "a league"
league files/*.creature seek-land3d -j 3 >three.txt 2>/dev/null || fail "a league of three processes"
grep -v '^pages' one.txt | cmp - three.txt || fail "the table depends on how many run at once"
[ "$(grep -c 'files/.*sims-[1-4].creature$' three.txt)" -ge 4 ] || fail "not all are in the table"
grep -q "href='duel-1-2.html'" pages/index.html || fail "no link to a duel"
[ "$(find pages -name 'duel-*.html' | wc -l)" = 6 ] || fail "not six duels"
refused 2 'two creatures or more' "$bin/controller" league "$a" seek-land3d
refused 1 'flat.creature: .*boxes and rectangles do not meet' "$bin/controller" league "$a" flat.creature seek-land3d
refused 1 'exists already' "$bin/controller" league "$a" "$b" seek-land3d -o pages

# only a creature that crashes the simulator is out: the others' table is that of a league without it
mkdir other && cp "$bin/controller" other
cat >other/simulator <<END
#!/usr/bin/env bash
case "\$*" in *sims-3*) kill -SEGV \$\$ ;; esac
exec "$bin/simulator" "\$@"
END
chmod +x other/simulator
other/controller league files/*.creature seek-land3d --see light:object -s simulation.duration_s=2 >crashed.txt 2>/dev/null ||
    fail "a league in which one crashes"
grep -q 'sims-3.creature  (crashed the simulator: out)' crashed.txt || fail "the crash is not blamed: $(cat crashed.txt)"
[ "$(grep -c ': out)' crashed.txt)" = 1 ] || fail "others are blamed, too: $(cat crashed.txt)"
league files/*[124].creature seek-land3d >without.txt 2>/dev/null
[ "$(grep '^digest' crashed.txt)" = "$(grep '^digest' without.txt)" ] || fail "the others' contests changed"
