/* ---- the editor's brain: a row for the central set and each body gene; senses, neurons and effectors are nodes, and a
 * drag from one to another is a wire ---- */
import { freeId, geneOf, inputsOf, isSameSource, sourcesFor } from './edit.js';

const NODE_GAP = 34, ROW_LEFT = 62;

/* Nodes of a document: { key, kind, owner, text, x, y }, and wires: [from, to, weight, input]. */
export function brainOf(doc) {
  const nodes = [], inputs = inputsOf(doc), rows = [['central', 'central'], ...doc.bodies.map(body => [body.id, `part ${body.id}`])];
  const widest = [0, 0];
  const columns = rows.map(([owner]) => [
    (geneOf(doc.bodies, owner)?.sensors ?? []).map(sensor => ({ key: `${owner} ${sensor}`, kind: 'sensor', owner, text: sensor, sensor })),
    (doc.neurons ?? []).filter(n => n.in === owner).map(n => ({ key: `neuron ${n.id}`, kind: 'neuron', owner, text: n.function, neuron: n.id })),
    inputs.filter(input => input.row.id === owner && input.group !== 'neuron').map(input =>
      ({ key: `${owner} ${input.group} ${input.slot}`, kind: 'effector', owner, text: input.group, input }))]);
  for (const row of columns) [0, 1].forEach(k => { widest[k] = Math.max(widest[k], row[k].length); });
  const firsts = [ROW_LEFT, ROW_LEFT + NODE_GAP * widest[0], ROW_LEFT + NODE_GAP * (widest[0] + widest[1])];
  columns.forEach((row, line) => row.forEach((list, k) => list.forEach((node, i) =>
    nodes.push({ ...node, x: firsts[k] + NODE_GAP * (i + 0.5), y: NODE_GAP * (line + 0.5) }))));
  const sourceOf = ({ reader, value }) => sourcesFor(doc, reader).find(([, to]) => isSameSource(to, value));
  const goalOf = input => input.group === 'neuron' ? `neuron ${input.row.id}` : `${input.row.id} ${input.group} ${input.slot}`;
  const wires = inputs.filter(input => typeof input.value === 'object' && input.value.constant === undefined).flatMap(input => {
    const source = sourceOf(input);
    const from = source && nodes.find(n => n.neuron !== undefined ? n.neuron === source[1].neuron : n.sensor === source[1].sensor && n.owner === source[2]);
    const to = nodes.find(n => n.key === goalOf(input));
    return from && to ? [[from, to, input.value.weight ?? 1]] : [];
  });
  const right = Math.max(...nodes.map(node => node.x), ROW_LEFT) + NODE_GAP;
  return { nodes, wires, rows: rows.map(([, text], line) => [text, NODE_GAP * (line + 0.5)]), width: right, height: NODE_GAP * rows.length };
}

/* Wires a node to another one: an effector's input, or a neuron's first input that is a constant 0, else its last. An Error says why
 * it cannot be. */
export function wireUp(doc, from, to, functions) {
  if (to.kind === 'sensor') throw new Error('a sense reads nothing');
  const source = sourcesFor(doc, to.owner).find(([, of, owner]) => owner === from.owner && (from.kind === 'neuron' ? of.neuron === from.neuron : of.sensor === from.sensor));
  if (!source || from.kind === 'effector') throw new Error('a part reads its own neurons and senses, those of its parent and its children, and the central set');
  const value = { ...source[1], weight: 1 };
  if (to.kind === 'effector') return inputsOf(doc).find(input => input.row.id === to.owner && input.group === to.input.group && input.slot === to.input.slot).set(value);
  const neuron = geneOf(doc.neurons, to.neuron), most = functions.find(([name]) => name === neuron.function)[1], list = neuron.inputs ??= [];
  while (list.length < most) list.push(0);
  const free = list.indexOf(0);
  list[free < 0 ? most - 1 : free] = value;
  return undefined;
}

export function addNeuron(doc, owner) {
  const id = freeId(doc.neurons ??= []);
  doc.neurons.push({ id, in: owner, function: 'sum', inputs: [0, 0, 0] });
  return id;
}

const drawn = (name, attributes, ...inner) => {
  const element = document.createElementNS(`http:${'//'}www.w3.org/2000/svg`, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...inner);
  return element;
};

function drawNode(node) {
  const [x, y] = [node.x, node.y], shapes = { sensor: ['path', { d: `M${x - 9} ${y - 9}L${x + 10} ${y}L${x - 9} ${y + 9}Z` }],
    neuron: ['circle', { cx: x, cy: y, r: 11 }], effector: ['rect', { x: x - 10, y: y - 10, width: 20, height: 20 }] };
  const isChosen = node.neuron !== undefined && node.neuron === editing.neuron, [name, attributes] = shapes[node.kind];
  const short = node.kind === 'neuron' ? SIGNS[node.text] ?? node.text.slice(0, 3) : '';
  return drawn('g', { class: `node${isChosen ? ' chosen' : ''}`, tabindex: 0, role: 'button', 'aria-label': `${node.kind} ${node.text} of ${node.owner}` },
    drawn(name, attributes), drawn('text', { x, y: y + 4, 'text-anchor': 'middle' }, short), drawn('title', {}, `${node.text}, ${node.kind} of ${node.owner}`));
}

function showBrain() {
  const { nodes, wires, rows, width: wide, height: high } = brainOf(editing.history.doc), svg = find('edit-brain');
  svg.setAttribute('viewBox', `0 0 ${wide} ${high}`);
  svg.setAttribute('width', wide);
  svg.setAttribute('height', high);
  const lines = wires.map(([from, to, weight]) => drawn('path', { class: weight < 0 ? 'wire less' : 'wire', 'stroke-width': Math.min(1 + Math.abs(weight), 4),
    d: from === to ? `M${from.x - 5} ${from.y - 9}c-14 -18 24 -18 10 0` : `M${from.x} ${from.y}C${from.x + 30} ${from.y} ${to.x - 30} ${to.y} ${to.x} ${to.y}` }));
  const pull = drawn('path', { class: 'wire' });
  const spot = e => {
    const box = svg.getBoundingClientRect();
    return [(e.clientX - box.left) * wide / box.width, (e.clientY - box.top) * high / box.height];
  };
  const nodeAt = ([x, y]) => nodes.find(node => Math.hypot(node.x - x, node.y - y) < NODE_GAP / 2);
  let from = null;
  svg.replaceChildren(...lines, ...rows.map(([text, y]) => drawn('text', { x: 4, y: y + 4, class: 'row' }, text)), ...nodes.map(drawNode), pull);
  svg.onpointerdown = e => {
    from = nodeAt(spot(e));
    if (from) svg.setPointerCapture(e.pointerId);
  };
  svg.onpointermove = e => { if (from) pull.setAttribute('d', `M${from.x} ${from.y}L${spot(e).join(' ')}`); };
  svg.onpointerup = e => {
    const to = nodeAt(spot(e)), begun = from;
    from = null;
    pull.setAttribute('d', '');
    if (begun && to && to !== begun) change(next => wireUp(next, begun, to, editing.functions));
    else if (begun) chooseNode(begun);
    else chooseRow(Math.floor(spot(e)[1] / NODE_GAP));
  };
  svg.onkeydown = e => {
    const index = [...svg.querySelectorAll('.node')].indexOf(document.activeElement);
    if (e.key === 'Enter' && index >= 0) chooseNode(nodes[index]);
  };
}

function chooseNode(node) {
  editing.neuron = node.neuron ?? null;
  editing.chosen = node.owner === 'central' ? editing.chosen : { body: node.owner };
  showChosen();
}
/* A tap beside all nodes chooses the row: a new neuron comes there. */
function chooseRow(line) {
  const body = editing.history.doc.bodies[line - 1];
  editing.isCentral = !body;
  if (body) editing.chosen = { body: body.id };
  showChosen();
}
