/* ---- camera ---- */

/* The mean over nine moments so far apart. */
function target(t, apart = 0.07) {
  if (!race) return targetOf(t, apart);
  const [first, last] = ends(t, apart);
  return { x: (first + last) / 2, y: 0 };
}

/* Where the first and the last of a race are. */
function ends(t, apart) {
  const all = [];
  each(c => all.push(way(c) * targetOf(t, apart).x));
  return [Math.max(...all), Math.min(...all)];
}

function targetOf(t, apart = 0.07) {
  let x = 0, y = 0;
  for (let k = -4; k <= 4; k++) {
    const c = centre(Math.min(Math.max(t + k * apart, 0), duration()));
    x += c.x / 9;
    y += c.y / 9;
  }
  if (creature.ground) {
    const h = height / camera.scale;
    const ground = (0.5 - Math.max(creature.deep ? 0.36 : 0.26, Math.min(29 * ui / height, 0.45))) * h;
    const low = Math.max(ground, y + creature.height * 0.6 - 0.42 * h);
    y = low + Math.max(Math.min(low - h / 2, y - low), 0);
  }
  return { x, y };
}

function fit() {
  const scale = (share, h) => Math.min(h * share / Math.max(creature.height, 0.05),
    width * (creature.epochs ? 0.95 : creature.deep ? 0.4 : 0.34) / Math.max(creature.width, 0.05));
  camera.scale = scale(creature.epochs ? 0.88 : 0.46, height);
  if (race) {
    camera.scale = Infinity;
    each(() => { camera.scale = Math.min(camera.scale, scale(0.6, height / DATA.creatures.length)); });
    camera.room = 0.86 * width / camera.scale;
  }
  jump();
}

function jump() {
  const before = target(time - 0.1), after = target(time + 0.1), share = playing ? 1 / 0.2 : 0;
  Object.assign(camera, target(time), { vx: (after.x - before.x) * share, vy: (after.y - before.y) * share });
}

/* A critically damped spring, as in the window, in the time of the replay, so that it moves alike at every
 * speed. It aims as far ahead as it lags behind: a creature that goes steadily stays in the middle, however fast. */
const RATE = 6;
function chase(dt) {
  const span = playing ? dt * speed : dt, ahead = playing ? 2 / RATE : 0, n = Math.ceil(span * 60);
  for (let k = 1; k <= n; k++) {
    const h = span / n, goal = target(time + ahead - (playing ? (n - k) * h : 0)), decay = Math.exp(-RATE * h);
    for (const [p, v] of [['x', 'vx'], ['y', 'vy']]) {
      const off = camera[p] - goal[p], slope = camera[v] + RATE * off;
      camera[p] = goal[p] + (off + slope * h) * decay;
      camera[v] = (camera[v] - slope * RATE * h) * decay;
    }
  }
  /* no creature leaves the picture; in depth one that falls behind is nearer to the eye, and larger */
  const now = target(time, 0), share = creature.deep ? 0.2 : 0.25;
  for (const [p, reach] of [['x', share * width], ['y', share * height]])
    camera[p] = Math.min(Math.max(camera[p], now[p] - reach / camera.scale), now[p] + reach / camera.scale);
}

const sx = x => width / 2 + flip * (x - camera.x) * camera.scale;
const sy = y => height / 2 - (y - camera.y) * camera.scale;
