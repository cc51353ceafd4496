#!/usr/bin/env bash
# The replay page in a browser without a screen: it plays, pauses, scrubs and changes the creature without
# an error, its overlays toggle, the fitness stands behind its bar, and its canvas shows the body where the png export has it.
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
"$viewer" "$biped" "$pusher" --params walk.ini --export page.html >/dev/null || fail "page"
"$viewer" "$biped" --params walk.ini --export shot.png --time 1 --size 800x450 >/dev/null || fail "png"

# The body is what has the colours of parts; the camera frames it otherwise here and there. Compared is the
# share of its pixels that both pictures have.
cat >probe.js <<'END_OF_PROBE'
<script>
const wait = ms => new Promise(done => setTimeout(done, ms));
const until = async is_true => { for (let k = 0; k < 200 && !is_true(); k++) await wait(50); };
const SIDE = 200;
function paint(source, x, y, width, height, to_width, to_height) {
  const copy = document.createElement('canvas');
  copy.width = to_width;
  copy.height = to_height;
  const pen = copy.getContext('2d');
  pen.drawImage(source, x, y, width, height, 0, 0, to_width, to_height);
  const pixels = pen.getImageData(0, 0, to_width, to_height).data, colors = [];
  for (let k = 0; k < 7; k++)
    colors.push([1, 3, 5].map(i => parseInt(DATA.light[`part_${k}`].slice(i, i + 2), 16)));
  return Array.from({ length: to_width * to_height }, (_, i) =>
    colors.some(color => color.every((value, c) => Math.abs(value - pixels[4 * i + c]) < 12)));
}
/* The body alone, whatever its size and place: cut out and brought to a square. */
function body_of(source) {
  const on = paint(source, 0, 0, 800, 450, 800, 450), xs = [], ys = [];
  on.forEach((is_on, i) => { if (is_on) { xs.push(i % 800); ys.push(Math.floor(i / 800)); } });
  const left = Math.min(...xs), right = Math.max(...xs), top = Math.min(...ys), bottom = Math.max(...ys);
  return { shape: paint(source, left, top, right - left + 1, bottom - top + 1, SIDE, SIDE),
    ratio: (right - left) / (bottom - top), size: xs.length };
}
const shot = new Image();
shot.onload = async () => {
  const words = [];
  await until(() => creature);
  find('stage').style.cssText = 'flex: none; width: 800px; height: 450px';
  resize();
  fit();
  /* frames by hand: without a screen the browser may draw none */
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
  const here = body_of(canvas), there = body_of(shot);
  const both = here.shape.filter((is_on, i) => is_on && there.shape[i]).length;
  const either = here.shape.filter((is_on, i) => is_on || there.shape[i]).length;
  words.push(`overlap ${(100 * both / either).toFixed(0)} of ${Math.min(here.size, there.size)}`);
  words.push(Math.abs(here.ratio / there.ratio - 1) < 0.04 ? 'alike' : `ratios ${here.ratio} ${there.ratio}`);
  /* every overlay changes the picture, and goes again */
  const picture = () => { draw(); return canvas.toDataURL(); };
  for (const button of document.querySelectorAll('[data-layer]')) {
    const before = picture();
    button.click();
    const changed = picture() !== before;
    button.click();
    words.push(changed && picture() === before ? button.dataset.layer : `no-${button.dataset.layer}`);
  }
  /* a race: both in lanes of half the height, and back */
  const alone = picture();
  await setRace(true);
  setPlaying(false);
  time = 1;
  jump();
  words.push(picture() !== alone && find('name').textContent === 'race of 2' ? 'races' : 'does-not-race');
  await setRace(false);
  setPlaying(false);
  time = 1;
  jump();
  words.push(picture() === alone ? 'and-back' : 'not-back');
  find('who').value = 1;
  find('who').dispatchEvent(new Event('change'));
  await until(() => find('name').textContent === 'pusher');
  words.push(find('name').textContent);
  words.push(find('bar').style.background !== '' ? 'curve' : 'no-curve');
  document.title = words.join(' ');
};
END_OF_PROBE
awk '/<\/body>/ {exit} {print}' page.html >probe.html
{
    cat probe.js
    printf 'shot.src = "data:image/png;base64,%s";\n</script>\n</body>\n</html>\n' "$(base64 -w 0 shot.png)"
} >>probe.html
HOME=$work timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/browser" \
    --force-device-scale-factor=1 --blink-settings=preferredColorScheme=1 --window-size=900,700 \
    --enable-logging=stderr --virtual-time-budget=40000 --dump-dom "file://$work/probe.html" >dom 2>console ||
    { echo "skip: $browser does not start here" && exit 77; }
grep CONSOLE console && fail "the page has errors"
title=$(sed -n 's,.*<title>\(.*\)</title>.*,\1,p' dom | head -n 1)
[[ $title == "pauses plays scrubs overlap "*" alike trail marks limits torques contacts brain races and-back pusher curve" ]] || fail "the page: $title"
[[ $title =~ overlap\ ([0-9]+)\ of\ ([0-9]+) ]] || fail "no comparison: $title"
[ "${BASH_REMATCH[1]}" -ge 85 ] || fail "the canvas shows something else than the png: $title"
[ "${BASH_REMATCH[2]}" -ge 2000 ] || fail "the body is too small: $title"
echo "$title"
