#!/usr/bin/env bash
# `simulator export`: a creature for other programs, and mistakes. What the files mean is tested by
# tests/oracle/test_mjcf.c.
# runs: watched
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
simulator=$bin/simulator
biped=$root/examples/creatures/biped.json

"$simulator" export "$biped" walk.ini --mjcf b.xml --signals b.csv --trajectory t.csv || fail "export"
[ "$(tail -n 1 b.xml)" = "</mujoco>" ] || fail "not a whole model: $(tail -n 1 b.xml)"
[ "$(wc -l <b.csv)" = 1921 ] || fail "not a line for each step: $(wc -l <b.csv)"
[ "$(awk -F, '{print NF}' b.csv | sort -u)" = "$(($(grep -c '<general ' b.xml) + 1))" ] || fail "ragged controls"
"$simulator" evaluate "$biped" walk.ini --trace e.csv >/dev/null
cmp t.csv e.csv || fail "the trajectory is not the trace"
"$simulator" export "$biped" walk.ini --mjcf again.xml -s world.gravity_m_s2=1.62
grep -q "gravity='0 0 -1.62" again.xml || fail "-s changes nothing"
grep -q "gravity='0 0 -9.81" b.xml || fail "not the gravity of the parameters"

# a creature with a record brings its parameters
"$bin/controller" run walk.ini --seed 5 -o run >/dev/null 2>&1 || fail run
best=$("$bin/controller" list run --top 1 --json | sed -n 's/^    "id": \([0-9]*\),/\1/p')
"$bin/controller" save run "$best" -o best.creature >/dev/null
"$simulator" export best.creature --mjcf best.xml --signals best.csv || fail "export of a saved creature"
[ "$(wc -l <best.csv)" = 1921 ] || fail "the recorded duration is 2 s"

# boxes have a model with a free root
quadruped=$root/examples/creatures/quadruped.json
"$simulator" export "$quadruped" "$root/examples/walk3d.ini" -s simulation.duration_s=1 --mjcf q.xml --signals q.csv || fail "boxes"
grep -q "name='root' type='free'" q.xml || fail "no free root"
grep -q "<pair geom1='half0_1' geom2='part0'" q.xml || fail "no halves of joined boxes"
[ "$(tail -n 1 q.xml)" = "</mujoco>" ] || fail "not a whole model of boxes"
[ "$(wc -l <q.csv)" = 961 ] || fail "not a line for each step: $(wc -l <q.csv)"

# spheres have a trajectory, but no model
spider=$root/examples/creatures/spider.json
"$simulator" export "$spider" "$root/examples/spider.ini" -s simulation.duration_s=1 --trajectory s.csv || fail "spheres"
"$simulator" evaluate "$spider" "$root/examples/spider.ini" -s simulation.duration_s=1 --trace es.csv >/dev/null
cmp s.csv es.csv || fail "the trajectory of spheres is not the trace"
refused 1 'spider.json: .*spheres.*--trajectory' "$simulator" export "$spider" "$root/examples/spider.ini" --mjcf s.xml
refused 1 'spider.json: .*spheres.*--trajectory' "$simulator" export "$spider" "$root/examples/spider.ini" --signals s.xml
[ ! -e s.xml ] || fail "spheres left a model"

# one that never starts leaves a word and no model
refused 1 'best.creature: it never starts' "$simulator" export best.creature --mjcf no.xml -s creature.parts_min=16
[ ! -e no.xml ] || fail "a creature that never starts left a model"
refused 2 'nothing to write' "$simulator" export best.creature
refused 2 'expected CREATURE' "$simulator" export --mjcf x.xml
refused 2 'no recorded evaluation' "$simulator" export "$biped" --mjcf x.xml
refused 2 'fly' "$simulator" export "$biped" --fly
refused 1 'no.such' "$simulator" export "$biped" walk.ini --mjcf x.xml -s no.such=1
refused 1 'nodir/x.xml' "$simulator" export "$biped" walk.ini --mjcf nodir/x.xml
refused 1 'nodir/x.csv' "$simulator" export "$biped" walk.ini --mjcf x.xml --signals nodir/x.csv
refused 1 'nowhere.json' "$simulator" export nowhere.json --mjcf x.xml
refused 1 '/dev/full: No space left on device' "$simulator" export "$biped" walk.ini --signals /dev/full
says 'usage: simulator export' "$simulator" export --help
