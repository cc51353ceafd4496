#!/usr/bin/env bash
# The viewer as its users call it: replays of a run and of files that verify, every kind of export
# without a display, the window where there is a display to be had, and mistakes.
# runs: watched
# speed: long
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
viewer=$bin/viewer
[ -x "$viewer" ] || fail "there is no $viewer"
unset DISPLAY WAYLAND_DISPLAY

# without a bar of survivors, which belongs to a creature's record and stands in no file of parameters
printf '[guard]\nhopeless_share = 0\n' >>walk.ini
"$bin/controller" run walk.ini --seed 5 -o run >run.out 2>run.err || fail "run: $(cat run.err)"
best=$("$bin/controller" list run --top 1 --json | sed -n 's/.*"id": \([0-9]*\).*/\1/p' | head -n 1)
"$bin/controller" save run "$best" -o best.creature >/dev/null
"$bin/controller" save run "$best" -o best.json --text >/dev/null
before=$(cksum run/run.db)
refused 1 'run: the run is no preserve' "$viewer" run --world 0 --export world.png
refused 1 'run: the run is no preserve' "$viewer" run --follow 1 --export life.png
refused 2 "'inf' is no time" "$viewer" run --from inf --export film.gif

# is_left_out SUFFIX: this build cannot write such files.
is_left_out() {
    "$viewer" --help | grep -Eq "^  \.$1 .*left out of this build"
}

# makes FILE MAGIC-PATTERN ARGUMENT...: an export succeeds, verifies, and prints its path last.
makes() {
    local file=$1 magic=$2
    shift 2
    if is_left_out "${file##*.}"; then
        refused 1 "${file##*.} export is left out.*install lib" "$viewer" "$@" --export "$file"
        return 0
    fi
    "$viewer" "$@" --export "$file" >out 2>err || fail "$file: $(cat err)"
    [ "$(tail -n 1 out)" = "$file" ] || fail "does not print the path last: $(cat out)"
    [ "$(wc -c <"$file")" -gt 1000 ] || fail "$file is too small"
    head -c 300 "$file" | LC_ALL=C tr -d '\000' | LC_ALL=C grep -aEq "$magic" || fail "$file is something else"
}

# ---- exports, all without a display ----
makes strobe.png PNG run
makes frame.png PNG run --time 1 --size 400x300
makes three.png PNG run --top 3
makes plain.png PNG run --top 7 --plain --time 1
makes plain.svg '<svg' best.creature --plain --size 160x100
makes sheet.png PNG run --top 9 --grid
makes laid.svg '<svg' run --time 1 --overlays brain,contacts,limits,torques,sensors,ledger,light
makes grid.gif 'GIF89a' run --top 4 --grid --size 240x160 --fps 5 --overlays none
makes loop.gif 'GIF89a' run --size 160x90 --fps 10
makes family.gif 'GIF89a' "run:$best" --family --top 3 --size 160x90 --fps 10
makes family.png PNG run --family --grid
makes drawing.svg '<svg' best.creature
makes page.html 'doctype html' run --top 3
grep -q '"verified"' page.html || fail "the page does not say verified"
if command -v ffmpeg >/dev/null; then
    makes film.mp4 ftyp run --size 160x90 --fps 10
    # what is said beside ffmpeg, by the loader of a library, say, is handed on, and the film stays
    mkdir says
    printf '#!/bin/sh\necho "ERROR: ld.so: libx.so cannot be preloaded: ignored." >&2\nexec %s "$@"\n' \
        "$(command -v ffmpeg)" >says/ffmpeg
    chmod +x says/ffmpeg
    PATH=$work/says:$PATH makes said.mp4 ftyp run --size 160x90 --fps 10
    is_left_out mp4 || grep -q '^viewer: beside ffmpeg was said: ERROR: ld.so: libx.so' err || fail "$(cat err)"
    is_left_out mp4 || cmp film.mp4 said.mp4 || fail "another film"
fi
if ! is_left_out mp4; then
    refused 1 'install the package ffmpeg' env PATH=/nonexistent "$viewer" run --export no.mp4
fi
[ ! -e no.mp4 ] || fail "a failed export left a file"
! compgen -G '*.part-*' || fail "an export left a temporary file"

# ---- what is compared ----
replay() {
    says "$1" "$viewer" "${@:2}" --export out.html
}
for from in run best.creature best.json; do replay "^verified .*$best" "$from"; done
[ "$("$viewer" run --top 5 --ranks --export out.html | grep -c '^verified ')" = 5 ] || fail "not five verified"
replay '^verified' run --generation 1
replay '^unrecorded' best.json -s world.gravity_m_s2=3
replay '^unrecorded' best.json --seed 12345678
replay '^unrecorded' best.json --params walk.ini -s simulation.duration_s=3
replay '^verified' best.json --params walk.ini
sed 's/"digest": "\(.\)/"digest": "0\1/; s/\("digest": ".\{16\}\)[0-9a-f]"/\1"/' best.json >forged.json
replay '^differs .*moves otherwise' forged.json
sed '0,/"width_m": \([0-9.e-]*\)/s//"width_m": 0.5123/' best.json >fatter.json
replay '^differs .*the genome is not' fatter.json
sed 's/"energy_end_j": /&1/' best.json >warmer.json
replay '^differs .*energy_end_j: recorded' warmer.json
for file in forged.json fatter.json warmer.json; do
    refused 1 'differs from the recorded one' "$bin/simulator" evaluate $file
done
cmp -s best.json forged.json && fail "the test forged nothing"
cmp -s best.json fatter.json && fail "the test changed no gene"
[ "$(cksum run/run.db)" = "$before" ] || fail "viewing changed the run"

# ---- mistakes: one line, and the right exit code ----
refused 2 'expected RUN_DIR or CREATURE' "$viewer"
refused 2 'must end in' "$viewer" run --export out.bmp
refused 2 'must end in' "$viewer" run --export out
mkfifo pipe.png
refused 2 'pipe.png: not a file' "$viewer" run --export pipe.png
[ -p pipe.png ] || fail "a pipe was replaced by a picture"
rm pipe.png
refused 2 'is not WxH, both sides 16 .. 8192' "$viewer" run --export out.html --size 10x
refused 2 'is not WxH, both sides 16 .. 8192' "$viewer" run --export out.html --size 10x10
refused 2 "--fps '0' is not a number within 1 .. 120" "$viewer" run --export out.html --fps 0
refused 2 "--top '0' is not a whole number within 1 .. 256" "$viewer" run --export out.html --top 0
refused 2 "--generation 'x' is not a whole number" "$viewer" run --export out.html --generation x
refused 2 "--seed: '-1' is not a whole number" "$viewer" run --export out.html --seed -1
refused 2 "--time 'nan' is not a number within 0" "$viewer" run --export out.html --time nan
refused 2 "--time '1e9' is not a number within 0 .. 1e" "$viewer" run --export out.png --time 1e9
refused 2 '--time is for' "$viewer" run --export out.html --time 1
refused 2 '--plain is for' "$viewer" run --export out.html --plain
refused 2 '--plain is for --export' "$viewer" run --plain
refused 2 '--grid and --overlays are not for html' "$viewer" run --export out.html --grid
refused 2 '--family is for --export of one' "$viewer" run --family
refused 2 '--family shows two creatures or more' "$viewer" run --family --top 1 --export out.gif
is_left_out mp4 || refused 2 '--sound is for whole films' "$viewer" run --family --sound --export out.mp4
refused 1 'best.json: is not a run' "$viewer" best.json --family --export out.html
refused 2 '--grid is for --export' "$viewer" run --grid
refused 2 "'glow' is not an overlay" "$viewer" run --export out.png --overlays trail,glow
refused 2 'for the window' "$viewer" run --export out.png --keys b
refused 2 'for the window' "$viewer" run --export out.html --frames 2
refused 2 'fly' "$viewer" run --fly
refused 2 'no.such' "$viewer" run --export out.html -s no.such=1
refused 1 'nowhere: No such file' "$viewer" nowhere --export out.html
for suffix in png svg gif html; do
    refused 1 "away.$suffix: No such file or directory" "$viewer" run --export no/such/away.$suffix
done
refused 1 'nowhere.ini' "$viewer" run --params nowhere.ini --export new.html
refused 1 'generation 9 is not complete; complete are 0 to 3' "$viewer" run --generation 9 --export new.html
mkdir empty
refused 1 'empty: is not a run' "$viewer" empty --export new.html
echo '{"format": "bestiary' >broken.json
refused 1 'broken.json' "$viewer" broken.json --export new.html
head -c 100 best.creature >cut.creature
refused 1 'cut.creature' "$viewer" cut.creature --export new.html
refused 1 'nodir/out.html' "$viewer" run --export nodir/out.html
[ ! -e new.html ] || fail "a refused call left a file"
says 'usage: viewer' "$viewer" --help
says 'simulator version' "$viewer" --version

# ---- the window ----
status=0
"$viewer" run --frames 1 >out 2>err </dev/null || status=$?
if grep -q 'left out of this build' err; then
    [ $status = 1 ] || fail "exit code $status without a window"
    echo "skip: this build has no window"
    exit 77
fi
refused 1 'there is no display' "$viewer" run
# SDL's own display without a screen
SDL_VIDEODRIVER=dummy "$viewer" run --frames 30 --screenshot dummy.png --size 640x360 >out 2>err ||
    fail "window on the dummy display: $(cat err)"
grep -q '^verified' out || fail "the window does not verify: $(cat out)"
head -c 8 dummy.png | LC_ALL=C grep -aq PNG || fail "no screenshot"
refused 1 'nodir/shot.png' env SDL_VIDEODRIVER=dummy "$viewer" best.json --frames 1 --screenshot nodir/shot.png

# every view and overlay
SDL_VIDEODRIVER=dummy "$viewer" run --frames 20 --keys 'bcjuilomgad]vewd[eh' --screenshot keys.png >out 2>err ||
    fail "keys: $(cat err)"
head -c 8 keys.png | LC_ALL=C grep -aq PNG || fail "no screenshot of the keys"

# `run --view` starts it when the run is over and does not wait; without a display a run does not fail
brief=(--seed 6 -s population.size=6 -s evolution.generations=1 -s simulation.duration_s=0.5)
env -u DISPLAY -u WAYLAND_DISPLAY "$bin/controller" run walk.ini "${brief[@]}" -o unseen --view >out 2>err || fail "run --view: $(cat err)"
grep -q 'there is no display' err || fail "run --view does not miss a display: $(cat err)"
SDL_VIDEODRIVER=none "$bin/controller" run walk.ini "${brief[@]}" -o viewed --view >out 2>err || fail "run --view: $(cat err)"
grep -q 'viewer started' err || fail "run --view says nothing of the viewer: $(cat err)"
says_no_display() { grep -q 'there is no display' viewed/logs/viewer.log 2>/dev/null; }
wait_until "the viewer of run --view has been started" says_no_display
if SDL_VIDEODRIVER=dummy "$viewer" walk.ini --frames 1 2>/dev/null; then fail "walk.ini is no creature"; fi

if ! command -v Xvfb >/dev/null; then
    echo "skip: the window on a real display (Xvfb is not installed)"
    exit 77
fi
# Xvfb chooses a free display and writes its number to descriptor 5
mkfifo display
start Xvfb -displayfd 5 -noreset -screen 0 1024x768x24 -nolisten tcp 5<>display >/dev/null 2>&1
xvfb=$pid
read -r -t 60 number <display || fail "Xvfb did not start"
# without OpenGL, whose drivers leak: LeakSanitizer would find nothing else
export DISPLAY=:$number SDL_RENDER_DRIVER=software SDL_FRAMEBUFFER_ACCELERATION=0
"$viewer" run --top 3 --frames 30 --screenshot shot.png >out 2>err || fail "window under Xvfb: $(cat err)"
[ "$(grep -c '^verified ' out)" = 3 ] || fail "not three verified: $(cat out)"
[ "$(wc -c <shot.png)" -gt 5000 ] || fail "the screenshot is empty"
# it is not larger than the screen, and where the desktop is told to double everything it is larger than usual
width_of() { od -An -tu1 -j16 -N4 "$1" | awk '{print (($1 * 256 + $2) * 256 + $3) * 256 + $4}'; }
[ "$(width_of shot.png)" -le 1024 ] || fail "the window is $(width_of shot.png) px wide"
mkfifo wide
start Xvfb -displayfd 6 -noreset -screen 0 2600x1700x24 -nolisten tcp 6<>wide >/dev/null 2>&1
read -r -t 60 other <wide || fail "the large Xvfb did not start"
DISPLAY=:$other GDK_SCALE=2 "$viewer" run --frames 2 --screenshot large.png >/dev/null 2>err || fail "GDK_SCALE: $(cat err)"
[ "$(width_of large.png)" = 2240 ] || fail "with GDK_SCALE=2 the window is $(width_of large.png) px wide"

# a window on a run that has just begun waits, and then follows it to its end
"$bin/controller" run walk.ini --seed 7 -o "$work/watched" --watch -s population.size=10 >out 2>err || fail "run --watch: $(cat err)"
watcher_of() {
    watcher=$(grep -lz "^$work/watched$" /proc/[0-9]*/cmdline 2>/dev/null | cut -d / -f 3 | head -n 1) && [ -n "$watcher" ]
}
wait_until "the viewer watches" watcher_of
started+=("$watcher")
if command -v xdotool >/dev/null; then
    champion=$("$bin/controller" list watched --top 1 --json | sed -n 's/.*"id": \([0-9]*\).*/\1/p' | head -n 1)
    is_followed() { xdotool search --onlyvisible --name "walk-$champion .*verified - Bestiary" >/dev/null 2>&1; }
    wait_until "the window shows the last generation's champion" is_followed
fi
kill -TERM "$watcher"
wait_until "the watching viewer ends" is_gone "$watcher"

# `controller view` starts it as a process of its own; closing it ends both and changes nothing
start "$bin/controller" view run --generation 3
view=$pid
viewer_of_view() {
    viewer_pid=$(cat "/proc/$view/task/$view/children" 2>/dev/null) && [ -n "${viewer_pid// /}" ]
}
wait_until "controller view starts the viewer" viewer_of_view
[ "$(tr '\0' ' ' <"/proc/${viewer_pid// /}/cmdline" | grep -c 'viewer.*run --generation 3')" = 1 ] ||
    fail "that is not the viewer"
if command -v xdotool >/dev/null; then
    window_is_there() { window=$(xdotool search --onlyvisible --name 'verified - Bestiary' 2>/dev/null | head -n 1) && [ -n "$window" ]; }
    wait_until "the window is there" window_is_there
    # the mouse chooses the first generation on the run's curve, near the window's lower left corner
    first=$("$bin/controller" list run --generation 0 --top 1 --json | sed -n 's/.*"id": \([0-9]*\).*/\1/p' | head -n 1)
    eval "$(xdotool getwindowgeometry --shell "$window" | grep -E '^(WIDTH|HEIGHT)=')"
    xdotool mousemove --window "$window" $((WIDTH / 16)) $((HEIGHT * 88 / 100)) click 1
    is_first() { xdotool search --onlyvisible --name "^walk-$first - .*verified - Bestiary" >/dev/null 2>&1; }
    wait_until "a click on the curve shows its generation" is_first
    for key in h h c j b l g n p f plus minus r space period comma Right Left t 0 s; do
        xdotool key --window "$window" "$key"
    done
    saved() { compgen -G '*s.png' >/dev/null; }
    wait_until "s saves a picture" saved
    xdotool key --window "$window" shift+s
    creature_saved() { compgen -G 'walk-*.creature' >/dev/null; }
    wait_until "shift+s saves the creature" creature_saved
    saved_file=$(compgen -G 'walk-*.creature') number=${saved_file#walk-}
    "$bin/controller" save run "${number%.creature}" -o same.creature >/dev/null
    cmp "$saved_file" same.creature || fail "the window saves another creature than controller save"
    # the window may be gone before xdotool has done
    xdotool keydown --window "$window" q 2>/dev/null || true
else
    # a signal closes the window only once the viewer catches it
    catches_term() {
        local caught
        caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/${viewer_pid// /}/status") && (((0x$caught >> 14) & 1))
    }
    wait_until "the window is there" catches_term
    kill -TERM "${viewer_pid// /}"
fi
wait_until "closing the window ends the command" is_gone "$view"
wait "$view" || fail "controller view: exit code $?"
[ "$(cksum run/run.db)" = "$before" ] || fail "the window changed the run"
# choosing by hand with real keys: the run waits for them, goes on, and the window shows what was bred
if command -v xdotool >/dev/null; then
    start "$bin/controller" run walk.ini --seed 8 -o chosen -s population.size=4 -s population.survival=0.5 \
        -s evolution.behaviour=interactive -s evolution.search=sims -s evolution.generations=2 >chosen.out 2>&1
    run=$pid
    waits() { "$bin/controller" status chosen 2>/dev/null | grep -q '^state *waiting'; }
    wait_until "the run waits for choices" waits
    xdotool keyup q # else the next window begins with that key held down
    start "$viewer" chosen >out 2>err
    view=$pid
    chooser_is_there() { window=$(xdotool search --onlyvisible --name 'verified - Bestiary' 2>/dev/null | head -n 1) && [ -n "$window" ]; }
    wait_until "the window is there" chooser_is_there
    xdotool key --window "$window" shift+b n shift+k n shift+x
    are_chosen() { "$bin/controller" status chosen | grep -q '1 to breed, 1 to keep, 1 banned'; }
    wait_until "keys choose" are_chosen
    eval "$(xdotool getwindowgeometry --shell "$window" | grep -E '^(WIDTH|HEIGHT)=')"
    xdotool mousemove --window "$window" $((WIDTH / 8)) $((HEIGHT / 8)) click 3
    is_kept() { "$bin/controller" status chosen | grep -q '0 to breed, 2 to keep, 1 banned'; }
    wait_until "the right button chooses" is_kept
    xdotool key --window "$window" Return
    wait_until "the next generation is bred, and the run ends" is_gone "$run"
    wait "$run" || fail "the chosen run: $(cat chosen.out)"
    kill -TERM "$view"
    wait_until "the window closes" is_gone "$view"
    "$bin/controller" run walk.ini --seed 8 -o rechosen -s population.size=4 -s population.survival=0.5 \
        -s evolution.behaviour=interactive -s evolution.search=sims -s evolution.generations=2 --choices chosen >/dev/null 2>&1 ||
        fail "the choices are not repeated"
    same_runs chosen rechosen
fi
kill -TERM "$xvfb"
wait "$xvfb" || true
