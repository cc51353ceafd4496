/* ---- turns: quaternions [w, x, y, z]; in the file they are rotation vectors ---- */

const turnOf = v => {
  const a = Math.hypot(...v), k = a < 1e-12 ? 0.5 : Math.sin(a / 2) / a;
  return [Math.cos(a / 2), ...v.map(c => c * k)];
};
const times = ([a, b, c, d], [e, f, g, h]) => [a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g,
  a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e];
/* The three columns of a unit quaternion's matrix. */
const axesOf = ([w, x, y, z]) => [
  [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
  [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
  [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const along = (a, b, s) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const between = (a, b, s) => a.map((v, i) => v + s * (b[i] - v));

/* Place, turn and axes of a part at a time. */
function pose(p, t) {
  const k = 3 + 6 * p, i = Math.min(Math.max(t * DATA.hz, 0), creature.frames - 1), low = Math.floor(i);
  const frame = n => turnOf([3, 4, 5].map(c => creature.values[k + c][Math.min(n, creature.frames - 1)]));
  const a = frame(low), b = frame(low + 1), sign = a.reduce((sum, v, c) => sum + v * b[c], 0) < 0 ? -1 : 1;
  const q = a.map((v, c) => v + (i - low) * (sign * b[c] - v)), size = Math.hypot(...q);
  return { at: [at(k, t), at(k + 1, t), at(k + 2, t)], turn: q.map(v => v / size), axes: axesOf(q.map(v => v / size)) };
}
const place = (q, v) => along(along(along(q.at, q.axes[0], v[0]), q.axes[1], v[1]), q.axes[2], v[2]);
const local = (q, v) => q.axes.map(axis => dot(axis, along(v, q.at, -1)));
const posesAt = t => creature.parts.map((_, p) => pose(p, t));

/* ---- shapes: [kind, part, other, drive, half, at, turn, end], as draw_body.c ---- */

/* The channel of a drive that is no rod. */
const driveChannel = index => brainFirst() + creature.nodes.length + 6 * creature.contacts +
  creature.drives.slice(0, index).filter(other => other[6] < 0).length;
/* A place of a part at birth, where it is now: a box that has a drive stretches. */
function grown(p, v, t = time, way = 1) {
  const [kind, , , drive] = creature.shapes[p];
  const e = kind === 'box' && drive >= 0 ? way * at(driveChannel(drive), t) : 0;
  return [v[0] * Math.exp(e), v[1] * Math.exp(-e), v[2]];
}
function shapeOf(p, t = time) {
  const [kind, part, other, drive, half, at, turn, end] = creature.shapes[p];
  return { kind, part, other, drive, half: p < creature.parts.length ? grown(p, half, t) : half, at, turn, end };
}
const least = ({ half: [x, y, z] }) => z > 0 ? Math.min(x, y, z) : Math.min(x, y);
const most = ({ half }) => Math.max(...half);

/* Where a ball or box reaches farthest in a direction. */
function reach(shape, q, way) {
  const middle = place(q, shape.at);
  if (shape.kind === 'ball') return along(middle, way, shape.half[0] / Math.hypot(...way));
  return axesOf(times(q.turn, shape.turn)).reduce((p, axis, i) => along(p, axis, Math.sign(dot(axis, way)) * shape.half[i]), middle);
}

function rounded(w, h, r) {
  const x = w / 2, y = h / 2, q = Math.min(r, x, y);
  g.beginPath();
  g.moveTo(x - q, y);
  g.arcTo(-x, y, -x, -y, q);
  g.arcTo(-x, -y, x, -y, q);
  g.arcTo(x, -y, x, y, q);
  g.arcTo(x, y, -x, y, q);
  g.closePath();
}

/* A rectangle from the front has round corners. */
function box(eye, shape, poses, fill) {
  const q = poses[shape.part], axes = axesOf(times(q.turn, shape.turn)), middle = place(q, shape.at);
  const [hx, hy] = shape.half, [x, y, scale] = eye.project(...middle);
  const thick = Math.min(Math.max(0.02 * Math.max(creature.width, creature.height) * camera.scale, 0.9 * ui), 2.4 * ui);
  g.save();
  g.translate(x, y);
  g.scale(flip, 1);
  g.rotate(-Math.atan2(axes[0][1], axes[0][0]));
  rounded(Math.max(2 * hx * scale - thick, 0.5), Math.max(2 * hy * scale - thick, 0.5), Math.min(0.64 * Math.min(hx, hy) * scale, 9 * ui));
  g.fillStyle = fill;
  g.fill();
  g.strokeStyle = mix(fill, '#14202a', 0.45);
  g.lineWidth = thick;
  g.stroke();
  g.restore();
}
function ball(eye, shape, poses, color) {
  const q = eye.project(...place(poses[shape.part], shape.at));
  if (!q) return;
  const r = Math.max(shape.half[0] * q[2], 1);
  const fill = g.createRadialGradient(q[0] - 0.35 * r, q[1] - 0.4 * r, 0.05 * r, q[0], q[1], r);
  fill.addColorStop(0, mix(color, '#ffffff', 0.55));
  fill.addColorStop(0.45, color);
  fill.addColorStop(1, mix(color, '#14202a', 0.42));
  g.beginPath();
  g.arc(q[0], q[1], r, 0, 7);
  g.fillStyle = fill;
  g.fill();
}

/* The ends of a rod in the world. */
const rodEnds = (rod, poses) => [place(poses[rod.part], rod.at), place(poses[rod.other], rod.end)];
/* How deep a place is in a shape. */
function depthIn({ kind, at, half }, spot) {
  const way = along(spot, at, -1), gaps = half.map((h, i) => h - Math.abs(way[i]));
  return Math.max(kind === 'ball' ? half[0] - Math.hypot(...way) : Math.min(...half[2] > 0 ? gaps : gaps.slice(0, 2)), 0);
}
const lengthOf = ([a, b]) => Math.hypot(...along(b, a, -1));

/* Length now by length at birth; 1 where nothing changes it. How thick a rod is, m: a muscle that is short is thick. */
const stretchOf = (shape, length) => shape.drive >= 0 ? length / (2 * shape.half[0]) : 1;
const rodWidth = (shape, length) => Math.min(least(shapeOf(shape.part)), least(shapeOf(shape.other))) *
  (shape.drive >= 0 ? 0.55 / Math.sqrt(Math.max(stretchOf(shape, length), 0.2)) : 0.38);
const rodColor = (shape, length) => shape.drive < 0 ? C.joint : mix(C.part_2, stretchOf(shape, length) < 1 ? C.negative : C.positive,
  Math.min(0.25 + 0.75 * drive(creature.drives[shape.drive][5]), 1));

function rod(eye, shape, poses) {
  const ends = rodEnds(shape, poses), length = lengthOf(ends), [a, b] = ends.map(p => eye.project(...p));
  if (!a || !b) return;
  const one = shapeOf(shape.part), other = shapeOf(shape.other), color = rodColor(shape, length);
  const flat = Math.hypot(b[0] - a[0], b[1] - a[1], (b[3] - a[3]) * (a[2] + b[2]) / 2);
  const from = 0.85 * depthIn(one, shape.at) * a[2] / flat, to = 0.85 * depthIn(other, shape.end) * b[2] / flat;
  if (!(from + to < 1)) return;
  const thick = Math.max(rodWidth(shape, length) * (a[2] + b[2]) / 2, 1.2 * ui);
  g.lineCap = 'round';
  for (const [style, wide] of [[mix(color, '#14202a', 0.5), thick + 1.4 * ui], [color, thick]])
    line(a[0] + (b[0] - a[0]) * from, a[1] + (b[1] - a[1]) * from, b[0] - (b[0] - a[0]) * to, b[1] - (b[1] - a[1]) * to, style, 1, wide);
  g.lineCap = 'butt';
}

/* The angle in the picture of a direction in a part's frame. */
function angleOf(eye, q, from, way) {
  const a = eye.project(...place(q, from)), b = eye.project(...place(q, along(from, way, 1e-3)));
  return a && b ? Math.atan2(b[1] - a[1], b[0] - a[0]) : 0;
}

/* The core of a joint glows with the effector's signal. */
const jointColor = p => {
  const effector = creature.drives[creature.parts[p][2]][5];
  return mix(C.joint, C.effector, effector < 0 ? 0 : 0.25 + 0.75 * drive(effector));
};

/* A disc, or a sleeve where a part slides from. */
function joint(eye, p, poses) {
  const [, parent, index, , base] = creature.parts[p], [, , linear, , , , , way] = creature.drives[index];
  const a = eye.project(...place(poses[parent], grown(parent, base)));
  if (!a) return;
  const side = 2 * Math.min(least(shapeOf(p)), least(shapeOf(parent)));
  const radius = Math.min(Math.max(0.26 * side * a[2], 1.6 * ui), 6.5 * ui);
  g.save();
  g.translate(a[0], a[1]);
  g.beginPath();
  if (linear) {
    g.rotate(angleOf(eye, poses[parent], base, way));
    g.rect(-radius, -radius, 2 * radius, 2 * radius);
  } else g.arc(0, 0, radius, 0, 7);
  g.fillStyle = jointColor(p);
  g.fill();
  g.strokeStyle = C.joint_line;
  g.lineWidth = Math.max(0.28 * radius, 0.8 * ui);
  g.stroke();
  g.restore();
}

/* In a flat picture one shadow lies below the whole body. */
function flatShadow(poses) {
  const ends = [[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0]].map(way => poses.map((q, p) => reach(shapeOf(p), q, way)));
  const left = Math.min(...ends[0].map(v => v[0])), right = Math.max(...ends[1].map(v => v[0]));
  const low = Math.min(...ends[2].map(v => v[1])), floor = surface((left + right) / 2, Math.max(...ends[3].map(v => v[1])));
  if (floor === null) return;
  const share = 1 / (1 + 2.5 * Math.max(low - floor, 0) / Math.max(creature.width, creature.height, 1e-3));
  g.globalAlpha = 0.22 * share;
  g.fillStyle = C.shadow;
  g.beginPath();
  g.ellipse(sx((left + right) / 2), sy(floor) + 3 * ui,
    Math.max((right - left) / 2 * camera.scale * (0.6 + 0.4 * share), 1), 3.2 * ui, 0, 0, 7);
  g.fill();
  g.globalAlpha = 1;
}

function light(eye) {
  const spot = eye.project(...lightAt());
  if (!spot) return;
  g.fillStyle = C.light;
  for (const ring of [4, 3, 2, 1]) {
    g.globalAlpha = ring > 1 ? 0.12 : 1;
    g.beginPath();
    g.arc(spot[0], spot[1], 7 * ui * ring, 0, 7);
    g.fill();
  }
}

/* From the farthest to the nearest; where all are equally far, the last part first, then the joints. */
function body() {
  if (creature.deep) return deepBody();
  const eye = makeEye(), poses = posesAt(time), painters = { box, ball, rod }, items = [];
  const near = spot => (eye.project(...spot) || [0, 0, 0, Infinity])[3];
  if (creature.light) light(eye);
  flatShadow(poses);
  flatSkin(eye, ghostLimbs());
  if (!layers.shapes) return flatSkin(eye, limbsNow(poses));
  for (let i = creature.shapes.length - 1; i >= 0; i--) {
    const shape = shapeOf(i), middle = shape.kind === 'rod' ? between(...rodEnds(shape, poses), 0.5) : place(poses[shape.part], shape.at);
    items.push([near(middle), () => painters[shape.kind](eye, shape, poses, partColor(shape.part))]);
  }
  for (let p = creature.parts.length - 1; p >= 0; p--)
    if (creature.parts[p][2] >= 0) {
      const [, parent, , , base] = creature.parts[p];
      items.push([near(place(poses[parent], grown(parent, base))), () => joint(eye, p, poses)]);
    }
  items.sort((a, b) => a[0] - b[0]);
  items.forEach(item => item[1]());
}

function trail() {
  const eye = makeEye();
  g.strokeStyle = C.trail;
  g.globalAlpha = 0.55;
  g.lineWidth = 1.5 * ui;
  g.lineJoin = 'round';
  g.beginPath();
  for (let i = 0; i <= time * DATA.hz && i < creature.frames; i++) {
    const spot = eye.project(...[0, 1, 2].map(k => creature.values[k][i]));
    if (spot) g.lineTo(spot[0], spot[1]);
  }
  g.stroke();
  g.globalAlpha = 1;
}

/* ---- overlays: as draw_overlay.c ---- */

/* A path, and a head from p to q if they are there, over a pale edge: a part may have their own colour. */
function edged(path, color, thick, p, q) {
  const end = p && q ? head(p, q) : new Path2D();
  g.strokeStyle = C.joint;
  g.lineWidth = thick + 1.8 * ui;
  g.stroke(path);
  g.lineWidth = 1.8 * ui;
  g.stroke(end);
  g.strokeStyle = g.fillStyle = color;
  g.lineWidth = thick;
  g.stroke(path);
  g.fill(end);
}

const polyline = spots => {
  const path = new Path2D();
  if (spots.every(q => q)) spots.forEach(q => path.lineTo(q[0], q[1]));
  return path;
};

function arrow(eye, a, b, color, thick) {
  const p = eye.project(...a), q = eye.project(...b), h = 5 * ui;
  if (!p || !q) return;
  edged(polyline([p, q]), color, thick, Math.hypot(q[0] - p[0], q[1] - p[1]) >= 0.8 * h && p, q);
}

/* Where a contact of a frame is a little later: the part that it is on takes it along. */
function carried(spot) {
  const then = Math.floor(time * DATA.hz + 1e-6) / DATA.hz;
  let nearest = Infinity, carry = spot;
  creature.parts.forEach((_, p) => {
    const shape = shapeOf(p, then), here = local(pose(p, then), spot), way = along(here, shape.at, -1);
    const away = shape.kind === 'ball' ? Math.abs(Math.hypot(...way) - shape.half[0]) :
      Math.hypot(...way.map((v, i) => Math.max(Math.abs(v) - shape.half[i], 0)));
    if (away >= nearest) return;
    nearest = away;
    carry = place(pose(p, time), grown(p, grown(p, here, then, -1)));
  });
  return carry;
}

/* A force as large as the weight is 26 px long. */
function contacts(eye) {
  const first = brainFirst() + creature.nodes.length, unit = 26 * ui / camera.scale;
  for (let k = first; k < first + 6 * creature.contacts; k += 6) {
    const impulse = [3, 4, 5].map(i => step(k + i, time));
    if (Math.hypot(...impulse) < 0.01) continue;
    const from = carried([0, 1, 2].map(i => step(k + i, time))), spot = eye.project(...from);
    if (!spot) continue;
    arrow(eye, from, along(from, impulse, unit), C.contact, 2 * ui);
    const dot = new Path2D();
    dot.arc(spot[0], spot[1], 1.5 * ui, 0, 7);
    edged(dot, C.contact, 3 * ui);
  }
}

/* Colour and width of the pointer that shows a drive's position. */
const pointer = full => [full ? C.contact : C.joint_line, 0.9, (full ? 2.4 : 1.4) * ui];
const isFull = (value, lower, upper, slack) => value < lower + slack || value > upper - slack;
const effortColor = share => share < 0 ? C.negative : C.positive;

function notch(eye, spot, angle, long, style) {
  const s = eye.project(...spot), x = long * ui * Math.cos(angle), y = long * ui * Math.sin(angle);
  if (s) edged(polyline([[s[0] - x, s[1] - y], [s[0] + x, s[1] + y]]), style[0], style[2]);
}

/* Discs give the place in the picture of an angle of a drive, and of its middle. In the plane that a joint turns in: */
function jointDisc(eye, index, poses, value, radius) {
  const [p, axis, , , , , , way, hand] = creature.drives[index], [, parent, , , base] = creature.parts[p];
  const { axes } = poses[axis ? p : parent], turned = v => [0, 1, 2].map(i => axes[0][i] * v[0] + axes[1][i] * v[1] + axes[2][i] * v[2]);
  const u = turned(hand), [a, b, c] = turned(way), v = [b * u[2] - c * u[1], c * u[0] - a * u[2], a * u[1] - b * u[0]];
  const middle = place(poses[parent], grown(parent, base)), back = axis ? -value : 0;
  const at = (angle, reach) => eye.project(...along(along(middle, u, reach * radius * Math.cos(angle + back)), v, reach * radius * Math.sin(angle + back)));
  return at;
}
/* Facing the eye, zero upwards, clockwise. */
const dialDisc = (x, y, radius) => (angle, reach) => [x + reach * radius * Math.sin(angle), y - reach * radius * Math.cos(angle)];

const arcSpots = (disc, from, to) => Array.from({ length: 41 }, (_, i) => disc(from + (to - from) * i / 40, 1));

/* From lower to upper, and a hand at the value. */
function sector(disc, [, , , lower, upper], value, alpha) {
  const middle = disc(0, 0), hand = disc(value, 1.12);
  if (!middle || !hand || !(lower < upper)) return;
  const path = polyline([middle, ...arcSpots(disc, Math.max(lower, -Math.PI), Math.min(upper, Math.PI)), middle]);
  g.globalAlpha = alpha;
  g.fillStyle = C.limit;
  g.fill(path);
  g.globalAlpha = 0.8;
  edged(path, C.limit, ui);
  g.globalAlpha = 1;
  const [color, , thick] = pointer(isFull(value, lower, upper, 0.01));
  edged(polyline([middle, hand]), color, thick);
}

function head(a, b) {
  const h = 5 * ui, long = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1, dx = (b[0] - a[0]) / long, dy = (b[1] - a[1]) / long;
  const path = polyline([[b[0] + dx * h, b[1] + dy * h], [b[0] - dy * h * 0.7, b[1] + dx * h * 0.7], [b[0] + dy * h * 0.7, b[1] - dx * h * 0.7]]);
  path.closePath();
  return path;
}

function arc(disc, begin, turn, color, thick, headed) {
  if (!disc(0, 0)) return;
  const spots = arcSpots(disc, begin, begin + 1.5 * Math.PI * turn);
  edged(polyline(spots), color, thick, ...headed ? spots.slice(-2) : []);
}

/* Where a muscle's end would be at its shortest and its longest; its force, outwards where it pushes. */
function rodDrive(eye, index, poses, share) {
  const [, , , lower, upper, , shape] = creature.drives[index], own = shapeOf(shape), [a, b] = rodEnds(own, poses);
  const length = lengthOf([a, b]), birth = 2 * own.half[0], p = eye.project(...a), q = eye.project(...b);
  if (!p || !q || !(length > 0)) return;
  const across = Math.atan2(q[1] - p[1], q[0] - p[0]) + Math.PI / 2;
  if (layers.limits) {
    for (const end of [lower, upper]) notch(eye, between(a, b, end / length), across, 5, [C.limit, 0.9, 1.4 * ui]);
    notch(eye, b, across, 7, pointer(isFull(length, lower, upper, 0.002 * birth)));
  }
  const far = Math.abs(share) * Math.min(30 * ui / camera.scale / length, 0.4);
  for (const side of share ? [-1, 1] : []) {
    const ends = [between(a, b, 0.5), between(a, b, 0.5 + side * far)];
    arrow(eye, ends[share > 0 ? 0 : 1], ends[share > 0 ? 1 : 0], effortColor(share), (1.5 + 2 * Math.abs(share)) * ui);
  }
}

/* A joint at one place. */
function jointDrive(eye, index, poses, share, value) {
  const [p, , linear, lower, upper, , , way] = creature.drives[index], [, parent, , anchor, base] = creature.parts[p], q = poses[parent];
  const spot = eye.project(...place(q, grown(parent, base))), thick = (1.5 + 2 * Math.abs(share)) * ui;
  if (!spot) return;
  if (linear) {
    const [from, to, now, end] = [lower, upper, value, value + share * 34 * ui / camera.scale].map(v => place(q, along(grown(parent, base), way, v)));
    const across = angleOf(eye, q, base, way) + Math.PI / 2, a = eye.project(...from), b = eye.project(...to);
    if (layers.limits && a && b) {
      edged(polyline([a, b]), C.limit, ui);
      for (const v of [from, to]) notch(eye, v, across, 6, [C.limit, 0.7, ui]);
      notch(eye, now, across, 8.4, pointer(isFull(value, lower, upper, 0.002)));
    }
    if (share) arrow(eye, now, end, effortColor(share), thick);
    return;
  }
  const disc = (part, low, high) => jointDisc(eye, index, poses, value,
    Math.min(Math.max(part * Math.hypot(...anchor) * spot[2], low * ui), high * ui) / spot[2]);
  if (layers.limits) sector(disc(0.7, 8, 46), creature.drives[index], value, 0.16);
  if (share) arc(disc(0.35, 12, 24), value, share, effortColor(share), thick, true);
}

/* A joint without a plane of its own: a dial beside its part, zero upwards. */
function dial(eye, index, poses, share, value) {
  const [p, second] = creature.drives[index], shape = shapeOf(p), spot = eye.project(...place(poses[p], shape.at)), r = 11 * ui;
  if (!spot) return;
  const x = spot[0] + (second ? -1 : 1) * (most(shape) * spot[2] + r), y = spot[1];
  if (layers.limits) sector(dialDisc(x, y, r), creature.drives[index], value, 0.25);
  if (share) arc(dialDisc(x, y, 0.75 * r), 0, Math.sign(share) * Math.sqrt(Math.abs(share)), effortColor(share), (1.5 + 2 * Math.abs(share)) * ui);
}

/* Contacts always; of one alone also what its drives do. */
function overlays(alone) {
  const eye = makeEye(), poses = posesAt(time);
  let channel = brainFirst() + creature.nodes.length + 6 * creature.contacts;
  creature.drives.forEach(([p, , , lower, upper, effector, shape], index) => {
    const value = shape < 0 ? at(channel++, time) : 0, placed = creature.drives[index][7].some(v => v);
    if (!alone || !(layers.limits || layers.torques)) return;
    const full = effector < 0 || !layers.torques ? 0 : Math.min(Math.max(torque(effector, time), -1), 1);
    const share = Math.abs(full) < 0.01 ? 0 : full;
    if (shape >= 0) rodDrive(eye, index, poses, share);
    else if (placed) jointDrive(eye, index, poses, share, value);
    else if (lower < upper) dial(eye, index, poses, share, value);
  });
  if (layers.contacts) contacts(eye);
}
