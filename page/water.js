/* ---- a world of a preserve: moments as web_epoch() shows them, drawn as draw_preserve.c does ---- */

const EDGES = { plants: '#3f8f4f', hunter: '#b3261e', carrion: '#8a7f73', spared: '#e0a526', flesh: '#e5342b' };
const BITES = [EDGES.plants, EDGES.carrion, EDGES.flesh];
const rgb = number => `#${number.toString(16).padStart(6, '0')}`;

/* The parts of a moment's numbers (page/water.c). */
export function readMoment(numbers) {
  let at = 0;
  const take = count => numbers.subarray(at, at += count), rows = count => Array.from({ length: count }, () => take(5));
  const [seconds, daylight, columns, lines, creatures, eggs, carcasses] = take(7);
  const plants = take(columns * lines);
  const living = Array.from({ length: creatures }, () => {
    const [mark, color, x, y, fullness, bitten, hunter, spared, family, generation, children, born, parts, mouths] = take(14);
    return { mark, color: rgb(color), x, y, fullness, bitten, hunter, spared, family, generation, children, born, parts: rows(parts), mouths: rows(mouths) };
  });
  return { seconds, daylight, columns, lines, plants, living, eggs: rows(eggs), carcasses: rows(carcasses) };
}

/* Simulates it in a worker of its own; promises the first moment, while the others follow. */
function liveWater(c) {
  const fail = error => { c.moments = null; throw error; };
  Object.assign(c, { moments: [], frames: 0, values: [[0]], mark: Number(BigInt(c.follow) & 0xffffffn), acts: [], status: 'simulating' });
  return new Promise((yes, no) => {
    const live = async () => {
      const worker = makeWorker(await moduleOf());
      let isSame = true;
      worker.each = numbers => {
        c.moments.push(numbers);
        c.frames = c.moments.length;
        yes(c);
      };
      try {
        await worker.ask(['begin', c.params], ['water', c.world, c.from, c.to]);
        for (const [digest, bytes] of c.epochs) isSame &= await worker.ask(['epoch', bytesOf(bytes), digest]);
        c.status = isSame ? 'verified' : 'differs';
        if (!c.frames) throw new Error('Nothing of this world is in that time.');
      } finally {
        worker.stop();
        if (creature === c) {
          heading(c);
          colors();
        }
      }
    };
    live().catch(error => { c.detail = error.message; c.status = 'not simulated'; no(error); });
  }).catch(fail);
}

const momentAt = (c, t) => readMoment(c.moments[Math.min(Math.max(Math.round(t * DATA.hz), 0), c.frames - 1)]);
/* The middle of the picture: the marked creature, else that of the water. */
function waterCentre(t) {
  const marked = creature.mark && momentAt(creature, t).living.find(c => c.mark === creature.mark);
  return marked ? { x: marked.x, y: marked.y, z: 0 } : { x: creature.width / 2, y: creature.height / 2, z: 0 };
}

function blob(x, y, radius, fill, alpha = 1) {
  g.globalAlpha = alpha;
  g.beginPath();
  g.arc(sx(x), sy(y), radius, 0, 7);
  g.fillStyle = fill;
  g.fill();
  g.globalAlpha = 1;
}
function halo(x, y, radius, color, thick, share = 1) {
  g.beginPath();
  g.arc(sx(x), sy(y), radius, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * share);
  g.strokeStyle = color;
  g.lineWidth = thick * ui;
  g.stroke();
}

function drawPlants({ columns, lines, plants }) {
  const side = creature.width / columns * camera.scale;
  g.fillStyle = EDGES.plants;
  plants.forEach((share, i) => {
    if (share < 0.04) return;
    const size = side * (0.25 + 0.6 * share);
    g.globalAlpha = 0.12 + 0.4 * share;
    g.fillRect(sx((i % columns + 0.5) * creature.width / columns) - size / 2, sy((Math.floor(i / columns) + 0.5) * creature.height / lines) - size / 2, size, size);
  });
  g.globalAlpha = 1;
}

function swimmerParts(c, paint) {
  for (const [x, y, angle, wide, high] of c.parts) {
    g.save();
    g.translate(sx(x), sy(y));
    g.rotate(-angle);
    rounded(wide * camera.scale, high * camera.scale, 0.42 * Math.min(wide, high) * camera.scale);
    paint();
    g.restore();
  }
}

function swimmer(c, before) {
  const reach = Math.max(...c.parts.map(([x, y, , wide, high]) => Math.hypot(x - c.x, y - c.y) + Math.max(wide, high) / 2)) * camera.scale;
  g.strokeStyle = c.hunter ? EDGES.hunter : mix(c.color, '#14222a', 0.6);
  g.lineWidth = (c.hunter ? 4 : 1.6) * ui;
  swimmerParts(c, () => g.stroke());
  g.fillStyle = mix('#f2f2ee', c.color, 0.4 + 0.6 * c.fullness);
  swimmerParts(c, () => g.fill());
  for (const [x, y, wide, kind, eaten] of c.mouths) {
    const size = Math.max(0.25 * wide * camera.scale, 1.8);
    if (eaten >= 0) blob(x, y, 2.4 * size, BITES[eaten], 0.85);
    blob(x, y, size, '#ffffff');
    if (kind === 1) blob(x, y, 0.6 * size, EDGES.flesh);
  }
  if (before && c.bitten > before.bitten) halo(c.x, c.y, Math.max(0.5 * reach, 7 * ui), EDGES.flesh, 2.2);
  if (c.spared) halo(c.x, c.y, reach + 4 * ui, EDGES.spared, 2);
  if (c.mark === creature.mark) halo(c.x, c.y, reach + 8 * ui, '#ffffff', 2);
}

const minutes = s => `${Math.floor(s / 60)}:${String(Math.floor(s % 60)).padStart(2, '0')}`;
function tellWater(moment) {
  const marked = moment.living.find(c => c.mark === creature.mark), hunters = moment.living.filter(c => c.hunter).length;
  return marked ? `${marked.hunter ? 'hunter' : 'grazer'} of family ${marked.family}, generation ${marked.generation}, ` +
    `${Math.round(100 * marked.fullness)} % full, age ${minutes(moment.seconds - marked.born)}, children: ${marked.children}` :
    `${minutes(moment.seconds)}   ${moment.living.length} living, ${hunters} of them hunters   eggs: ${moment.eggs.length}` +
    (creature.mark ? '   the marked one is not alive' : '');
}

function drawWater() {
  const moment = momentAt(creature, time), before = new Map(momentAt(creature, time - 1 / DATA.hz).living.map(c => [c.mark, c]));
  const top = sy(creature.height), low = sy(0), night = 0.5 * (1 - moment.daylight), depth = g.createLinearGradient(0, top, 0, low);
  depth.addColorStop(0, mix(DATA.light.water_top, '#10303e', night));
  depth.addColorStop(1, mix('#4f8aa0', '#10303e', night));
  g.fillStyle = C.panel;
  g.fillRect(0, 0, width, height);
  g.fillStyle = depth;
  g.fillRect(sx(0), top, creature.width * camera.scale, low - top);
  drawPlants(moment);
  for (const [x, y, radius] of moment.carcasses) blob(x, y, Math.max(0.6 * radius * camera.scale, 2), EDGES.carrion, 0.75);
  for (const [x, y, radius, share, color] of moment.eggs) {
    blob(x, y, Math.max(radius * camera.scale, 3), '#fdf6e3', 0.9);
    halo(x, y, Math.max(radius * camera.scale, 3), rgb(color), 1.6, Math.max(share, 0.02));
  }
  for (const c of moment.living) swimmer(c, before.get(c.mark));
  g.fillStyle = C.text;
  g.font = `${13 * ui}px system-ui, 'DejaVu Sans', sans-serif`;
  g.textAlign = 'left';
  g.fillText(tellWater(moment), 12 * ui, height - 12 * ui);
}

/* A tap marks the creature nearest to it, which the picture follows; a tap beside all marks none. */
function markAt(x, y) {
  const away = c => Math.min(...c.parts.map(([px, py, , wide, high]) => Math.hypot(sx(px) - x, sy(py) - y) - Math.max(wide, high) / 2 * camera.scale));
  const nearest = momentAt(creature, time).living.map(c => [away(c), c.mark]).sort((a, b) => a[0] - b[0])[0];
  creature.mark = nearest && nearest[0] < 8 * ui ? nearest[1] : 0;
}
