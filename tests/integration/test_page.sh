#!/usr/bin/env bash
# The page of what is recorded, in a browser without a screen: it plays, pauses, scrubs and changes the creature without
# an error, its overlays toggle, the fitness stands behind its bar, and its canvas shows the body where the png export has it;
# so do pages of spheres and of boxes in space, which the mouse turns. On a phone all controls are within reach.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
viewer=$bin/viewer
unset DISPLAY WAYLAND_DISPLAY

browser=""
for program in chromium chromium-browser google-chrome; do
    if [ -z "$browser" ] && command -v $program >/dev/null; then browser=$program; fi
done
[ -n "$browser" ] || { echo "skip: chromium is not installed" && exit 77; }
if "$viewer" --help | grep -q '^  \.png .*left out'; then echo "skip: this build writes no png" && exit 77; fi

biped=$root/examples/creatures/biped.json pusher=$root/examples/creatures/pusher.json
"$viewer" "$biped" "$pusher" --params walk.ini --recorded --export page.html --sound >/dev/null || fail "page"
"$viewer" "$biped" --params walk.ini --overlays boxes --export shot.png --time 1 --size 800x450 >/dev/null || fail "png"
spider=$root/examples/creatures/spider.json tripod=$root/examples/creatures/tripod.json
"$viewer" "$spider" "$tripod" -s simulation.duration_s=2 -s evolution.behaviour=swim --recorded --export spheres.html >/dev/null || fail "page of spheres"
"$viewer" "$spider" -s simulation.duration_s=2 --overlays boxes --export spheres.png --time 1 --size 800x450 >/dev/null || fail "png of spheres"

quadruped=$root/examples/creatures/quadruped.json walk3d=$root/examples/walk3d.ini
"$viewer" "$quadruped" "$root/examples/creatures/biped3d.json" --params "$walk3d" -s simulation.duration_s=2 --recorded --export boxes.html >/dev/null || fail "page of boxes"
"$viewer" "$quadruped" --params "$walk3d" -s simulation.duration_s=2 --overlays boxes --export boxes.png --time 1 --size 800x450 >/dev/null || fail "png of boxes"

# What the probes use. The body is what has the colours of parts; the camera frames it otherwise here and
# there. Compared is the share of its pixels that both pictures have.
cat >common.js <<'END_OF_PROBE'
<script>
const wait = ms => new Promise(done => setTimeout(done, ms));
const until = async is_true => { for (let k = 0; k < 200 && !is_true(); k++) await wait(50); };
const SIDE = 200;
/* Which pixels of a part of a picture, drawn at another size, are of a body. */
function paint(source, is_body, x, y, width, height, to_width, to_height) {
  const copy = document.createElement('canvas');
  copy.width = to_width;
  copy.height = to_height;
  const pen = copy.getContext('2d');
  pen.drawImage(source, x, y, width, height, 0, 0, to_width, to_height);
  const pixels = pen.getImageData(0, 0, to_width, to_height).data;
  return Array.from({ length: to_width * to_height }, (_, i) => is_body(pixels.slice(4 * i, 4 * i + 3)));
}
/* The body alone, whatever its size and place: cut out and brought to a square. */
function body_of(source, is_body) {
  const on = paint(source, is_body, 0, 0, 800, 450, 800, 450), xs = [], ys = [];
  on.forEach((is_on, i) => { if (is_on) { xs.push(i % 800); ys.push(Math.floor(i / 800)); } });
  const left = Math.min(...xs), right = Math.max(...xs), top = Math.min(...ys), bottom = Math.max(...ys);
  return { shape: paint(source, is_body, left, top, right - left + 1, bottom - top + 1, SIDE, SIDE),
    ratio: (right - left) / (bottom - top), size: xs.length };
}
const picture = () => { draw(); return canvas.toDataURL(); };
/* How much of the body here is there as well, in words. A dark face may count in one of the pictures alone, as it is near
 * what is_body takes: the quadruped is 150 pixels high here and 142 there, though both look the same. */
function compare(is_body) {
  layers.shapes = true;
  draw();
  const here = body_of(canvas, is_body), there = body_of(shot, is_body);
  const both = here.shape.filter((is_on, i) => is_on && there.shape[i]).length;
  const either = here.shape.filter((is_on, i) => is_on || there.shape[i]).length;
  layers.shapes = false;
  return `overlap ${(100 * both / either).toFixed(0)} of ${Math.min(here.size, there.size)} ` +
    (Math.abs(here.ratio / there.ratio - 1) < 0.08 ? 'alike' : `ratios ${here.ratio} ${there.ratio}`);
}
/* Plays, pauses and scrubs to 1 s; frames by hand: without a screen the browser may draw none. */
async function start(words) {
  await until(() => creature);
  find('stage').style.cssText = 'flex: none; width: 800px; height: 450px';
  resize();
  fit();
  find('seek').value = 0.5;
  find('seek').dispatchEvent(new Event('input'));
  tick(last + 100);
  words.push(time === 0.5 ? 'pauses' : 'does-not-pause');
  find('play').click();
  tick(last + 100);
  words.push(Math.abs(time - 0.6) < 1e-6 ? 'plays' : `is-at-${time}`);
  find('seek').value = 1;
  find('seek').dispatchEvent(new Event('input'));
  jump();
  draw();
  words.push(time === 1 ? 'scrubs' : 'does-not-scrub');
}
/* Every overlay changes the picture, and goes again. */
function toggle(words) {
  for (const button of document.querySelectorAll('[data-layer]')) {
    const before = picture();
    button.click();
    const changed = picture() !== before;
    button.click();
    words.push(changed && picture() === before ? button.dataset.layer : `no-${button.dataset.layer}`);
  }
}
/* The button makes a voice for each creature; each step of the one that is seen sounds, and its steps alone. A page without
 * a screen may stay mute, so its clock is taken to run. */
function hears() {
  const before = time;
  find('sound').click();
  Object.defineProperty(audio, 'state', { value: 'running' });
  const loudest = [0, 0];
  setPlaying(true);
  for (time = 0; time < 2; time += 1 / 60) {
    hear(1 / 60);
    DATA.creatures.forEach((c, i) => { loudest[i] = Math.max(loudest[i], c.heard[0].left); });
  }
  setPlaying(false);
  time = before;
  return loudest[0] > 0.05 && loudest[1] === 0 ? 'sounds' : `loudest ${loudest}`;
}
/* A race: both in lanes of half the height, and back; then the second one alone. */
async function change(words, second) {
  const alone = picture();
  await setRace(true);
  setPlaying(false);
  time = 1;
  jump();
  words.push(picture() !== alone && find('name').textContent === 'race of 2' ? 'races' : 'does-not-race');
  /* first and last of a race that is parted by ten widths of the picture are in it */
  const scales = [], sceneBefore = scene, endsBefore = ends;
  scene = () => scales.push(camera.scale);
  ends = () => [10 * camera.room, 0];
  draw();
  [scene, ends] = [sceneBefore, endsBefore];
  words.push(scales.length === 2 && scales.every(scale => 10 * camera.room * scale < width) ? 'together' : `apart ${scales}`);
  await setRace(false);
  setPlaying(false);
  time = 1;
  jump();
  words.push(picture() === alone ? 'and-back' : 'not-back');
  find('who').value = 1;
  find('who').dispatchEvent(new Event('change'));
  await until(() => find('name').textContent === second);
  words.push(find('name').textContent);
  words.push(find('bar').style.background !== '' ? 'curve' : 'no-curve');
}
/* A creature that runs seven body lengths a second, or stands and then runs, stays in the picture at every speed, on a
 * wide screen and on a phone, however rarely the browser draws, through pauses, and at the end. */
function keeps(words) {
  const calm = creature.values, body = Math.max(creature.width, 0.05), lost = new Set();
  const runs = { runs: t => 7 * t, starts: t => 7 * Math.max(t - 0.8, 0), turns: t => 7 * Math.min(t, 2.6 - t) };
  const is_seen = () => creature.parts.every((_, p) => {
    const [x, y] = makeEye().project(...pose(p, time).at), half = least(shapeOf(p)) * camera.scale;
    return x > half && x < width - half && y > half && y < height - half;
  });
  window.requestAnimationFrame = () => 0; /* frames by hand from here on, and undrawn: only places count */
  draw = () => {};
  const frame = ms => { tick(last + ms); return time > duration() || is_seen(); };
  for (const [run, way] of Object.entries(runs))
    for (const size of ['width: 800px; height: 450px', 'width: 390px; height: 560px'])
      for (const rate of ['1', '2', '4'])
        for (const ms of [16, 70]) {
          const name = `${run}-at-${rate}x-${size}-each-${ms}`;
          creature.values = calm.map((v, k) => k === 0 || (k % 6 === 3 && k < 3 + 6 * creature.parts.length)
            ? v.map((x, i) => x + body * way(i / DATA.hz)) : v);
          find('stage').style.cssText = `flex: none; ${size}`;
          resize();
          find('speed').value = rate;
          find('speed').dispatchEvent(new Event('change'));
          time = 0;
          setPlaying(true);
          fit();
          let pause = 30;
          while (time < duration()) {
            if (!frame(ms)) lost.add(name);
            if (--pause === 0) {
              setPlaying(false);
              for (let k = 0; k < 20; k++) if (!frame(ms)) lost.add(`${name}-paused`);
              find('speed').value = '1';
              find('speed').dispatchEvent(new Event('change'));
              setPlaying(true);
            }
          }
        }
  creature.values = calm;
  words.push(lost.size ? `lost-${lost.size}: ${[...lost].slice(0, 5)}` : 'keeps-up');
}
const shot = new Image();
END_OF_PROBE

# Rectangles have one colour each; the brain numbers them as the trace and the window do, their genes as mutations.
cat >flat.js <<'END_OF_PROBE'
function numbers() {
  const texts = [], fill = g.fillText;
  g.fillText = text => texts.push(text);
  layers.brain = true;
  draw();
  layers.brain = false;
  g.fillText = fill;
  return texts.filter(text => text.startsWith('part')).join(';');
}
shot.onload = async () => {
  const words = [], colors = [];
  for (let k = 0; k < DATA.creatures[0].parts.length; k++)
    colors.push([1, 3, 5].map(i => parseInt(DATA.light[`part_${k}`].slice(i, i + 2), 16)));
  await start(words);
  words.push(compare(pixel => colors.some(color => color.every((value, c) => Math.abs(value - pixel[c]) < 12))));
  toggle(words);
  words.push(hears());
  words.push(numbers() === 'part 1, body 1;part 2, body 3;part 3, body 2;part 4, body 4' ? 'numbers' : numbers());
  await change(words, 'pusher');
  keeps(words);
  document.title = words.join(' ');
};
END_OF_PROBE

# Spheres are shaded: blue, red and green ones are told by what is strongest. The mouse turns them, and back;
# the wheel zooms.
cat >spheres.js <<'END_OF_PROBE'
canvas.setPointerCapture = () => {}; /* of a pointer that there is */
function drag(dx, dy) {
  const tell = (kind, x, y) => canvas.dispatchEvent(new PointerEvent(kind, { pointerId: 7, clientX: x, clientY: y }));
  tell('pointerdown', 300, 200);
  tell('pointermove', 300 + dx, 200 + dy);
  tell('pointerup', 300 + dx, 200 + dy);
}
const wheel = delta => canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: delta, clientX: 300, clientY: 200, cancelable: true }));
shot.onload = async () => {
  const words = [];
  await start(words);
  words.push(compare(([r, g, b]) => b > r + 30 || r > Math.max(g, b) + 50 || g > Math.max(r, b) + 12));
  toggle(words);
  const before = picture();
  drag(90, 30);
  const turned = picture();
  drag(-90, -30);
  words.push(turned !== before && picture() === before ? 'turns' : 'does-not-turn');
  drag(0, 5000);
  const above = picture();
  drag(0, 10);
  words.push(orbit.pitch <= 1.5 && picture() === above ? 'stops-above' : 'no-stop');
  orbit.yaw = -0.55;
  orbit.pitch = 0.18;
  const scale = camera.scale;
  wheel(-1);
  words.push(camera.scale > scale && picture() !== before ? 'zooms' : 'does-not-zoom');
  wheel(1);
  await change(words, 'tripod');
  keeps(words);
  document.title = words.join(' ');
};
END_OF_PROBE

# Boxes in space: the same, and the largest faces are where the png has them.
sed "s/change(words, 'tripod')/change(words, 'biped in space')/" spheres.js >boxes.js

# A page without its end and its policy, which lets nothing run but what is its own, for a probe behind it. The probe draws: the page asks for frames without end, which a browser in
# virtual time may wait for for ever. It draws without WebGL, on the canvas that the probe reads.
open_page() { # PAGE
    awk '/id=.packed./ {exit} /Content-Security-Policy/ {next} {print} /<head>/ {print "<script>requestAnimationFrame = () => 0; const real = HTMLCanvasElement.prototype.getContext; HTMLCanvasElement.prototype.getContext = function (kind, ...more) { return kind === \"webgl2\" ? null : real.call(this, kind, ...more); };</script>"}' "$1"
    printf '<script>' && sed -n "s/.*id='packed'>//p" "$1" | base64 -d | gunzip && printf '</script>\n'
}

# browse PAGE SHOT PROBE SHARE: the page with the probe behind it, in the browser; what it found is $title. At
# least SHARE % of the body must be where the png has it: of spheres less, since the eye stands elsewhere.
browse() {
    open_page "$1" >probe.html
    {
        cat common.js "$3"
        printf 'shot.src = "data:image/png;base64,%s";\n</script>\n</body>\n</html>\n' "$(base64 -w 0 "$2")"
    } >>probe.html
    HOME=$work timeout 100 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/browser" \
        --force-device-scale-factor=1 --autoplay-policy=no-user-gesture-required --blink-settings=preferredColorScheme=1 --window-size=900,700 \
        --enable-logging=stderr --virtual-time-budget=40000 --dump-dom "file://$work/probe.html" >dom 2>console ||
        { echo "skip: $browser does not start here" && exit 77; }
    grep CONSOLE console && fail "$1 has errors"
    title=$(sed -n 's,.*<title>\(.*\)</title>.*,\1,p' dom | head -n 1)
    [[ $title =~ overlap\ ([0-9]+)\ of\ ([0-9]+) ]] || fail "no comparison: $title"
    [ "${BASH_REMATCH[1]}" -ge "$4" ] || fail "the canvas shows something else than the png: $title"
    [ "${BASH_REMATCH[2]}" -ge 2000 ] || fail "the body is too small: $title"
    echo "$title"
}
browse page.html shot.png flat.js 85
[[ $title == "pauses plays scrubs overlap "*" alike trail marks limits torques contacts brain shapes sounds numbers races together and-back pusher curve keeps-up" ]] || fail "the page: $title"
browse spheres.html spheres.png spheres.js 20
[[ $title == "pauses plays scrubs overlap "*" alike trail marks limits torques contacts brain no-shapes turns stops-above zooms races together and-back tripod curve keeps-up" ]] || fail "the page of spheres: $title"
browse boxes.html boxes.png boxes.js 70
[[ $title == "pauses plays scrubs overlap "*" trail marks limits torques contacts brain no-shapes turns stops-above zooms races together and-back biped in space "*"curve keeps-up" ]] || fail "the page of boxes: $title"

# A phone is a window of 390 x 700 in another page, which is told what was found.
cat >phone.js <<'END_OF_PROBE'
<script>
/* Every control is within the window and is what a finger meets there; nothing is wider than the window, no text is cut; two
 * thirds of the height are the picture, whose middle the brain leaves free; a finger turns it, two fingers zoom. */
const told = [];
const wait = ms => new Promise(done => setTimeout(done, ms));
const out = box => box.left < -0.5 || box.top < -0.5 || box.right > innerWidth + 0.5 || box.bottom > innerHeight + 0.5;
canvas.setPointerCapture = () => {};
const touch = (kind, id, x, y) => canvas.dispatchEvent(new PointerEvent(kind, { pointerId: id, pointerType: 'touch', isPrimary: id === 1, clientX: x, clientY: y }));
(async () => {
  while (!creature) await wait(50);
  resize();
  draw();
  for (const control of document.querySelectorAll('button, select, input')) {
    if (control.closest('[hidden]')) continue;
    control.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    const box = control.getBoundingClientRect(), met = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    const name = control.id || control.textContent;
    if (out(box)) told.push(`${name}-is-outside`);
    else if (met !== control && !control.contains(met)) told.push(`${name}-is-covered`);
    if (Math.min(box.width, box.height) < 28) told.push(`${name}-is-small-${box.width.toFixed(0)}x${box.height.toFixed(0)}`);
    if (control.tagName === 'BUTTON' && control.scrollWidth > control.clientWidth + 1) told.push(`${name}-is-cut`);
  }
  for (const id of ['name', 'score', 'verdict', 'status', 'clock'])
    if (out(find(id).getBoundingClientRect()) || find(id).scrollWidth > find(id).clientWidth + 1 && find(id).clientWidth) told.push(`${id}-is-cut`);
  const who = find('who');
  g.font = getComputedStyle(who).font;
  if (g.measureText(who.options[who.selectedIndex].text).width > who.clientWidth - 24) told.push('who-is-cut');
  if (document.documentElement.scrollWidth > innerWidth) told.push('page-is-wide');
  const share = canvas.getBoundingClientRect().height / innerHeight;
  if (share < 0.6) told.push(`picture-${share.toFixed(2)}`);
  /* the brain leaves the middle free */
  const rect = g.rect;
  g.rect = (x, y, w, h) => { if (x > 0 && y + h > 0.47 * height) told.push(`brain-down-to-${y + h}-of-${height}`); rect.call(g, x, y, w, h); };
  layers.brain = true;
  draw();
  layers.brain = false;
  g.rect = rect;
  const yaw = orbit.yaw, scale = camera.scale;
  touch('pointerdown', 1, 150, 300);
  touch('pointermove', 1, 210, 300);
  touch('pointerup', 1, 210, 300);
  told.push(orbit.yaw !== yaw ? 'turns' : 'does-not-turn');
  touch('pointerdown', 1, 150, 300);
  touch('pointerdown', 2, 200, 300);
  touch('pointermove', 2, 260, 300);
  touch('pointerup', 1, 150, 300);
  touch('pointerup', 2, 260, 300);
  told.push(camera.scale > scale ? 'zooms' : 'does-not-zoom');
  parent.postMessage(told.join(' '), '*');
})();
</script>
END_OF_PROBE
{
    open_page boxes.html
    cat phone.js
    printf '</body>\n</html>\n'
} >phone.html
cat >frame.html <<'END_OF_PAGE'
<!doctype html><title>silent</title><body><iframe src="phone.html" style="width:390px;height:700px;border:0"></iframe>
<script>addEventListener('message', e => { document.title = e.data; });</script></body>
END_OF_PAGE
HOME=$work timeout 100 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/browser" \
    --force-device-scale-factor=1 --window-size=500,720 --enable-logging=stderr --virtual-time-budget=5000 \
    --dump-dom "file://$work/frame.html" >dom 2>console || fail "the page on a phone"
grep CONSOLE console && fail "the page on a phone has errors"
grep -q '<title>turns zooms</title>' dom || fail "the page on a phone: $(grep -o '<title>.*</title>' dom)"
echo "on a phone: turns zooms"
