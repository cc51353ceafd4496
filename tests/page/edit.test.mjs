/* The editor's acts on a document, its brain's wires, the log of a run, files and goals. */
import test from 'node:test';
import assert from 'node:assert';
import { readFile, readdir } from 'node:fs/promises';
import * as edit from '../../page/edit.js';
import { brainOf, wireUp, addNeuron } from '../../page/edit_brain.js';
import { opened } from '../../page/edit_page.js';
import { iniOf, restore } from '../../page/keep.js';
import { goalOf, paramsOfRecord, standing } from '../../page/challenge.js';
import { evolve, paramsOf } from '../../page/evolve.js';
import { makeMachine } from '../../page/machine.js';

const root = new URL('../../', import.meta.url);
const example = async name => JSON.parse(await readFile(new URL(`examples/creatures/${name}.json`, root)));
const wasm = await readFile(new URL('build/web/bestiary.wasm', root)).catch(() => null);
const needs = { skip: wasm ? false : 'there is no module (make web)' };
const machine = wasm && await makeMachine(await WebAssembly.compile(wasm));
const bytes = doc => new TextEncoder().encode(JSON.stringify(doc));
/* The parts that the library grows of a document. */
function grow(doc) {
  machine.begin([]);
  machine.read(bytes(doc));
  return machine.plan().parts.map(edit.partOf);
}
const near = (a, b, words) => assert.ok(Math.hypot(a[0] - b[0], a[1] - b[1]) < 2e-3, `${words}: ${a}, ${b}`);

test('a part is hung, turned, sized and limited where the pointer is', needs, async () => {
  const doc = await example('biped');
  let [trunk, leg] = grow(doc);
  for (const [spot, anchor] of [[[0.1, -0.4], [0.1, -0.075]], [[0.5, 0.03], [0.25, 0.03]], [[-0.2, 0.6], [-0.2, 0.075]], [[-0.7, 0], [-0.25, 0]]]) {
    edit.movePart(doc, leg, trunk, spot);
    [trunk, leg] = grow(doc);
    near(leg.anchor, anchor, 'hung');
  }
  edit.turnPart(doc, leg, trunk, 0.5);
  const before = Math.atan2(leg.at[1] - leg.anchor[1], leg.at[0] - leg.anchor[0]);
  [trunk, leg] = grow(doc);
  assert.ok(Math.abs(Math.sin(Math.atan2(leg.at[1] - leg.anchor[1], leg.at[0] - leg.anchor[0]) - before - 0.5)) < 1e-3);
  const free = edit.fromGene(leg, [0, -0.3]);
  edit.sizePart(doc, leg, trunk, 1, -0.3);
  [trunk, leg] = grow(doc);
  near(edit.fromGene(leg, [0, -leg.half[1]]), free, 'its free end');
  edit.limitPart(doc, leg, 0, -0.25);
  edit.limitPart(doc, leg, 1, -2);
  assert.deepEqual(edit.geneOf(doc.bodies, leg.body).limits_rad, [-0.25, 0]);
});

test('a limb ends where it was drawn, and its twin is a mirror image', needs, async () => {
  const doc = await example('fish'), [body] = grow(doc), end = [0.05, -0.3];
  const id = edit.addLimb(doc, body, [0.1, -0.2], end), limb = grow(doc).find(part => part.body === id);
  near(edit.fromGene(limb, [limb.half[0], 0]), end, 'its end');
  edit.twin(doc, id);
  const [a, b] = grow(doc).filter(part => part.body === id);
  near([-a.at[0], a.at[1]], b.at, 'the twin');
  assert.equal(a.mirror, -b.mirror);
  edit.movePart(doc, b, body, [0.05, 0.5]);
  const moved = grow(doc).filter(part => part.body === id);
  near(moved[1].anchor, [0.05, 0.09], 'a moved twin');
  near(moved[0].anchor, [-0.05, 0.09], 'its other one');
  edit.repeat(doc, id);
  assert.equal(grow(doc).filter(part => part.body === id).length, 8);
  assert.throws(() => edit.twin(doc, id), /has a twin/);
});

test('in space parts are hung on all faces, and images on the other side', needs, async () => {
  let count = 0;
  for (const name of ['lizard', 'quadruped', 'moth', 'ray']) {
    const doc = await example(name), parts = grow(doc);
    for (const part of parts.filter(other => other.parent === 0)) {
      const next = structuredClone(doc), parent = parts[part.parent];
      for (const own of [[0.9, 0.2, -0.3], [0.3, 0.95, 0.1], [-0.2, 0.5, 1], [0.4, -0.1, -1]]) {
        const spot = edit.fromGene(parent, own.map((v, i) => v * parent.half[i])), { face } = edit.faceAt(parent.half, edit.toGene(parent, spot));
        edit.movePart(next, part, parent, spot);
        const moved = grow(next).find(other => other.body === part.body && other.via === part.via && other.mirror === part.mirror);
        if (!moved) continue; /* there is no room */
        const at = edit.toGene(parent, moved.anchor), axis = [0, 1, 0, 1, 2, 2][face];
        at.forEach((v, i) => assert.ok(Math.abs(v - (i === axis ? Math.sign(own[i]) : own[i]) * parent.half[i]) < 2e-3, `${name}, part ${part.body}: ${at} for ${own}`));
        count++;
      }
    }
  }
  assert.ok(count > 30, `${count}`);
  const doc = await example('quadruped'), trunk = grow(doc)[0], top = edit.fromGene(trunk, [0.1, trunk.half[1], 0.05]);
  const id = edit.addLimb(doc, trunk, top, [top[0], top[1] + 0.3, top[2]]), limb = grow(doc).find(part => part.body === id);
  near(edit.fromGene(limb, [limb.half[0], 0, 0]), [0.1, trunk.half[1] + 0.3], 'its end');
});

test('a removed gene leaves no reader behind', needs, async () => {
  for (const name of ['biped', 'strider', 'fish', 'inchworm', 'quadruped', 'seeker', 'lizard']) {
    const doc = await example(name);
    for (const { id } of doc.bodies.slice(1).reverse())
      if (edit.geneOf(doc.bodies, id)) {
        edit.removePart(doc, id);
        grow(doc);
      }
    assert.equal(doc.bodies.length, 1, name);
    for (const { id } of doc.neurons.slice()) edit.removeNeuron(doc, id);
    assert.ok(edit.inputsOf(doc).every(({ value }) => value?.neuron === undefined));
    assert.throws(() => edit.removePart(doc, doc.bodies[0].id), /root stays/);
  }
});

test('the brain has all wires of a file, and makes new ones where the library takes them', needs, async () => {
  for (const name of ['biped', 'fish', 'tail', 'quadruped', 'hound'])
    assert.equal(brainOf(await example(name)).wires.length, JSON.stringify(await example(name)).match(/"(neuron|sensor)":/g).length, name);
  const doc = await example('biped');
  doc.bodies[3].sensors = ['joint'];
  const functions = machine.functions(), sum = addNeuron(doc, 2), node = key => brainOf(doc).nodes.find(other => other.key === key);
  wireUp(doc, node('4 joint'), node(`neuron ${sum}`), functions);
  wireUp(doc, node(`neuron ${sum}`), node('2 effector 0'), functions);
  grow(doc);
  assert.deepEqual(edit.geneOf(doc.neurons, sum).inputs, [{ sensor: 'joint', of: 'child', via: 3, weight: 1 }, 0, 0]);
  assert.throws(() => wireUp(doc, node('4 joint'), node('5 effector 0'), functions), /a part reads/);
  assert.throws(() => wireUp(doc, node(`neuron ${sum}`), node('4 joint'), functions), /reads nothing/);
  const sources = edit.sourcesFor(doc, 2);
  assert.ok(sources.length > 5);
  for (const [, source] of sources) {
    doc.bodies[1].effector.input = { ...source, weight: 1 };
    grow(doc);
  }
});

test('the module names the fields of genes', needs, async () => {
  for (const name of ['biped', 'quadruped', 'spider']) {
    const doc = await example(name);
    grow(doc);
    for (const is_connection of [false, true])
      (is_connection ? doc.connections : doc.bodies).forEach((gene, row) => {
        const fields = machine.fields(is_connection, row), keys = fields.map(([key, group]) => group || key);
        for (const key of Object.keys(gene)) assert.ok(keys.includes(key), `${name}: ${key}`);
      });
    assert.throws(() => machine.fields(false, doc.bodies.length), /range/);
  }
});

test('a creature that is opened and not changed lives as before', needs, async () => {
  const names = (await readdir(new URL('examples/creatures/', root))).sort();
  for (const name of names) {
    machine.begin([]);
    machine.read(await readFile(new URL(`examples/creatures/${name}`, root)));
    const seed = machine.useRecord(), record = machine.record(seed);
    machine.begin(paramsOfRecord(record));
    machine.read(bytes(opened(record)));
    assert.equal(machine.evaluate(seed).digest, record.evaluation.digest, name);
  }
  assert.ok(names.length >= 40);
});

test('random creatures of all kinds have a plan, fields and a brain', needs, () => {
  let count = 0;
  for (const kind of ['rectangles', 'boxes', 'spheres'])
    for (let seed = 1; seed <= 30; seed++) {
      machine.begin([['creature.body', kind], ['simulation.duration_s', '0.1']]);
      machine.random(seed);
      const { parts, verdict } = machine.plan(), doc = opened(machine.record(1));
      doc.bodies.forEach((_, row) => assert.ok(machine.fields(false, row).length > 5));
      doc.connections.forEach((_, row) => assert.ok(machine.fields(true, row).length > 5));
      assert.ok(brainOf(doc).nodes.length >= doc.neurons.length);
      assert.equal(verdict, 'ok');
      if (parts.length < 2) continue; /* too few to live */
      assert.equal(machine.live(1, false).parts.length, parts.length);
      for (const part of parts.map(edit.partOf).filter(part => part.parent >= 0))
        assert.ok(edit.placementOf(doc, part, edit.partOf(parts[part.parent])).connection);
      count++;
    }
  assert.ok(count > 60, `${count}`);
});

test('the way back', () => {
  const history = new edit.History('a');
  history.put('b', 'drag 1');
  history.put('c', 'drag 1');
  history.put('d', null);
  assert.deepEqual([history.undo(), history.doc, history.undo(), history.doc, history.undo()], [true, 'c', true, 'a', false]);
  assert.deepEqual([history.redo(), history.doc], [true, 'c']);
  history.put('e', null);
  assert.equal(history.redo(), false);
});

/* A worker without a thread. `left`: how many results it tells before it is gone. */
const settings = [...paramsOf('walk, in the plane', 20, 2, 3), ['simulation.duration_s', '2']];
const worker = module => () => {
  const own = makeMachine(module);
  let count = 0;
  return { stop() {}, async ask(...calls) {
    let value = null;
    if (calls[0][0] === 'task') await new Promise(done => setTimeout(done, ++count % 3));
    for (const [name, ...words] of calls) value = (await own)[name](...words);
    return value;
  } };
};
test('a run that was left goes on to the digest of one that was not', needs, async () => {
  const module = await WebAssembly.compile(wasm), make = worker(module), nothing = () => {}, log = [];
  const whole = await evolve(make, 2, settings, nothing, nothing);
  let told = 0;
  const left = await evolve(make, 3, settings, () => told++, nothing, () => told >= 17, { log: [], add: entry => log.push(entry) });
  assert.equal(left, '');
  assert.ok(log.length > 30 && log.filter(entry => entry === null).length > 17, 'tasks were under way');
  const seen = [];
  assert.equal(await evolve(make, 2, settings, progress => seen.push(progress.evaluations), nothing, () => false, { log, add: nothing }), whole);
  assert.ok(seen.length >= 40, `${seen.length}`);
  await assert.rejects(restore(async ([name]) => { if (name === 'tell') throw new Error('no such task'); return new Uint8Array(1); }, log, nothing), /no such task/);
});

test('parameters are a file, and a challenge says its goal', needs, () => {
  assert.equal(iniOf(paramsOf('swim, in the plane', 60, 12, 3)),
    'seed = 3\n\n[world]\npreset = water\n\n[evolution]\nbehaviour = swim\ngenerations = 12\n\n[population]\nsize = 60\n');
  machine.begin([['world.preset', 'moon'], ['simulation.duration_s', '2']]);
  machine.random(3);
  const record = machine.record(1), params = paramsOfRecord(record), digest = machine.evaluate(1).digest;
  assert.equal(goalOf(params), 'walk, 2 s, gravity 1.62 m/s²');
  machine.begin(params);
  assert.equal(machine.evaluate(1).digest, digest);
  assert.equal(digest, record.evaluation.digest);
  assert.match(standing(2, 3), /beats it: 3/);
  assert.match(standing(2, 1), /does not beat/);
  assert.equal(standing(2), 'to beat: 2.000');
});
