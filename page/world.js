/* ---- drawing ---- */

function mix(a, b, share) {
  const ch = (c, i) => c[0] === '#' ? parseInt(c.slice(1 + 2 * i, 3 + 2 * i), 16) : Number(c.match(/[0-9]+/g)[i]);
  const m = i => Math.round(ch(a, i) + (ch(b, i) - ch(a, i)) * share);
  return `rgb(${m(0)},${m(1)},${m(2)})`;
}

/* Each part has a colour of the palette. */
const COLORS = Object.keys(DATA.light).filter(name => name.startsWith('part_')).length;
const partColor = p => C[`part_${creature.parts[p][5] % COLORS}`];

/* ---- the eye: flat from the front, or of a scene with depth in perspective, as eye.c ---- */

function turn(dx, dy) {
  orbit.yaw -= dx;
  orbit.pitch = Math.min(Math.max(orbit.pitch + dy, -0.1), 1.5);
}

function meanDepth(t) {
  let sum = 0;
  for (let k = -3; k <= 3; k++) sum += centre(Math.min(Math.max(t + 0.1 * k, 0), duration())).z;
  return sum / 7;
}

/* project() maps a place to [x, y, scale, nearness], or null where it is too near to the eye; clip() a polygon, or a
 * line, to its places in the picture, without the points that are too near. */
function makeEye() {
  if (!creature.deep)
    return { flat: true, project: (x, y, z) => [sx(x), sy(y), camera.scale, z] };
  const far = 1.1 * Math.max(width, height) / camera.scale, z0 = meanDepth(time);
  const lowest = creature.ground ? Math.asin(Math.min(Math.max(0.04 - camera.y / far, -1), 1)) : -2;
  const pitch = Math.max(orbit.pitch, lowest);
  const sin = Math.sin(orbit.yaw), cos = Math.cos(orbit.yaw), sp = Math.sin(pitch), cp = Math.cos(pitch);
  const right = [cos, 0, -sin], up = [-sin * sp, cp, -cos * sp], back = [sin * cp, sp, cos * cp];
  const nearness = ([x, y, z]) => (x - camera.x) * back[0] + (y - camera.y) * back[1] + (z - z0) * back[2];
  const project = (x, y, z) => {
    const dx = x - camera.x, dy = y - camera.y, dz = z - z0, near = nearness([x, y, z]), left = far - near;
    if (left < 0.08 * far) return null;
    const scale = camera.scale * far / left;
    return [width / 2 + scale * (dx * right[0] + dz * right[2]),
      height / 2 - scale * (dx * up[0] + dy * up[1] + dz * up[2]), scale, near];
  };
  const clip = corners => {
    const most = 0.92 * far - 1e-9, kept = [];
    corners.forEach((a, i) => {
      const b = corners[(i + 1) % corners.length], na = nearness(a), nb = nearness(b);
      if (na <= most) kept.push(project(...a));
      if (na <= most !== nb <= most && (corners.length > 2 || i === 0))
        kept.push(project(...between(a, b, (most - na) / (nb - na) - (na <= most ? 1e-9 : -1e-9))));
    });
    return kept.filter(q => q);
  };
  const focus = camera.scale * far, at = [camera.x + far * back[0], camera.y + far * back[1], z0 + far * back[2]];
  return { flat: false, project, clip, z0, far, focus, at, right, up, back, pitch, horizon: height / 2 - focus * Math.tan(pitch),
    groundAt: y => at[1] / Math.max(sp + cp * (y - height / 2) / focus, 1e-6),
    haze: away => away > 1.3 * far ? 1 - Math.exp(-(away / far - 1.3) / 5) : 0 };
}

/* ---- the world: as draw_world.c, in depth as draw_space.c ---- */

function band(top, bottom, from, to) {
  if (bottom <= top) return;
  const fill = g.createLinearGradient(0, top, 0, bottom);
  fill.addColorStop(0, from);
  fill.addColorStop(1, to);
  g.fillStyle = fill;
  g.fillRect(0, top, width, bottom - top);
}

function hills(horizon, distance, size, share) {
  const shift = flip * camera.x * camera.scale * (1 - distance);
  g.fillStyle = mix(C.sky_bottom, C.grid, share);
  g.beginPath();
  g.moveTo(0, horizon);
  for (let x = 0; x <= width + 8; x += 8) {
    const k = (x + shift) / (size * 3.2) + distance * 40;
    const y = 0.55 + 0.3 * Math.sin(k) + 0.15 * Math.sin(2.3 * k + 1) + 0.07 * Math.sin(5.1 * k);
    g.lineTo(x, horizon - y * size);
  }
  g.lineTo(width + 8, horizon);
  g.fill();
}

function waves() {
  const spacing = 62 * ui, shiftX = flip * camera.x * camera.scale, shiftY = camera.y * camera.scale % spacing;
  g.strokeStyle = C.wave;
  g.lineWidth = 9 * ui;
  g.globalAlpha = 0.1;
  for (let row = -1; row * spacing <= height + spacing; row++) {
    const base = row * spacing + shiftY, depth = Math.floor(camera.y * camera.scale / spacing) - row;
    g.beginPath();
    for (let x = 0; x <= width + 12; x += 12) {
      const k = (x + shiftX) / (95 * ui);
      g.lineTo(x, base + 7 * ui * Math.sin(k + 1.7 * depth) +
        3 * ui * Math.sin(0.7 * time + 2.1 * k + depth));
    }
    g.stroke();
  }
  g.globalAlpha = 1;
}

function noise(c, r, salt) {
  const v = Math.sin(c * 127.1 + r * 311.7 + salt * 74.7) * 43758.5453;
  return v - Math.floor(v);
}

function specks() {
  const cell = 90 * ui / camera.scale, hx = width / camera.scale / 2, hy = height / camera.scale / 2;
  g.fillStyle = C.grid;
  g.globalAlpha = 0.22;
  for (let c = Math.floor((camera.x - hx) / cell); c <= (camera.x + hx) / cell; c++)
    for (let r = Math.floor((camera.y - hy) / cell); r <= (camera.y + hy) / cell; r++) {
      g.beginPath();
      g.arc(sx((c + noise(c, r, 1)) * cell), sy((r + noise(c, r, 2)) * cell),
        (0.7 + 1.3 * noise(c, r, 3)) * ui, 0, 7);
      g.fill();
    }
  g.globalAlpha = 1;
}

function markStep() {
  const least = 74 * ui / camera.scale, step = 10 ** Math.floor(Math.log10(least));
  return step >= least ? step : 2 * step >= least ? 2 * step : 5 * step >= least ? 5 * step : 10 * step;
}

const metres = v => `${Math.abs(v) < 1e-9 ? 0 : +v.toPrecision(6)} m`;

function line(x1, y1, x2, y2, color, alpha, thick) {
  g.globalAlpha = alpha;
  g.strokeStyle = color;
  g.lineWidth = thick;
  g.beginPath();
  g.moveTo(x1, y1);
  g.lineTo(x2, y2);
  g.stroke();
  g.globalAlpha = 1;
}

function label(text, x, y, align) {
  g.fillStyle = C.text_soft;
  g.font = `${11.5 * ui}px system-ui, 'DejaVu Sans', sans-serif`;
  g.textAlign = align;
  /* a text that the picture's edge would cut is left out */
  const wide = g.measureText(text).width, left = align === 'center' ? x - wide / 2 : x;
  if (left >= 2 && left + wide <= width - 2) g.fillText(text, x, y);
}

/* The height of a ground with relief. */
const reliefAt = (x, z) => {
  const { waves, depth } = creature.relief;
  return waves.reduce((sum, w) => sum + Math.sin(w[0] * x + w[1] * z + w[2]), -waves.length) * depth / (2 * waves.length);
};

/* The soil below its line; the sky above it stays. */
function reliefGround() {
  const trace = () => {
    g.beginPath();
    for (let x = 0; x < width + 3; x += 3) g.lineTo(x, sy(reliefAt(camera.x + flip * (x - width / 2) / camera.scale, 0)));
  };
  g.save();
  trace();
  g.lineTo(width + 3, height);
  g.lineTo(0, height);
  g.clip();
  band(Math.max(sy(0), 0), height, C.ground_top, C.ground_bottom);
  g.restore();
  trace();
  g.strokeStyle = C.ground_line;
  g.lineWidth = 2 * ui;
  g.stroke();
}

function ground() {
  const y = sy(creature.relief ? -creature.relief.depth : 0), step = markStep(), half = width / camera.scale / 2;
  if (sy(0) >= height) return;
  if (creature.relief) {
    reliefGround();
  } else {
    band(Math.max(y, 0), height, C.ground_top, C.ground_bottom);
    line(0, y + ui, width, y + ui, C.ground_line, 1, 2 * ui);
  }
  if (!layers.marks) return;
  for (let k = Math.floor((camera.x - half) / step * 5); k * step / 5 <= camera.x + half; k++) {
    const x = sx(k * step / 5), major = k % 5 === 0;
    line(x, y + 2 * ui, x, y + (major ? 9 : 5.5) * ui, C.ground_line, major ? 0.95 : 0.5, ui);
    if (major) label(metres(flip * k / 5 * step), x, y + 22 * ui, 'center');
  }
  g.setLineDash([4, 4]);
  line(sx(0), y, sx(0), Math.max(0, y - height / 2), C.text_soft, 0.45, ui);
  g.setLineDash([]);
}

function grid() {
  if (!layers.marks) return;
  const step = markStep(), hx = width / camera.scale / 2, hy = height / camera.scale / 2;
  for (let k = Math.ceil((camera.x - hx) / step); k * step <= camera.x + hx; k++) {
    line(sx(k * step), 0, sx(k * step), height, C.grid, k === 0 ? 0.45 : 0.16, ui);
    if (sx(k * step) > 50 * ui) label(metres(flip * k * step), sx(k * step) + 4 * ui, height - 6 * ui, 'left');
  }
  for (let k = Math.ceil((camera.y - hy) / step); k * step <= camera.y + hy; k++) {
    line(0, sy(k * step), width, sy(k * step), C.grid, k === 0 ? 0.45 : 0.16, ui);
    if (sy(k * step) < height - 24 * ui && sy(k * step) > 14 * ui)
      label(metres(k * step), 6 * ui, sy(k * step) - 4 * ui, 'left');
  }
}

function obstacles() {
  for (const [x, y, w, h, a] of creature.obstacles) {
    const pw = w * camera.scale, ph = h * camera.scale;
    g.save();
    g.translate(sx(x), sy(y));
    g.scale(flip, 1);
    g.rotate(-a);
    g.fillStyle = C.ground_bottom;
    g.fillRect(-pw / 2, -ph / 2, pw, ph);
    g.strokeStyle = C.ground_line;
    g.lineWidth = 2 * ui;
    g.lineJoin = 'round';
    g.strokeRect(-pw / 2, -ph / 2, pw, ph);
    g.restore();
  }
}

/* Height of the surface below a point, null where there is none. */
function surface(x, y) {
  let best = creature.ground ? 0 : null;
  for (const [ox, oy, w, h, a] of creature.obstacles) {
    const c = Math.cos(a), s = Math.sin(a), dx = x - ox;
    let low = -Infinity, high = Infinity;
    for (const [k, offset, half] of [[s, c * dx, w / 2], [c, -s * dx, h / 2]]) {
      if (Math.abs(k) < 1e-9) {
        if (Math.abs(offset) >= half) high = -Infinity;
        continue;
      }
      const one = (-half - offset) / k, two = (half - offset) / k;
      low = Math.max(low, Math.min(one, two));
      high = Math.min(high, Math.max(one, two));
    }
    if (low < high && oy + high <= y && (best === null || oy + high > best)) best = oy + high;
  }
  return best;
}

const hazeColor = () => ({ sky: C.sky_bottom, water: C.water_top, air: C.air_bottom })[creature.medium];
const hazed = (color, share) => mix(color, hazeColor(), share);
const clear = (color, alpha) => mix(color, color, 0).replace('rgb(', 'rgba(').replace(')', `,${alpha})`);

/* Two soft rows at the horizon, by the direction of the look: their height at a column, as a share. */
function hillAt(eye, x, row) {
  const a = Math.atan2(x - width / 2, eye.focus / Math.cos(eye.pitch)) - orbit.yaw;
  return 0.5 + 0.26 * Math.sin(7 * a + 2 * row) + 0.16 * Math.sin(13 * a + 1 + row) + 0.08 * Math.sin(31 * a + 3 * row);
}

function farHills(eye, size, row, share) {
  const fill = g.createLinearGradient(0, eye.horizon - 0.8 * size, 0, eye.horizon);
  fill.addColorStop(0, mix(C.sky_bottom, C.grid, share));
  fill.addColorStop(1, C.sky_bottom);
  g.fillStyle = fill;
  g.beginPath();
  g.moveTo(0, eye.horizon + 1);
  for (let x = 0; x <= width + 8; x += 8) g.lineTo(x, eye.horizon - hillAt(eye, x, row) * size);
  g.lineTo(width + 8, eye.horizon + 1);
  g.fill();
}

const roundStep = px => {
  const least = px * ui / camera.scale, step = 10 ** Math.floor(Math.log10(least));
  return step >= least ? step : 2 * step >= least ? 2 * step : 5 * step >= least ? 5 * step : 10 * step;
};

/* One path: where strips along x and along z cross, the even-odd rule leaves the tile out. */
function checker(eye, step) {
  const reach = 64 * step, level = Math.hypot(eye.back[0], eye.back[2]) || 1;
  const x = camera.x - 0.8 * eye.far * eye.back[0] / level, z = eye.z0 - 0.8 * eye.far * eye.back[2] / level;
  const firstX = 2 * Math.floor(x / step / 2) * step - reach, firstZ = 2 * Math.floor(z / step / 2) * step - reach;
  const strip = corners => {
    const points = eye.clip(corners);
    points.forEach((q, i) => i ? g.lineTo(q[0], q[1]) : g.moveTo(q[0], q[1]));
    if (points.length) g.closePath();
  };
  g.beginPath();
  for (let i = 0; i < 64; i++) {
    const x0 = firstX + 2 * i * step, z0 = firstZ + 2 * i * step;
    strip([[x0, 0, z - reach], [x0 + step, 0, z - reach], [x0 + step, 0, z + reach], [x0, 0, z + reach]]);
    strip([[x - reach, 0, z0], [x - reach, 0, z0 + step], [x + reach, 0, z0 + step], [x + reach, 0, z0]]);
  }
}

/* Whether a part lies over a piece of a rectangle: no straight line is found between them. */
const covered = (eye, x0, y0, x1, y1) => posesAt(time).some((q, p) => {
  for (let i = 0; i < 16; i++) {
    const right = Math.cos(i * Math.PI / 8), up = Math.sin(i * Math.PI / 8);
    const side = eye.right.map((v, k) => right * v + up * eye.up[k]), spot = eye.project(...reach(shapeOf(p), q, side));
    const least = Math.min(x0 * right, x1 * right) - Math.max(y0 * up, y1 * up);
    if (spot && spot[0] * right - spot[1] * up <= least) return false;
  }
  return true;
});

/* Cells of a ground with relief: a whole part of a tile, so that each is of one colour. */
const reliefCell = (step, count) => step / Math.max(Math.floor(step /
  Math.max((creature.relief?.length ?? 0) / 10, 0.7 * Math.hypot(width, height) / camera.scale / count)), 1);

/* Cells around the middle from far to near, each of one tile; towards the rim they rise to the flat ground. */
function deepWaves(eye, edge, step) {
  const count = 28, cell = reliefCell(step, count);
  const x0 = cell * Math.floor(camera.x / cell), z0 = cell * Math.floor(eye.z0 / cell);
  const alongX = Math.abs(eye.back[0]) > Math.abs(eye.back[2]), sign = eye.back[alongX ? 0 : 2] < 0 ? -1 : 1;
  const corner = (i, k) => {
    const x = x0 + i * cell, z = z0 + k * cell, share = 4 * (1 - Math.max(Math.abs(i), Math.abs(k)) / count);
    return [x, Math.min(share, 1) * reliefAt(x, z), z];
  };
  for (let row = -count; row < count; row++)
    for (let at = -count; at < count; at++) {
      const first = sign > 0 ? row : -1 - row, i = alongX ? first : at, k = alongX ? at : first;
      const corners = [corner(i, k), corner(i + 1, k), corner(i + 1, k + 1), corner(i, k + 1)];
      const points = eye.clip(corners), middle = between(corners[0], corners[2], 0.5);
      const spot = eye.project(...middle);
      if (points.length < 3 || !spot) continue;
      const away = Math.hypot(...middle.map((v, n) => eye.at[n] - v));
      const share = Math.min(Math.max((spot[1] - edge) / (height - edge), 0), 1);
      const high = step * eye.focus * eye.at[1] / (away * away) / ui, full = Math.min(Math.max((high - 1.5) / 7.5, 0), 1);
      const slopeX = (corners[1][1] - corners[0][1]) / cell, slopeZ = (corners[3][1] - corners[0][1]) / cell;
      const light = 0.5 * slopeX - 0.6 * slopeZ, odd = (Math.floor(middle[0] / step) + Math.floor(middle[2] / step)) & 1;
      let color = mix(C.ground_top, C.ground_bottom, 0.75 * share);
      if (odd) color = mix(color, C.ground_line, 0.21 * full);
      g.fillStyle = g.strokeStyle = hazed(mix(color, light < 0 ? C.shadow : '#ffffff', Math.min(Math.abs(light), 0.5)), eye.haze(away));
      g.lineWidth = 1;
      g.beginPath();
      points.forEach((q, n) => n ? g.lineTo(q[0], q[1]) : g.moveTo(q[0], q[1]));
      g.closePath();
      g.fill();
      g.stroke();
    }
}

/* How far the ground is depends on the row only: its colours, and how clear its tiles are, are gradients. */
function deepGround(eye, edge) {
  const step = roundStep(60), span = height - edge;
  if (!(span > 0)) return;
  const soil = g.createLinearGradient(0, edge, 0, height), tiles = g.createLinearGradient(0, edge, 0, height);
  for (let i = 0; i <= 14; i++) {
    const share = i * i / 196, far = eye.groundAt(edge + share * span), haze = eye.haze(far);
    const high = step * eye.focus * eye.at[1] / (far * far) / ui, full = Math.min(Math.max((high - 1.5) / 7.5, 0), 1);
    soil.addColorStop(share, hazed(mix(C.ground_top, C.ground_bottom, 0.75 * share), haze));
    tiles.addColorStop(share, clear(hazed(C.ground_line, haze), 0.21 * full));
  }
  g.fillStyle = soil;
  g.fillRect(0, edge, width, span);
  g.save();
  g.beginPath();
  g.rect(0, edge, width, span);
  g.clip();
  checker(eye, step);
  g.fillStyle = tiles;
  g.fill('evenodd');
  g.restore();
  if (creature.relief) deepWaves(eye, edge, step);
}

/* Marks stand along the level line from the start towards the end. */
function deepMarks(eye) {
  const step = roundStep(60);
  const start = centre(0), end = centre(duration()), way = Math.hypot(end.x - start.x, end.z - start.z);
  const [ux, uz] = way > 0.1 ? [(end.x - start.x) / way, (end.z - start.z) / way] : [1, 0];
  const first = Math.floor(((camera.x - start.x) * ux + (eye.z0 - start.z) * uz) / step);
  let labelled = null;
  for (let i = -7; i <= 7; i++) {
    const s = (first + i) * step, q = eye.project(start.x + s * ux, 0, start.z + s * uz);
    if (!q) continue;
    if (covered(eye, q[0] - 3, q[1] - 2, q[0] + 3, q[1] + 2)) continue;
    g.fillStyle = C.ground_line;
    g.beginPath();
    g.ellipse(q[0], q[1], 3.2 * ui, 3.2 * ui * Math.max(Math.sin(eye.pitch), 0.4), 0, 0, 7);
    g.fill();
    /* far away they would cover one another */
    if (labelled && Math.hypot(q[0] - labelled[0], q[1] - labelled[1]) < 34 * ui) continue;
    const text = metres(s), half = 3.6 * ui * text.length;
    if (covered(eye, q[0] - half, q[1] + 4 * ui, q[0] + half, q[1] + 16 * ui)) continue;
    labelled = q;
    label(text, q[0], q[1] + 14 * ui, 'center');
  }
}

/* One speck in every cell around the middle, fixed in the world. */
function deepSpecks(eye) {
  const cell = 105 * ui / camera.scale, n = 6, [x0, y0, z0] = [camera.x, camera.y, eye.z0].map(v => Math.floor(v / cell));
  g.fillStyle = C.grid;
  for (let x = x0 - 2 * n; x <= x0 + 2 * n; x++)
    for (let y = y0 - n; y <= y0 + n; y++)
      for (let z = z0 - n; z <= z0 + n; z++) {
        const at = [x + noise(x, y + 57 * z, 1), y + noise(x, y + 57 * z, 2), z + noise(x, y + 57 * z, 3)].map(v => v * cell);
        const q = eye.project(...at), away = Math.abs(at[2] - eye.z0) / (n * cell);
        if (!q || away >= 1) continue;
        const size = q[2] / camera.scale;
        g.globalAlpha = 0.3 * (1 - away) * Math.min(size, 1.4);
        g.beginPath();
        g.arc(q[0], q[1], (0.5 + 1.1 * noise(x, y + 57 * z, 4)) * ui * size, 0, 7);
        g.fill();
      }
  g.globalAlpha = 1;
}

/* As WebGL draws it, by paths. */
function deepPaths(eye, edge) {
  if (creature.medium === 'water') band(0, height, C.water_top, C.water_bottom);
  else if (creature.medium === 'air') band(0, height, C.air_top, C.air_bottom);
  else {
    const sky = g.createLinearGradient(0, edge - 0.6 * height, 0, edge);
    sky.addColorStop(0, C.sky_top);
    sky.addColorStop(1, C.sky_bottom);
    g.fillStyle = sky;
    g.fillRect(0, 0, width, edge);
    const size = Math.min(0.085 * height, 60 * ui);
    if (edge > 0) {
      farHills(eye, size, 0, 0.16);
      farHills(eye, 0.55 * size, 1, 0.26);
    }
  }
  if (creature.ground) deepGround(eye, edge);
  if (creature.ring) deepRing(eye);
}

function deepWorld() {
  const eye = makeEye(), edge = creature.ground ? Math.min(Math.max(Math.floor(eye.horizon), 0), height) : height, gpu = gpuNow();
  if (gpu) drawSpace(gpu, eye, edge);
  else deepPaths(eye, edge);
  if (creature.ground && layers.marks) deepMarks(eye);
  if (creature.medium !== 'sky') deepSpecks(eye);
}

/* A contest's ring. */
function ring() {
  const left = sx(-creature.ring), right = sx(creature.ring), high = sy(0.3), low = sy(0);
  for (const [x0, y0, x1, y1] of [[left, high, left, low], [left, low, right, low], [right, low, right, high]])
    line(x0, y0, x1, y1, C.contact, 0.9, 3 * ui);
}

const ringPoints = () => Array.from({ length: 97 }, (_, i) => [creature.ring * Math.cos(i * Math.PI / 48), 0, creature.ring * Math.sin(i * Math.PI / 48)]);

function deepRing(eye) {
  const points = ringPoints();
  for (let i = 0; i < 96; i++) {
    const ends = eye.clip(points.slice(i, i + 2));
    if (ends.length > 1) line(ends[0][0], ends[0][1], ends[1][0], ends[1][1], C.contact, 0.9, 3 * ui);
  }
}

function world() {
  if (creature.deep) return deepWorld();
  const horizon = Math.min(sy(creature.relief ? -creature.relief.depth : 0), height);
  if (creature.medium === 'water') band(0, height, C.water_top, C.water_bottom);
  else if (creature.medium === 'air') band(0, height, C.air_top, C.air_bottom);
  else band(0, horizon, C.sky_top, C.sky_bottom);
  if (creature.medium === 'sky' && horizon > 0) {
    const size = Math.min(0.28 * height, 130 * ui);
    hills(horizon, 0.85, size, 0.1);
    hills(horizon, 0.6, size * 0.55, 0.18);
  }
  if (creature.medium === 'water') waves();
  if (creature.medium !== 'sky') specks();
  obstacles();
  if (creature.ground) ground();
  else grid();
  if (creature.ring) ring();
}
