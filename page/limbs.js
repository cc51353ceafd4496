/* ---- limbs, as limbs.c: shapes rounded, thinner away from the joint, a ball at each joint, a soft neck to the part they hang on ---- */

const ROUND = 0.85, ROUND_THING = 0.2, ROUND_WIDE = 0.8, TAPER_SINGLE = 0.45, TAPER_PAIR = 0.3;
const BALL = 0.88, NECK = 0.7, NECK_REACH = 2.6, DARK_STEP = 0.14, DARK_MOST = 0.45, DARK_LEFT = 0.1;
const EYE = 0.48, EYE_BEHIND = 0.8, EYE_UP = 0.4, EYE_DEPTH = 0.35, PUPIL = 0.62, PUPIL_OUT = 0.5;
const EYE_COLOR = '#fffdf6', PUPIL_COLOR = '#1b1b1f';

/* A limb's axes are in the order of its outline's two and its thin one; round has the radii of outline and section. */
function makeLimb(centre, axes, half, share) {
  const thin = half.indexOf(Math.min(...half)), order = [(thin + 1) % 3, (thin + 2) % 3, thin], own = order.map(k => half[k]);
  const section = share * own[2], outline = share === ROUND ? ROUND_WIDE * Math.min(own[0], own[1]) : section;
  return { centre, axes: order.map(k => axes[k]), half: own, round: [Math.max(outline, section), section], order, along: [0, 0, 0], taper: 0,
    parent: -1, joint: centre, neckAt: centre, ball: 0, neck: 0, reach: 0, depth: 0, isSingle: false, color: '' };
}

function boxLimb(p, poses, share) {
  const { kind, half: [x, y, z], at, turn } = shapeOf(p), q = poses[p];
  return makeLimb(place(q, at), axesOf(times(q.turn, turn)), [x, y, z > 0 ? z : Math.min(x, y)], kind === 'ball' ? 1 : share);
}

function rodLimb(shape, poses, limbs) {
  const ends = rodEnds(shape, poses), way = minus(ends[1], ends[0]), [u, v] = across(unit(way));
  const radius = rodWidth(shape, lengthOf(ends)) / 2, limb = makeLimb(between(...ends, 0.5), [unit(way), u, v], [lengthOf(ends) / 2 + radius, radius, radius], 1);
  return Object.assign(limb, { length: lengthOf(ends), root: limbs[shape.part].root, depth: limbs[shape.part].depth });
}

/* The nearest place in the box of a limb that is at least so deep, or as deep as it can be. */
const clampInto = ({ centre, axes, half }, at, depth) => axes.reduce((p, axis, k) => {
  const far = Math.max(half[k] - depth, 0);
  return along(p, axis, Math.min(Math.max(dot(minus(at, centre), axis), -far), far));
}, centre);

/* Thinner along the axis on which the joint is farthest out; of two rather along the longer. */
function taper(limb) {
  const outs = limb.axes.map((axis, k) => dot(minus(limb.joint, limb.centre), axis) / limb.half[k]);
  const weights = outs.map((out, k) => Math.min(Math.abs(out), 1) * (limb.half[k] >= Math.max(...limb.half) ? 1.5 : 1));
  const k = weights.indexOf(Math.max(...weights));
  limb.along[k] = outs[k] > 0 ? 1 : -1;
  limb.taper = limb.isSingle ? TAPER_SINGLE : TAPER_PAIR;
}

/* Where a limb hangs on its parent's. */
function hang(limbs, p, poses) {
  const limb = limbs[p], { parts } = creature, [, parent, drive, , base] = parts[p];
  if (parent < 0) return;
  for (; parts[limb.root][1] >= 0 && limb.depth < parts.length; limb.depth++) limb.root = parts[limb.root][1];
  if (creature.shapes[p][0] === 'ball') return;
  const other = limbs[parent], thin = Math.min(limb.half[2], other.half[2]);
  const joint = drive >= 0 ? place(poses[parent], grown(parent, base)) : clampInto(limb, clampInto(other, limb.centre, 0), 0);
  Object.assign(limb, { parent, joint, ball: BALL * thin, neck: NECK * thin, reach: NECK_REACH * thin,
    neckAt: between(joint, clampInto(other, joint, thin), 0.5) });
  taper(limb);
}

const isAnimal = () => !layers.shapes && !layers.brain && creature.parts.filter(part => part[1] < 0).length === 1;

function limbColor(limb, shape) {
  const { part, kind, drive } = shape;
  if (kind === 'rod' && (drive >= 0 || layers.shapes)) return rodColor(shape, limb.length);
  if (layers.shapes || layers.brain) return partColor(part);
  const dark = Math.min(DARK_STEP * limb.depth, DARK_MOST) * (isAnimal() && limb.isSingle ? 0.5 : 1);
  return mix(isAnimal() ? creature.coat : partColor(limb.root), SHADE, dark + (creature.parts[part][6] < 0 ? DARK_LEFT : 0));
}

/* ---- distances ---- */

function roundCorner(x, y, radius) {
  return Math.hypot(Math.max(x + radius, 0), Math.max(y + radius, 0)) + Math.min(Math.max(x, y) + radius, 0) - radius;
}

/* How much of its width a limb that grows thinner has at a place of its axes. */
const thinness = ({ along, half, taper }, out) => 1 - taper * Math.min(Math.max(
  along.reduce((share, sign, k) => share - 0.5 * sign * out[k] / half[k], 0.5), 0), 1);

function limbDistance(limb, at) {
  const out = limb.axes.map(axis => dot(minus(at, limb.centre), axis)), scale = thinness(limb, out);
  const [a, b, c] = out.map((v, k) => Math.abs(limb.along[k] ? v : v / scale) - limb.half[k]);
  return scale * roundCorner(roundCorner(a, b, limb.round[0]), c, limb.round[1]);
}

/* ---- eyes ---- */

const eyeBall = (head, centre, radius, color) =>
  Object.assign(makeLimb(centre, [0, 1, 2].map(k => head.axes[head.order.indexOf(k)]), [radius, radius, radius], 1), { root: head.root, color, isEye: true });

/* Ahead is away from the joint; of a head that hangs on nothing along its own x. */
function eyesOf(p, head) {
  const first = pose(p, 0), has = head.along.some(v => v), ahead = has ? head.along.findIndex(v => v) : head.order.indexOf(0);
  const front = has ? -head.along[ahead] : 1, ups = head.order.map(k => first.axes[k][1]), eyes = [];
  const rest = [0, 1, 2].filter(k => k !== ahead && (creature.deep || head.order[k] < 2));
  const up = rest.reduce((best, k) => Math.abs(ups[k]) > Math.abs(ups[best]) ? k : best), side = 3 - ahead - up;
  const wide = Math.min(head.half[up], head.half[side]), radius = EYE * wide;
  const at = along(along(head.centre, head.axes[ahead], front * Math.max(head.half[ahead] - EYE_BEHIND * wide, 0)),
    head.axes[up], Math.sign(ups[up] || 1) * (1 - head.taper) * EYE_UP * head.half[up]);
  for (const out of creature.deep ? [-1, 1] : [1]) {
    let spot = along(at, head.axes[side], out * head.half[side]);
    for (let i = 0; i < 6; i++) spot = along(spot, head.axes[side], -out * Math.max(limbDistance(head, spot), 0));
    spot = along(spot, head.axes[side], -out * EYE_DEPTH * radius);
    const gaze = unit(along(scaled(head.axes[side], out), head.axes[ahead], 0.5 * front));
    eyes.push(eyeBall(head, spot, radius, EYE_COLOR), eyeBall(head, along(spot, gaze, PUPIL_OUT * radius), PUPIL * radius, PUPIL_COLOR));
  }
  return eyes;
}

/* The limbs of the creature as it is now, one for a shape, then the balls of its eyes; or its true shapes, then balls for their joints. */
function limbsNow(poses) {
  const { parts, shapes } = creature, limbs = [];
  parts.forEach((part, p) => {
    const isThing = !creature.effectors && part[1] < 0 && !(parts[p + 1]?.[1] >= 0);
    limbs.push(Object.assign(boxLimb(p, poses, layers.shapes ? 0 : isThing ? ROUND_THING : ROUND), { root: p, isSingle: !!part[7] }));
  });
  for (let p = 0; p < parts.length && !layers.shapes; p++) hang(limbs, p, poses);
  for (let i = parts.length; i < shapes.length; i++) limbs.push(rodLimb(shapeOf(i), poses, limbs));
  limbs.forEach((limb, i) => { limb.color = limbColor(limb, shapeOf(i)); });
  for (const [p, part] of parts.entries())
    if (layers.shapes && part[2] >= 0) limbs.push(jointBall(p, poses));
    else if (!layers.shapes && part[8]) limbs.push(...eyesOf(p, limbs[p]));
  return limbs;
}

/* Of a life that was played with as it was before, or of a child its parent, pale. */
function ghostLimbs() {
  const now = creature, ghost = now.acts?.length ? now.whole : now.ghost;
  if (!ghost) return [];
  creature = { ...now, ...ghost };
  const limbs = limbsNow(posesAt(time));
  creature = now;
  for (const limb of limbs) limb.color = mix(limb.color, hazeColor(), 0.65);
  return limbs;
}

function jointBall(p, poses) {
  const [, parent, , , base] = creature.parts[p], radius = 0.3 * 2 * Math.min(least(shapeOf(p)), least(shapeOf(parent)));
  return Object.assign(makeLimb(place(poses[parent], grown(parent, base)), poses[parent].axes, [radius, radius, radius], 1), { color: jointColor(p), isEye: true });
}

/* ---- in the plane: one line goes around the union of all limbs of a body ---- */

function traceFlat(eye, limb, grow) {
  const [x, y] = [0, 1].map(k => limb.order.indexOf(k)), radius = Math.min(limb.round[x === 2 ? 1 : 0], limb.round[y === 2 ? 1 : 0]);
  g.beginPath();
  for (let i = 0; i < 4 * 7; i++) {
    const corner = Math.floor(i / 7), angle = Math.PI / 2 * (corner + i % 7 / 6), signs = { [x]: corner % 3 ? -1 : 1, [y]: corner < 2 ? 1 : -1 };
    const scale = limb.along.some((sign, k) => sign && signs[k] !== sign) ? 1 - limb.taper : 1, r = Math.max(scale * radius + grow, 0);
    let at = limb.centre;
    for (const [k, way] of [[x, Math.cos(angle)], [y, Math.sin(angle)]])
      at = along(at, limb.axes[k], signs[k] * (limb.half[k] * (limb.along[k] ? 1 : scale) + grow - r) + way * r);
    const spot = eye.project(...at);
    g.lineTo(spot[0], spot[1]);
  }
  g.fill();
}

function fillFlat(eye, limb, grow, color) {
  g.fillStyle = color;
  traceFlat(eye, limb, grow);
  if (limb.parent < 0) return;
  const [x, y, scale] = eye.project(...limb.joint);
  g.beginPath();
  g.arc(x, y, Math.max(limb.ball + grow, 0) * scale, 0, 7);
  g.fill();
}

function flatSkin(eye, limbs) {
  const size = Math.max(creature.width, creature.height);
  const wide = Math.min(Math.max(0.012 * size * camera.scale, 0.8 * ui), 1.6 * ui) / camera.scale;
  for (const root of [...new Set(limbs.map(limb => limb.root))].sort((a, b) => b - a)) {
    const own = limbs.filter(limb => limb.root === root && !limb.isEye).reverse();
    for (const limb of own) fillFlat(eye, limb, 0, mix(limb.color, SHADE, 0.6));
    for (const limb of own) fillFlat(eye, limb, -Math.min(wide, 0.4 * limb.half[2]), limb.color);
    for (const limb of limbs) if (limb.root === root && limb.isEye) fillFlat(eye, limb, 0, limb.color);
  }
}
