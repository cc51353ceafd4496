/* The checks of test_page_lives.sh in its pages. */
import assert from 'node:assert';
import { readFile } from 'node:fs/promises';
import { browse } from './browser.mjs';

const folder = `file://${process.argv[2]}`;
const quiet = page => {
  assert.deepEqual(page.said, []);
  assert.equal(page.requests.length, 1, page.requests.join(' '));
};

async function seesAll(open) {
  const page = await open(`${folder}/files.html`);
  await page.until('creature && creature.values');
  const count = await page.run('DATA.creatures.length');
  assert.ok(count >= 13);
  for (let i = 0; i < count; i++) {
    await page.run(`choose(${i})`);
    assert.equal(await page.run('creature.status'), 'verified', await page.run('creature.name'));
    assert.equal(await page.run(`find('status').textContent`), 'verified');
  }
  await page.run(`find('seek').value = 5; find('seek').dispatchEvent(new Event('input'))`);
  assert.equal(await page.run('time'), 5);
  assert.equal(await page.run('playing'), false);
  await page.run(`find('play').click()`);
  await page.until('time > 5.3');
  quiet(page);
}

/* A simulated life is the recorded one, but for the rounding of the record. */
async function isAsRecorded(open) {
  const lived = await open(`${folder}/kinds.html`, { width: 390, height: 760, mobile: true });
  const recorded = await open(`${folder}/recorded.html`);
  for (const page of [lived, recorded]) await page.until('creature && creature.values');
  const [a, b] = await Promise.all([lived, recorded].map(page => page.run('creature.values.slice(0, 9).map(v => [...v])')));
  a.forEach((channel, k) => channel.forEach((x, f) => assert.ok(Math.abs(x - b[k][f]) <= 0.00026, `channel ${k}, frame ${f}: ${x}, ${b[k][f]}`)));
  assert.equal(a[0].length, 61);
  assert.equal(await lived.run('creature.status'), 'unrecorded');
  await lived.run('choose(1)');
  assert.equal(await lived.run('creature.deep'), 1);
  assert.ok(await lived.run('creature.values[0].length') === 61);
  for (const page of [lived, recorded]) quiet(page);
}

/* Where frames come slowly, a picture that moves has fewer pixels; one that stands is sharp, and is drawn once. */
async function changesPace(page) {
  const wide = () => page.run('made.gpu.gl.canvas.width / canvas.width');
  await page.run(`(() => { const real = draw; globalThis.drawings = 0; draw = () => { drawings++; real(); }; choosePace = () => {}; pace.step = 3; setFollowing(false); setPlaying(true); })()`);
  await page.until('drawings > 3');
  assert.ok(Math.abs(await wide() - 1 / 3) < 0.01, `${await wide()}`);
  await page.run('setPlaying(false)');
  await page.until('pace.isStill');
  await page.until('made.gpu.gl.canvas.width === canvas.width');
  const before = await page.run('drawings');
  await page.run('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))');
  assert.ok(await page.run('drawings') <= before + 1, 'what stands is drawn again');
  await page.run('layers.trail = !layers.trail');
  await page.until(`drawings > ${before + 1}`);
}

/* Space by WebGL: the picture has sky, ground and body; true shapes look otherwise; the life is the same. Without WebGL paths
 * paint it. */
async function drawsSpace(open) {
  const page = await open(`${folder}/kinds.html`);
  await page.until('creature && creature.values && made');
  await page.run('setPlaying(false); time = 1; jump()');
  const digest = await page.run('creature.digest'), status = await page.run('creature.status');
  const colors = isShape => page.run(`(() => {
    layers.shapes = ${isShape};
    Object.assign(pace, { step: 0, isStill: true });
    jump();
    draw();
    const { gl } = made.gpu, { width, height } = gl.canvas, pixels = new Uint32Array(width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(pixels.buffer));
    return { count: new Set(pixels).size, isFull: pixels.every(v => v >>> 24 === 255), hash: pixels.reduce((sum, v) => Math.imul(sum, 31) + v | 0, 0) };
  })()`);
  const skin = await colors(false), shapes = await colors(true);
  assert.ok(skin.isFull && skin.count > 200, `${skin.count} colours`);
  assert.notEqual(skin.hash, shapes.hash);
  assert.equal((await colors(false)).hash, skin.hash);
  assert.equal(await page.run('made.gpu.gl.getError()'), 0);
  assert.deepEqual([await page.run('creature.digest'), await page.run('creature.status')], [digest, status]);
  await changesPace(page);
  quiet(page);
  const plain = await open(`${folder}/kinds.html`, { before: `HTMLCanvasElement.prototype.getContext = (open => function (kind, ways) {
    return kind === 'webgl2' ? null : open.call(this, kind, ways); })(HTMLCanvasElement.prototype.getContext)` });
  await plain.until('creature && creature.values && made');
  assert.equal(await plain.run('made.gpu'), null);
  assert.equal(await plain.run(`layerButton('shapes').hidden`), true);
  const painted = await plain.run(`(() => { draw(); const { data } = g.getImageData(0, 0, canvas.width, canvas.height), seen = new Set();
    for (let i = 0; i < data.length; i += 4) seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
    return seen.size; })()`);
  assert.ok(painted > 200, `${painted} colours`);
}

/* On a phone three quarters are the creature's, also under a sheet; what has no room is moved by a finger; no motion where none is wanted. */
async function fitsPhone(open) {
  const page = await open(`${folder}/files.html`, { width: 390, height: 844, mobile: true, before: `matchMedia = (ask => query =>
    query.includes('motion') ? Object.assign(new EventTarget(), { matches: true }) : ask.call(window, query))(matchMedia)` });
  await page.until('creature && creature.values');
  assert.equal(await page.run('playing'), false);
  for (const open of ['', 'toy', 'evolve']) {
    if (open) await page.run(`find('${open}').click()`);
    assert.ok(await page.run('canvas.getBoundingClientRect().height / innerHeight') >= 0.75, `${open} is high`);
    const low = await page.run(`[...document.querySelectorAll('button, select')].map(b => [b.id || b.textContent, b.getBoundingClientRect().height]).filter(([, h]) => h && h < 40).join()`);
    assert.equal(low, '', 'no target for a finger');
    assert.ok(await page.run('document.documentElement.scrollWidth <= innerWidth'), `${open} is wide`);
  }
  quiet(page);
}

/* On a phone: a push, a knob, a longer leg and a cut muscle change the life; each is taken back, and at last it is verified. */
async function plays(open) {
  const page = await open(`${folder}/files.html`, { width: 390, height: 760, mobile: true });
  const idle = () => page.until('!isBusy', 30);
  await page.until('creature && creature.values');
  const digest = await page.run('creature.digest'), seen = [digest];
  await page.run(`find('toy').click(); setPlaying(false); time = 2; jump()`);
  assert.ok(await page.run('canvas.getBoundingClientRect().height / innerHeight') >= 0.75, 'the sheet is high');
  for (const control of ['[data-tool=push]', '[data-tool=shorter]', '#undo', '#reset', '#put-away', '#knobs input'])
    assert.ok(await page.run(`(() => { const b = document.querySelector('${control}').getBoundingClientRect();
      return b.left >= 0 && b.right <= innerWidth && b.bottom <= innerHeight && b.height >= 28; })()`), control);
  await page.drag(195, 300, 60, -60);
  await page.until('creature.acts.length === 1');
  const done = async count => {
    await idle();
    assert.equal(await page.run('creature.acts.length'), count);
    assert.equal(await page.run(`find('status').textContent`), 'changed');
    seen.push(await page.run('creature.digest'));
    assert.equal(new Set(seen).size, seen.length, 'nothing changed');
  };
  await done(1);
  for (const value of [5, 2]) await page.run(`(() => { const knob = document.querySelector('#knobs input'); knob.value = ${value}; knob.dispatchEvent(new Event('input')); })()`);
  await done(2);
  await page.run(`act({ body: 1, factor: 1.25 })`);
  await done(3);
  await page.run(`act({ cut: [0] })`);
  await done(4);
  await page.run(`layers.brain = true; chooseTool('cut'); draw()`);
  /* one that another muscle reads */
  const node = await page.run(`creature.plan.places[creature.wires.find(([from, to]) => creature.nodes[from][0] === 1 && creature.nodes[to][0] === 2 && to > 0)[0]]`);
  await page.drag(node.x, node.y + await page.run('canvas.getBoundingClientRect().top'), 0, 0);
  await page.until('creature.acts.length === 5');
  await done(5);
  assert.equal(await page.run('creature.acts[4].mute.length'), 1);
  for (let left = 4; left >= 0; left--) {
    await page.run('undo()');
    await idle();
    assert.equal(await page.run('creature.digest'), seen[left], `undone to ${left}`);
  }
  assert.equal(await page.run(`find('status').textContent`), 'verified');
  quiet(page);
}

/* A link is proved where it is opened; the page's own link brings the same creature; a text that is no link gives one message. */
async function proves(open) {
  const link = (await readFile(`${process.argv[2]}/link.txt`, 'utf8')).trim();
  const page = await open(`${folder}/files.html${link}`), count = 13;
  await page.until('creature && creature.values');
  assert.equal(await page.run('creature.status'), 'verified');
  assert.equal(await page.run('DATA.creatures.length'), count + 1);
  await page.run(`find('link').click()`);
  await page.until(`ownLink !== ''`);
  const own = await page.run('location.hash'), digest = await page.run('creature.digest');
  assert.ok(own.length <= 2000, `${own.length}`);
  quiet(page);
  const other = await open(`${folder}/kinds.html${own}`);
  await other.until('creature && creature.values');
  assert.deepEqual([await other.run('creature.status'), await other.run('creature.digest')], ['verified', digest]);
  for (const bad of ['#c=2.x', '#c=1.<b>', own.slice(0, -9), `#c=1.${'A'.repeat(500)}`]) {
    const page = await open(`${folder}/files.html${bad}`);
    await page.until(`/^(This link|link:)/.test(note.textContent) && note.style.display !== 'none'`);
    quiet(page);
  }
}

/* Contests of a run are simulated, too, and held against the digest that the run has; they are not touched. */
async function contends(open) {
  const page = await open(`${folder}/contests.html`);
  await page.until('creature && creature.values');
  for (let i = 0; i < 2; i++) {
    await page.run(`choose(${i})`);
    assert.equal(await page.run('creature.status'), 'verified', await page.run('creature.name'));
    assert.equal(await page.run('creature.ring'), 2);
    assert.ok(await page.run('creature.values[0].length') > 10);
    assert.equal(await page.run(`find('toy').hidden && find('link').hidden`), true);
  }
  await page.run(`creature.proof = '0123456789abcdef'; live(creature)`);
  assert.equal(await page.run('creature.status'), 'differs');
  quiet(page);
}

/* A world of a preserve is shown while it is simulated, and verified at its end; a tap marks a creature, which the picture
 * follows. An order that is damaged gives one message. */
async function livesTogether(open) {
  const page = await open(`${folder}/world.html`, { width: 390, height: 760, mobile: true });
  await page.until('creature && creature.frames > 1');
  assert.equal(await page.run('creature.mark'), 0);
  await page.until(`creature.status !== 'simulating'`);
  assert.equal(await page.run(`find('status').textContent`), 'verified');
  assert.equal(await page.run('creature.frames'), 301);
  await page.run(`setPlaying(false); time = 5; jump()`);
  const { seconds, count, x, y } = await page.run(`(() => { const m = momentAt(creature, time), c = m.living[0];
    return { seconds: m.seconds, count: m.living.length, x: sx(c.parts[0][0]) / ui, y: sy(c.parts[0][1]) / ui + canvas.getBoundingClientRect().top }; })()`);
  assert.equal(seconds, 25);
  assert.ok(count > 5, `${count} live`);
  await page.drag(x, y, 0, 0);
  await page.until('creature.mark === momentAt(creature, time).living[0].mark');
  await page.run('jump()');
  assert.ok(await page.run('Math.abs(target(time, 0).x - momentAt(creature, time).living[0].x) < 0.01'));
  assert.match(await page.run('tellWater(momentAt(creature, time))'), /^(hunter|grazer) of family/);
  assert.equal(await page.run(`find('toy').hidden && find('race').hidden && find('link').hidden`), true);
  quiet(page);
  await page.run(`creature.epochs[0][1] = creature.epochs[0][1].slice(0, 400); creature.values = null; creature = null; choose(0)`);
  await page.until(`note.style.display !== 'none' && note.textContent.length > 9`);
  quiet(page);
}

/* A run in the page has the digest that the controller has, and its champion stands on the stage. */
async function evolves(open) {
  const page = await open(`${folder}/kinds.html`);
  await page.until('creature && creature.values');
  await page.run(`find('evolve').click(); find('seed').value = 3; find('size').options[0].text = find('size').options[0].value = '20x3'; find('start').click()`);
  await page.until(`/: run [0-9a-f]{16}, /.test(find('run').textContent)`, 120);
  const wanted = (await readFile(`${process.argv[2]}/digest.txt`, 'utf8')).trim().split(/\s+/).pop();
  assert.equal(await page.run(`find('run').textContent.match(/run (\\w+)/)[1]`), wanted);
  assert.equal(await page.run('creature.status'), 'verified');
  assert.match(await page.run(`find('name').textContent`), /^walk, in the plane, generation 3$/);
  assert.equal(await page.run(`!!creature.ghost === find('score').textContent.endsWith('pale: its parent')`), true);
  assert.equal(await page.run('!creature.ghost || ghostLimbs().length > 0 && creature.ghost.digest !== creature.digest'), true);
  quiet(page);
}

/* By hand: nine that live and differ; the children of two, which stay; one of them on the stage, where it is touched. */
async function choosesByHand(open) {
  const page = await open(`${folder}/files.html`, { width: 390, height: 760, mobile: true });
  const waits = generation => page.until(`find('run').textContent === 'generation ${generation}: pick one or two'`, 60);
  await page.until('creature && creature.values');
  await page.run(`find('evolve').click(); find('by-hand').click()`);
  await waits(1);
  assert.equal(await page.run('hand.nine.length'), 9);
  assert.equal(await page.run('new Set(hand.nine.map(c => c.digest)).size'), 9);
  await page.run('pick(1); pick(4); pick(6)');
  const parents = await page.run('hand.picked.map(place => hand.nine[place].digest)');
  assert.equal(parents.length, 2, 'two at most are picked');
  await page.run(`find('cross').click()`);
  await waits(2);
  assert.deepEqual(await page.run('hand.nine.slice(0, 2).map(c => c.digest)'), parents);
  await page.run('pick(8)');
  const child = await page.run('hand.nine[8].digest');
  await page.run(`find('alone').click()`);
  await page.until('!hand && DATA.creatures.length === 14 && creature === DATA.creatures[13]');
  assert.equal(await page.run('creature.digest'), child);
  await page.run(`find('toy').click()`);
  await page.run('act({ cut: [0] })');
  await page.until('!isBusy', 30);
  assert.equal(await page.run(`find('status').textContent`), 'changed');
  quiet(page);
}

await browse(async open => {
  await seesAll(open);
  await isAsRecorded(open);
  await drawsSpace(open);
  await fitsPhone(open);
  await plays(open);
  await proves(open);
  await contends(open);
  await livesTogether(open);
  await evolves(open);
  await choosesByHand(open);
});
