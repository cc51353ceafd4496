/* ---- the editor's document, the JSON of a creature file: acts on it, and the way back ---- */

/* Faces, and the axes of their normals and of their two directions: [axis, sign]; those of rectangles come first. */
const FACES = ['right', 'top', 'left', 'bottom', 'front', 'back'], AWAY = [0, Math.PI / 2, Math.PI, -Math.PI / 2];
const NORMALS = [[0, 1], [1, 1], [0, -1], [1, -1], [2, 1], [2, -1]], UPS = [[1, 1], [0, -1], [1, -1], [0, 1], [0, 1], [0, -1]], DEEPS = [2, 2, 2, 2, 1, 1];
const LIMB_M = 0.25; /* of a tap */
const bounded = (v, low, high) => Math.min(Math.max(v, low), high);
const rounded3 = v => Math.round(1000 * v) / 1000;

export const freeId = rows => {
  const taken = new Set((rows ?? []).map(row => row.id));
  let id = 1;
  while (taken.has(id)) id++;
  return id;
};
export const geneOf = (rows, id) => (rows ?? []).find(row => row.id === id);

/* A part of the plan (page/plan.h) by names. */
export function partOf([body, via, parent, mirror, ...n]) {
  return { body, via, parent, mirror, half: n.slice(0, 3), at: n.slice(3, 6), turn: n.slice(6, 10), anchor: n.slice(10, 13) };
}
/* The axes of a part's gene in the world: in a mirrored part y is reversed, of boxes z. */
export function geneAxes({ half, turn: [w, x, y, z], mirror }) {
  const axes = [[1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)], [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
    [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]];
  return axes.map((axis, i) => axis.map(v => i === (half[2] ? 2 : 1) ? mirror * v : v));
}
/* A place of the world in the frame of a part's gene, and back. */
export const toGene = (part, spot) => geneAxes(part).map(axis => axis.reduce((sum, v, i) => sum + v * ((spot[i] ?? 0) - part.at[i]), 0));
export const fromGene = (part, own) => part.at.map((v, i) => geneAxes(part).reduce((sum, axis, k) => sum + axis[i] * (own[k] ?? 0), v));
/* The face towards a place of a part's own frame, and how far along its directions. */
export function faceAt(half, own) {
  const out = NORMALS.slice(0, half[2] ? 6 : 4).map(([axis, sign]) => sign * own[axis] / half[axis]), face = out.indexOf(Math.max(...out));
  const share = (axis, sign) => rounded3(bounded(sign * own[axis] / half[axis], -1, 1));
  return { face, position: share(...UPS[face]), ...half[2] ? { position_2: share(DEEPS[face], 1) } : {} };
}
/* The place on a face. */
function onFace(half, { face, position, position_2 = 0 }) {
  const own = [0, 0, 0], [axis, sign] = NORMALS[face], [up, way] = UPS[face];
  own[axis] = sign * half[axis];
  own[up] = way * position * half[up];
  own[DEEPS[face]] = position_2 * half[DEEPS[face]];
  return own;
}

/* The connection that says how a part hangs on its parent (the second part of a symmetric pair has that of the first one), and
 * whether the part is the mirror image of the part in the connection. */
export function placementOf(doc, part, parent) {
  const own = geneOf(doc.connections, part.via);
  if (!own) return null;
  const pair = doc.connections.filter(c => c.from === own.from && c.to === own.to), index = pair.indexOf(own);
  const isPaired = geneOf(doc.bodies, own.to)?.symmetric && index % 2 === 1;
  const connection = isPaired ? pair[index - 1] : own;
  return { connection, isImage: part.mirror * parent.mirror * (connection.reflected ? -1 : 1) < 0 };
}

/* ---- acts ---- */

const placed = ({ face, position, position_2 }) => ({ parent_face: FACES[face], parent_position: position, ...position_2 === undefined ? {} : { parent_position_2: position_2 } });

/* Hangs a part where a place of the world is nearest on its parent's outline. */
export function movePart(doc, part, parent, spot) {
  const { connection, isImage } = placementOf(doc, part, parent), across = parent.half[2] ? { ends: 0, levels: 1 }[geneOf(doc.bodies, part.body).symmetric] ?? 2 : 0;
  const own = toGene(parent, spot).map((v, axis) => isImage && axis === across ? -v : v);
  Object.assign(connection, placed(faceAt(parent.half, own)));
}
export function turnPart(doc, part, parent, angle) {
  const { connection } = placementOf(doc, part, parent), turned = (connection.angle_rad ?? 0) + part.mirror * angle;
  connection.angle_rad = rounded3(Math.atan2(Math.sin(turned), Math.cos(turned)));
}
/* Which way a side of a part grows: away from where it hangs; 0: both ways. */
export function growth(doc, part, parent, axis) {
  const face = parent ? placementOf(doc, part, parent).connection.child_face ?? 'left' : '';
  return [{ left: 1, right: -1 }, { bottom: 1, top: -1 }, { back: 1, front: -1 }][axis][face] ?? 0;
}
/* Makes a part so large along an axis that its free end is at v, m, along it. */
export function sizePart(doc, part, parent, axis, v) {
  const gene = geneOf(doc.bodies, part.body), way = growth(doc, part, parent, axis), key = ['width_m', 'height_m', 'depth_m'][axis];
  const scale = 2 * part.half[axis] / gene[key];
  gene[key] = rounded3(bounded((way ? way * v + part.half[axis] : 2 * Math.abs(v)) / scale, 0.02, 1));
}
/* Sets the lower (0) or upper (1) limit of a joint to an angle from the pose at birth. */
export function limitPart(doc, part, end, angle) {
  const gene = geneOf(doc.bodies, part.body), limits = gene.limits_rad ??= [-1, 1], own = rounded3(part.mirror * angle);
  limits[end] = end ? bounded(own, 0, Math.PI) : bounded(own, -Math.PI, 0);
}

const isWave = neuron => neuron.function.startsWith('oscillate');

/* A limb from one place of the world to another, of boxes so long and straight out, with a muscle and a wave of its own. Gives its id. */
export function addLimb(doc, parent, from, to) {
  if (doc.body === 'spheres') throw new Error('limbs are added to rectangles and boxes only');
  const start = toGene(parent, from), end = toGene(parent, to), at = faceAt(parent.half, start), edge = onFace(parent.half, at);
  const [dx, dy, dz] = end.map((v, i) => v - edge[i]), isTap = Math.hypot(...end.map((v, i) => v - start[i])) < 0.02;
  const gene = geneOf(doc.bodies, parent.body), scale = 2 * parent.half[0] / gene.width_m, long = isTap ? LIMB_M : Math.hypot(dx, dy, dz) / scale;
  const angle = isTap || gene.depth_m ? 0 : Math.atan2(dy, dx) - AWAY[at.face], id = freeId(doc.bodies), wave = freeId(doc.neurons ??= []);
  const { lag_image, lag_row } = doc.neurons.find(neuron => neuron.in === parent.body && isWave(neuron)) ?? {};
  doc.neurons.push({ id: wave, in: id, function: 'oscillate-wave', ...lag_image && { lag_image }, ...lag_row && { lag_row }, initial: doc.neurons.filter(isWave).length % 4 / 4, inputs: [1, 1, 0] });
  const width = rounded3(bounded(long, 0.05, 1)), limb = { id, width_m: width, height_m: rounded3(bounded(0.35 * width, 0.05, 0.12)) };
  if (gene.depth_m) limb.depth_m = limb.height_m;
  doc.bodies.push({ ...limb, limits_rad: [-1, 1], effector: { input: { neuron: wave, weight: 0.6 } } });
  (doc.connections ??= []).push({ id: freeId(doc.connections), from: parent.body, to: id, ...placed(at),
    child_face: 'left', angle_rad: rounded3(Math.atan2(Math.sin(angle), Math.cos(angle))) });
  return id;
}

/* A body gene and all that hang on it. */
function limbOf(doc, id, isOpen = () => true) {
  const reached = new Set([id]);
  for (let size = 0; size < reached.size;) {
    size = reached.size;
    for (const c of doc.connections ?? []) if (reached.has(c.from) && isOpen(c)) reached.add(c.to);
  }
  return reached;
}
/* The limb once more, as a mirror image on the other side of its parent, half a turn later. */
export function twin(doc, id) {
  const gene = geneOf(doc.bodies, id), first = doc.connections.find(c => c.to === id && c.from !== id);
  if (!first) throw new Error('the root has no twin');
  if (gene.symmetric) throw new Error('it has a twin');
  gene.symmetric = true;
  doc.connections.splice(doc.connections.indexOf(first) + 1, 0, { ...first, id: freeId(doc.connections) });
  const limb = limbOf(doc, id);
  for (const neuron of doc.neurons ?? []) if (limb.has(neuron.in) && isWave(neuron)) neuron.lag_image = 0.5;
}
/* The part hangs on itself, four in a row, each smaller and a little later. */
export function repeat(doc, id) {
  if (doc.connections?.some(c => c.from === id && c.to === id)) throw new Error('it is repeated; "recursive limit" says how often');
  geneOf(doc.bodies, id).recursive_limit = 4;
  (doc.connections ??= []).push({ id: freeId(doc.connections), from: id, to: id, parent_face: 'right', child_face: 'left', scale: 0.85 });
  for (const neuron of doc.neurons ?? []) if (neuron.in === id && isWave(neuron)) neuron.lag_row = 0.15;
}

/* All inputs of a document, with the body gene that reads them or 'central', and how to set them. */
export function inputsOf(doc) {
  const found = [];
  const look = (object, key, reader, row, group, slot) => found.push({ reader, row, group, slot, value: object[key], set(value) { object[key] = value; } });
  for (const body of doc.bodies)
    for (const [group, object] of Object.entries(body)) {
      if (object?.input !== undefined) look(object, 'input', body.id, body, group, 0);
      for (const list of [object?.further_inputs, object?.inputs])
        list?.forEach((_, k) => look(list, k, body.id, body, group, k + 1));
    }
  for (const neuron of doc.neurons ?? []) neuron.inputs?.forEach((_, k) => look(neuron.inputs, k, neuron.in, neuron, 'neuron', k));
  return found;
}

/* Takes genes out, and what leads to them or reads them. */
function dropGenes(doc, bodies, connections, neurons) {
  const keep = set => row => !set.has(row.id);
  Object.assign(doc, { bodies: doc.bodies.filter(keep(bodies)), connections: (doc.connections ?? []).filter(keep(connections)),
    neurons: (doc.neurons ?? []).filter(keep(neurons)) });
  for (const { value, set } of inputsOf(doc))
    if (neurons.has(value?.neuron) || (value?.of === 'part' && bodies.has(value.via)) || (value?.of === 'child' && connections.has(value.via))) set(0);
}
export const removeNeuron = (doc, id) => dropGenes(doc, new Set(), new Set(), new Set([id]));
/* Takes a body gene out, and all that hangs on the root by it alone. */
export function removePart(doc, id) {
  const root = doc.root ?? doc.bodies[0].id, reached = limbOf(doc, root, c => c.to !== id);
  if (id === root) throw new Error('the root stays');
  const gone = new Set(doc.bodies.map(body => body.id).filter(body => !reached.has(body)));
  const of = (rows, isGone) => new Set((rows ?? []).filter(isGone).map(row => row.id));
  dropGenes(doc, gone, of(doc.connections, c => gone.has(c.from) || gone.has(c.to)), of(doc.neurons, n => gone.has(n.in)));
}

/* The sources that a reader, a body gene's id or 'central', may read: [words, reference, body gene or 'central'] each. */
export function sourcesFor(doc, reader) {
  const list = [], isCentral = reader === 'central', connections = doc.connections ?? [];
  const add = (owner, of, words, via) => {
    const more = via === undefined ? { of } : { of, via };
    for (const n of doc.neurons ?? []) if (n.in === owner) list.push([`${words}neuron ${n.id}, ${n.function}`, { neuron: n.id, ...more }, owner]);
    for (const sensor of geneOf(doc.bodies, owner)?.sensors ?? []) list.push([`${words}${sensor}`, { sensor, ...more }, owner]);
  };
  if (!isCentral) add(reader, 'own', '');
  add('central', 'central', isCentral ? '' : 'central ');
  if (isCentral) for (const { id } of doc.bodies) add(id, 'part', `part ${id}: `, id);
  for (const from of new Set(connections.filter(c => c.to === reader).map(c => c.from))) add(from, 'parent', 'parent: ');
  for (const c of connections) if (c.from === reader) add(c.to, 'child', `child ${c.to} by ${c.id}: `, c.id);
  return list;
}
export const isSameSource = (a, b) => a?.neuron === b?.neuron && a?.sensor === b?.sensor && (a?.neuron ?? a?.sensor) !== undefined &&
  (a.of ?? 'own') === (b.of ?? 'own') && a.via === b.via;

/* ---- the way back: changes of one gesture are one step ---- */

export class History {
  constructor(doc) { Object.assign(this, { doc, past: [], future: [], gesture: null }); }
  put(doc, gesture) {
    if (gesture === null || gesture !== this.gesture) this.past.push(this.doc);
    Object.assign(this, { doc, gesture, future: [] });
  }
  go(from, to) {
    if (!from.length) return false;
    to.push(this.doc);
    Object.assign(this, { doc: from.pop(), gesture: null });
    return true;
  }
  undo() { return this.go(this.past, this.future); }
  redo() { return this.go(this.future, this.past); }
}
