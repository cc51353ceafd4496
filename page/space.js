/* ---- space: painter's order as order.c, light and soft shadows as shade.c ---- */

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const minus = (a, b) => along(a, b, -1);
const scaled = (a, s) => a.map(v => s * v);
const unit = a => scaled(a, 1 / Math.hypot(...a));
const heightOver = (plane, p) => dot(plane.normal, minus(p, plane.corners[0]));
const BEYOND = 1, BEFORE = 2, BOTH = 3;

/* A piece is a polygon that looks at the eye, with its corners and normal, or a spot with one corner. */
function side(plane, piece, slack) {
  let found = 0;
  for (const corner of piece.corners) {
    const h = heightOver(plane, corner);
    found |= h > slack ? BEFORE : h < -slack ? BEYOND : 0;
  }
  return piece.corners.length === 1 && !found ? BEFORE : found;
}

/* The part of a polygon before a plane (sign 1) or beyond it (-1); `cuts` says which sides are cuts. */
function cutOff(plane, piece, sign) {
  const part = Object.assign({}, piece, { corners: [], cuts: [] });
  const add = (corner, cut) => { part.corners.push(corner); part.cuts.push(cut); };
  piece.corners.forEach((a, i) => {
    const b = piece.corners[(i + 1) % piece.corners.length], from = sign * heightOver(plane, a), to = sign * heightOver(plane, b);
    if (from >= 0) add(a, piece.cuts[i]);
    if (from >= 0 !== to >= 0) add(along(a, minus(b, a), from / (from - to)), from >= 0 || piece.cuts[i]);
  });
  return part;
}

/* Paints all from the farthest to the nearest. */
function paintSorted(list, slack) {
  const planes = list.filter(piece => piece.corners.length > 1), every = Math.ceil(planes.length / 8);
  if (!planes.length) {
    list.sort((a, b) => a.near - b.near || a.rank - b.rank).forEach(piece => piece.draw(piece));
    return;
  }
  let plane = null, least = Infinity;
  planes.forEach((candidate, i) => {
    if (i % every) return;
    const counts = [0, 0, 0, 0];
    for (const piece of list) if (piece !== candidate) counts[side(candidate, piece, slack)]++;
    const cost = 8 * counts[BOTH] + Math.abs(counts[BEYOND] - counts[BEFORE]);
    if (cost < least) [plane, least] = [candidate, cost];
  });
  const beyond = [], inside = [], before = [];
  for (const piece of list) {
    const where = piece === plane ? 0 : side(plane, piece, slack);
    if (where === BOTH) {
      beyond.push(cutOff(plane, piece, -1));
      before.push(cutOff(plane, piece, 1));
    } else [inside, beyond, before][where].push(piece);
  }
  paintSorted(beyond, slack);
  inside.forEach(piece => piece.draw(piece));
  paintSorted(before, slack);
}

/* ---- light ---- */

const SUN = unit([-0.6, 0.72, 0.28]), SHADE = '#14202a';
const across = way => {
  const u = unit(cross(Math.abs(way[0]) < 0.7 ? [1, 0, 0] : [0, 0, 1], way));
  return [u, cross(way, u)];
};
/* Directions that light comes from, with what each takes away: the sun's disc and the sky. */
function makeLights(suns, skies) {
  const turns = Math.PI * (3 - Math.sqrt(5)), [u, v] = across(SUN), list = [];
  for (let i = 0; i < suns; i++) {
    const r = 0.1 * Math.sqrt((i + 0.5) / suns);
    list.push({ from: unit(along(along(SUN, u, r * Math.cos(i * turns)), v, r * Math.sin(i * turns))), dark: 0.4 / suns, sun: true });
  }
  for (let i = 0; i < skies; i++) {
    const r = 0.8 * Math.sqrt((i + 0.5) / skies), a = i * turns + 1;
    list.push({ from: [r * Math.cos(a), Math.sqrt(1 - r * r), r * Math.sin(a)], dark: 0.28 / skies, sun: false });
  }
  return list;
}
const LIGHTS = makeLights(10, 16), LIGHTS_FEW = makeLights(6, 8), LIGHTS_LEAST = makeLights(3, 3);
const litBy = normal => Math.min(Math.max(-0.62 + 1.15 * Math.max(dot(normal, SUN), 0) + 0.3 * normal[1], -1), 1);
const shaded = (color, lit) => lit > 0 ? mix(color, '#ffffff', 0.42 * lit) : mix(color, SHADE, -0.52 * lit);

/* The outline that casts a shadow: a box by its corners, or the hull of balls. */
const castBox = (owner, middle, halves) => {
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map(i =>
    halves.reduce((p, half, k) => along(p, half, i >> k & 1 ? 1 : -1), middle));
  return { owner, middle, corners, reach: Math.hypot(...minus(corners[7], middle)) };
};
const castBalls = (owner, ends, radius, thin) =>
  ({ owner, ends, radius, thin, middle: between(ends[0], ends[1], 0.5), reach: lengthOf(ends) / 2 + radius });

/* Places of a plane where the light that comes from a direction does not arrive: points whose hull it is. */
function castOn(caster, plane, from) {
  const over = p => dot(plane.normal, minus(p, plane.at)), fall = p => along(p, from, -over(p) / dot(plane.normal, from));
  if (!caster.corners) {
    const [u, v] = across(from), list = [];
    for (const end of over(caster.ends[0]) < 0 && over(caster.ends[1]) < 0 ? [] : caster.ends)
      for (let i = 0; i < 14; i++)
        list.push(fall(along(along(end, u, caster.radius * Math.cos(i * Math.PI / 7)), v, caster.radius * Math.sin(i * Math.PI / 7))));
    return list;
  }
  const heights = caster.corners.map(over), list = caster.corners.filter((_, i) => heights[i] >= 0).map(fall);
  for (let i = 0; i < 8; i++)
    for (const bit of [1, 2, 4])
      if (!(i & bit) && heights[i] >= 0 !== heights[i | bit] >= 0)
        list.push(between(caster.corners[i], caster.corners[i | bit], heights[i] / (heights[i] - heights[i | bit])));
  return list;
}

/* The convex hull of points of a plane, counter-clockwise as seen from before it. */
function hullOf(plane, points) {
  const [u, v] = across(plane.normal);
  const flat = points.map(p => [dot(p, u), dot(p, v), p]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const chain = list => {
    const hull = [];
    for (const p of list) {
      while (hull.length > 1) {
        const [a, b] = hull.slice(-2);
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
        hull.pop();
      }
      hull.push(p);
    }
    return hull.slice(0, -1);
  };
  return [...chain(flat), ...chain(flat.reverse())].map(p => p[2]);
}

/* All shadows are added up in a picture of their own: laid over one another they would be rounded each time. */
const mask = document.createElement('canvas').getContext('2d');
function cast(eye, casters, plane, radius, owner, strength) {
  const layers = [], box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { from, dark, sun } of isRough() ? LIGHTS_LEAST : LIGHTS) {
    if (dot(plane.normal, from) < 0.06) continue;
    const path = new Path2D();
    let some = false;
    for (const caster of casters) {
      const way = minus(caster.middle, plane.at), far = dot(way, from), most = radius + caster.reach;
      if (caster.owner === owner || (caster.thin && !sun) || dot(plane.normal, way) < -caster.reach) continue;
      if (radius < Infinity && (far < -most || dot(way, way) - far * far > most * most)) continue;
      const points = castOn(caster, plane, from);
      if (points.length < 3) continue;
      const outline = eye.clip(hullOf(plane, points));
      if (outline.length < 3) continue;
      outline.forEach((q, i) => i ? path.lineTo(q[0], q[1]) : path.moveTo(q[0], q[1]));
      path.closePath();
      some = true;
      for (const [x, y] of outline) {
        box[0] = Math.min(box[0], x);
        box[1] = Math.min(box[1], y);
        box[2] = Math.max(box[2], x);
        box[3] = Math.max(box[3], y);
      }
    }
    if (some) layers.push([path, dark]);
  }
  const x = Math.floor(Math.max(box[0], 0)), y = Math.floor(Math.max(box[1], 0));
  const w = Math.ceil(Math.min(box[2], width)) - x, h = Math.ceil(Math.min(box[3], height)) - y;
  if (!layers.length || !(w > 0 && h > 0)) return;
  if (mask.canvas.width < width || mask.canvas.height < height) {
    mask.canvas.width = width;
    mask.canvas.height = height;
  }
  mask.globalCompositeOperation = 'source-over';
  mask.clearRect(x, y, w, h);
  mask.globalCompositeOperation = 'lighter';
  for (const [path, dark] of layers) {
    mask.fillStyle = clear(C.shadow, dark);
    mask.fill(path);
  }
  g.globalAlpha = strength;
  g.drawImage(mask.canvas, x, y, w, h, x, y, w, h);
  g.globalAlpha = 1;
}

/* ---- faces ---- */

function trace(points) {
  g.beginPath();
  points.forEach(q => g.lineTo(q[0], q[1]));
  g.closePath();
}

/* Darker towards the ground. */
function dim(eye, piece) {
  const level = cross(piece.normal, [0, 1, 0]), size = Math.max(creature.width, creature.height), far = 0.3 * size;
  const low = piece.corners.reduce((p, c) => c[1] < p[1] ? c : p), high = piece.corners.reduce((p, c) => c[1] > p[1] ? c : p);
  if (!creature.ground || low[1] > far || Math.hypot(...level) < 0.2 || !(high[1] > low[1])) return;
  const a = eye.project(...low), b = eye.project(...high), c = eye.project(...along(low, level, 0.1 * size));
  if (!a || !b || !c) return;
  const x = c[1] - a[1], y = a[0] - c[0], square = x * x + y * y;
  if (!(square > 0)) return;
  const rise = ((b[0] - a[0]) * x + (b[1] - a[1]) * y) / square / (high[1] - low[1]);
  const from = -rise * low[1], to = rise * (far - low[1]);
  const fill = g.createLinearGradient(a[0] + from * x, a[1] + from * y, a[0] + to * x, a[1] + to * y);
  for (const s of [0, 0.5, 1]) fill.addColorStop(s, `rgba(20,32,42,${0.26 * (1 - s) * (1 - s)})`);
  g.fillStyle = fill;
  g.fill();
}

/* With the shadows that fall on it, and an outline where it is not cut; pieces of a cut face overlap a little. */
function face(eye, piece, casters, owner, fill) {
  const n = piece.corners.length, wide = piece.corners.slice();
  piece.corners.forEach((a, i) => {
    const k = (i + 1) % n, out = cross(minus(piece.corners[k], a), piece.normal), q = eye.project(...a);
    if (!piece.cuts[i] || !q || !(Math.hypot(...out) > 0)) return;
    const size = Math.max(creature.width, creature.height), moved = eye.project(...along(a, unit(out), 1e-3 * size));
    const b = eye.project(...piece.corners[k]);
    if (!moved || !b) return;
    const x = b[0] - q[0], y = b[1] - q[1], px = Math.abs(x * (moved[1] - q[1]) - y * (moved[0] - q[0])) / Math.hypot(x, y) / (1e-3 * size);
    for (const j of [i, k]) wide[j] = along(wide[j], unit(out), Math.min(0.7 / Math.max(px, 1e-9), 0.02 * size));
  });
  const points = eye.clip(wide);
  if (points.length < 3) return;
  const middle = piece.corners.reduce((p, c) => along(p, c, 1 / n), [0, 0, 0]);
  g.save();
  trace(points);
  g.fillStyle = fill;
  g.fill();
  g.clip();
  if (owner >= 0) dim(eye, piece);
  cast(eye, casters, { at: middle, normal: piece.normal }, Math.max(...piece.corners.map(c => lengthOf([c, middle]))), owner, 0.8);
  g.restore();
  g.lineCap = 'round';
  piece.corners.forEach((a, i) => {
    const ends = piece.cuts[i] ? [] : eye.clip([a, piece.corners[(i + 1) % n]]);
    if (ends.length > 1) line(ends[0][0], ends[0][1], ends[1][0], ends[1][1], SHADE, 0.3, 0.9 * ui);
  });
  g.lineCap = 'butt';
}

/* The sides of a box that look at the eye. */
function sidesOf(eye, middle, halves, draw) {
  const list = [];
  for (let i = 0; i < 3; i++)
    for (const way of [-1, 1]) {
      const u = scaled(halves[(i + 1) % 3], way), v = halves[(i + 2) % 3], centre = along(middle, halves[i], way);
      const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a, b]) => along(along(centre, u, a), v, b));
      const out = scaled(halves[i], way);
      if (Math.hypot(...out) > 0 && dot(out, minus(eye.at, centre)) > 0)
        list.push({ corners, cuts: [], normal: unit(out), draw });
    }
  return list;
}

/* The ground that shadows fall on: with relief the plane that touches it below the body. */
const groundPlane = () => {
  if (!creature.relief) return { at: [0, 0, 0], normal: [0, 1, 0] };
  const { x, z } = centre(time), e = 1e-3, y = reliefAt(x, z);
  const slope = [-(reliefAt(x + e, z) - y) / e, 1, -(reliefAt(x, z + e) - y) / e];
  return { at: [x, y, z], normal: slope.map(v => v / Math.hypot(...slope)) };
};

/* All that is in the world but the ground: the body, obstacles and the trail, sorted. */
function deepBody() {
  if (gpuNow()) return creature.light && light(makeEye());
  const eye = makeEye(), poses = posesAt(time), painters = { box, ball, rod }, list = [], casters = [];
  const spot = (at, near, rank, draw) => list.push({ corners: [at], near, rank, draw });
  const nearness = at => (eye.project(...at) || [0, 0, 0, Infinity])[3];
  creature.shapes.forEach((_, i) => {
    const shape = shapeOf(i), color = partColor(shape.part), spotOf = place(poses[shape.part], shape.at);
    const [a, b] = shape.kind === 'rod' ? rodEnds(shape, poses) : [spotOf, spotOf], middle = between(a, b, 0.5);
    if (shape.kind === 'box' && shape.half[2] > 0) {
      const halves = axesOf(times(poses[shape.part].turn, shape.turn)).map((axis, k) => scaled(axis, shape.half[k]));
      list.push(...sidesOf(eye, a, halves, piece => face(eye, piece, casters, i, shaded(color, litBy(piece.normal)))));
      casters.push(castBox(i, a, halves));
      return;
    }
    spot(middle, nearness(middle), -i - 1e6, () => painters[shape.kind](eye, shape, poses, color));
    if (shape.kind === 'ball') casters.push(castBalls(i, [a, a], shape.half[0], false));
    if (shape.kind === 'rod')
      casters.push(castBalls(i, [a, b], 0.19 * Math.min(least(shapeOf(shape.part)), least(shapeOf(shape.other))), true));
  });
  creature.parts.forEach((part, p) => {
    if (part[2] < 0) return;
    const at = place(poses[part[1]], part[4]);
    spot(at, nearness(at), -p, () => joint(eye, p, poses));
  });
  creature.solids.forEach(([middle, half, turn], i) => {
    const halves = axesOf(turn).map((axis, k) => scaled(axis, half[k])), soil = mix(C.ground_top, C.sky_bottom, 0.25);
    list.push(...sidesOf(eye, middle, halves, piece =>
      face(eye, piece, casters, -1 - i, hazed(shaded(soil, litBy(piece.normal)), eye.haze(eye.far - nearness(piece.corners[0]))))));
    casters.push(castBox(-1 - i, middle, halves));
  });
  if (layers.trail) {
    const way = trailNow();
    way.slice(1).forEach((b, i) => {
      const middle = between(way[i], b, 0.5), draw = () => {
        const ends = eye.clip([way[i], b]);
        if (ends.length > 1) line(ends[0][0], ends[0][1], ends[1][0], ends[1][1], C.trail, 0.55, 1.5 * ui);
      };
      spot(middle, nearness(middle), 1, draw);
    });
  }
  if (creature.light) light(eye);
  if (creature.ground) cast(eye, casters, groundPlane(), Infinity, Infinity, 1);
  paintSorted(list, 1e-4 * Math.max(creature.width, creature.height));
}
