/* ---- play: acts on a creature, each of which can be undone. An act is { deeds: [...] } on its way, or { cut: [effectors] }, { mute: [neurons] }
 * or { body, factor } from its start; deeds are as Machine.change() takes them ---- */

const PUSH_S = 0.1, PUSH_RATE = 3; /* a push of 1 m of the picture makes it 3 m/s faster */

export const pushAt = (tick, length, way) => {
  const pull = way.map(v => v * PUSH_RATE / PUSH_S), ticks = Math.max(Math.round(PUSH_S / length), 1);
  return { deeds: [{ tick, pull }, { tick: tick + ticks, pull: pull.map(v => -v) }] };
};
export const turnAt = (tick, key, value) => ({ deeds: [{ tick, key, value: String(value) }] });
/* A knob that is turned further is one act. */
export const isFurther = (act, before) => !!before?.deeds && !!act.deeds && before.deeds[0].key !== undefined &&
  before.deeds[0].key === act.deeds[0].key;

let tool = 'push', aim = null, isBusy = false, wish = null;
const tickNow = () => Math.max(Math.round(Math.min(time, duration()) / creature.tick), 0);
const tell = text => { find('told').textContent = text; find('told').hidden = !text; };
const isPlaying = () => !find('sheet').hidden;

/* Does the newest wish, one after the other. */
async function wishFor(f) {
  wish = f;
  if (isBusy) return;
  isBusy = true;
  for (let next; (next = wish);) {
    wish = null;
    await next().catch(error => tell(error.message));
    afterAct();
  }
  isBusy = false;
}

function afterAct() {
  heading(creature);
  colors();
  curve();
  find('undo').disabled = find('reset').disabled = !creature.acts.length;
}

/* Life goes on from where it was changed, if the moment is on the screen. */
function act(next) {
  const c = creature;
  return wishFor(async () => {
    const before = c.acts.slice();
    if (isFurther(next, before.at(-1))) {
      next.deeds[0].tick = before.at(-1).deeds[0].tick;
      c.acts.pop();
    }
    c.acts.push(next);
    try {
      await liveOn(c, next);
      if (next.deeds) setPlaying(true);
    } catch (error) {
      c.acts = before;
      await live(c);
      throw error;
    }
  });
}

const undo = () => wishFor(async () => {
  const last = creature.acts.pop();
  if (last) await liveOn(creature, last);
  showKnobs();
});
const reset = () => wishFor(async () => {
  creature.acts = [];
  await live(creature);
  showKnobs();
});

/* The part nearest to a place of the picture, px. */
function partAt(x, y) {
  const eye = makeEye(), poses = posesAt(time), spots = poses.map(q => eye.project(...q.at));
  const away = spots.map((spot, p) => {
    if (!spot) return Infinity;
    const shape = shapeOf(p), here = local(poses[p], [camera.x + (x - width / 2) / camera.scale, camera.y - (y - height / 2) / camera.scale, 0]);
    const out = creature.deep ? 0 : Math.max(...here.slice(0, 2).map((v, i) => Math.abs(v) - shape.half[i])) * camera.scale;
    return creature.deep ? Math.hypot(spot[0] - x, spot[1] - y) - least(shape) * spot[2] : out;
  });
  return away.indexOf(Math.min(...away));
}

/* A way in the picture, px, in the world, m. */
function wayOf(dx, dy) {
  const eye = makeEye();
  if (eye.flat) return [flip * dx / camera.scale, -dy / camera.scale, 0];
  return eye.right.map((v, i) => (v * dx - eye.up[i] * dy) / camera.scale);
}

const LIGHT_PX = 24;
const isOnLight = (x, y) => {
  const spot = creature.light && makeEye().project(...lightAt());
  return !!spot && Math.hypot(spot[0] - x, spot[1] - y) < LIGHT_PX * ui;
};
function push({ x, y, toX, toY }) {
  if (Math.hypot(toX - x, toY - y) <= 6 * ui) return tell(HINTS.push);
  const way = wayOf(toX - x, toY - y);
  if (!isOnLight(x, y)) return act(pushAt(tickNow(), creature.tick, way));
  return act({ deeds: [{ tick: tickNow(), light: lightAt().map((v, i) => v + way[i]) }] });
}

const HINTS = { push: 'drag to push it, or the light', cut: 'tap a part, or a neuron of the brain', longer: 'tap a part', shorter: 'tap a part' };
const tools = {
  push,
  cut({ x, y }) {
    const node = nodeAt(x, y);
    if (node) return act(node.isNeuron ? { mute: [node.index] } : { cut: [node.index] });
    const part = partAt(x, y), cut = creature.drives.filter(drive => drive[0] === part && drive[5] >= 0).map(drive => drive[5]);
    if (!cut.length) return tell('this part is moved by no muscle of its own');
    tell(`${cut.length > 1 ? `${cut.length} muscles are` : 'a muscle is'} cut`);
    return act({ cut });
  },
  longer: spot => act({ body: creature.parts[partAt(spot.x, spot.y)][0], factor: 1.25 }),
  shorter: spot => act({ body: creature.parts[partAt(spot.x, spot.y)][0], factor: 0.8 }),
};

function showKnobs() {
  find('knobs').replaceChildren(...creature.knobs.map(([name, key, value, most]) => {
    const label = document.createElement('label'), input = document.createElement('input'), now = document.createElement('output');
    const last = creature.acts.flatMap(a => a.deeds ?? []).filter(deed => deed.key === key).at(-1);
    Object.assign(input, { type: 'range', min: 0, max: most, step: most / 100, value: last?.value ?? value });
    const print = () => { now.textContent = ` ${+Number(input.value).toPrecision(3)}`; };
    input.oninput = () => { print(); act(turnAt(tickNow(), key, input.value)); };
    print();
    label.append(name, now, input);
    return label;
  }));
}

function setPlayground(on) {
  if (on && race) setRace(false);
  if (on) setBreeding(false);
  find('sheet').hidden = !on;
  document.body.classList.toggle('plays', on);
  find('toy').setAttribute('aria-pressed', String(on));
  if (on) showKnobs();
  tell(on ? HINTS[tool] : '');
  resize();
}

function chooseTool(name) {
  tool = name;
  for (const button of document.querySelectorAll('[data-tool]')) button.setAttribute('aria-pressed', String(button.dataset.tool === name));
  tell(HINTS[name]);
}

/* The target of a touch is drawn over the picture. */
function drawAim() {
  if (!aim || tool !== 'push') return;
  line(aim.x, aim.y, aim.toX, aim.toY, C.contact, 1, 3 * ui);
  const end = new Path2D();
  end.arc(aim.toX, aim.toY, 6 * ui, 0, 7);
  g.fillStyle = C.contact;
  g.fill(end);
}

function watchPlay() {
  const spot = e => {
    const box = canvas.getBoundingClientRect();
    return [(e.clientX - box.left) * ui, (e.clientY - box.top) * ui];
  };
  const on = (name, f) => canvas.addEventListener(name, e => {
    if (!isPlaying() || !creature) return;
    e.stopImmediatePropagation();
    f(e);
  }, true);
  on('pointerdown', e => {
    const [x, y] = spot(e);
    aim = { x, y, toX: x, toY: y };
  });
  on('pointermove', e => { if (aim) [aim.toX, aim.toY] = spot(e); });
  on('pointercancel', () => { aim = null; });
  on('pointerup', () => {
    const done = aim;
    aim = null;
    if (done) tools[tool](done);
  });
  for (const button of document.querySelectorAll('[data-tool]')) button.onclick = () => chooseTool(button.dataset.tool);
  find('undo').onclick = undo;
  find('reset').onclick = reset;
  find('toy').onclick = () => setPlayground(!isPlaying());
  find('put-away').onclick = () => setPlayground(false);
}
