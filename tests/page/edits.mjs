/* The checks of test_page_edits.sh in its pages: edits.mjs FOLDER. Saved files come into the folder. */
import assert from 'node:assert';
import { browse } from './browser.mjs';

const folder = process.argv[2], url = hash => `file://${folder}/page.html${hash}`;
const phone = { width: 390, height: 844, mobile: true };
const quiet = page => {
  assert.deepEqual(page.said, []);
  assert.equal(page.requests.length, 1, page.requests.join(' '));
};
const told = page => page.run(`find('told').textContent`);
const lives = async (page, f) => {
  if (f) await page.run(`Promise.resolve(${f}).then(() => null)`);
  await page.until('!isBusy', 30);
  return page.run('creature.digest');
};
const saves = page => page.send('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
const row = words => `[...document.querySelectorAll('#edit-form label')].find(l => l.textContent.startsWith('${words}'))`;

/* A template; a limit, by its slider, changes its life; undo brings the same life back; a change that the library refuses is none. */
async function builds(open, size) {
  const page = await open(url('#edit'), size), middle = part => page.run(`planEye()(editing.parts[${part}].at)`);
  const drag = async (from, dx, dy) => {
    const [left, top] = await page.run('(({ left, top }) => [left, top])(canvas.getBoundingClientRect())');
    await page.drag(left + from[0], top + from[1], dx, dy);
  };
  await page.until('editing && editing.lives && !isBusy');
  await lives(page, `openTemplate('fish')`);
  const digests = [await lives(page)];
  await drag(await middle(2), 0, 0);
  await page.until(`document.querySelector('#edit-form select').value === '3'`);
  const slide = value => `(i => { i.value = ${value}; i.dispatchEvent(new Event('input')); })(${row('upper limit')}.querySelector('input'))`;
  for (const value of [0.4, 0.2, 0.1]) digests.push(await lives(page, slide(value)));
  assert.equal(await page.run('duration()'), 2, 'while a slider moves, a short life is shown');
  assert.equal(new Set(digests).size, 4, `${digests}`);
  digests[3] = await lives(page, `${row('upper limit')}.querySelector('input').dispatchEvent(new Event('change'))`);
  assert.equal(await page.run('editing.history.past.length'), 1, 'a slide is one step');
  assert.equal(await lives(page, `find('edit-undo').click()`), digests[0]);
  assert.equal(await lives(page, `find('edit-redo').click()`), digests[3]);
  await lives(page, `change(next => { next.bodies[1].width_m = -1; })`);
  assert.match(await told(page), /^creature: body 1 \(id 2\): width_m -1 is not within/);
  assert.equal(await page.run('editing.history.past.length'), 1);
  /* by the pointer: the part along its parent, its end, a limb and its twin */
  await drag(await middle(1), 0, 30);
  await lives(page);
  assert.notEqual(await page.run('JSON.stringify(editing.history.doc.connections[0])'), JSON.stringify({ id: 1, from: 1, to: 2, parent_face: 'right', child_face: 'left' }));
  await drag((await page.run('handles().map(handle => handle[1])'))[0], 15, 0);
  await lives(page);
  const count = await page.run('editing.parts.length');
  await page.run(`find('edit-limb').click()`);
  await drag(await middle(0), 5, 60);
  await lives(page);
  await lives(page, `find('edit-twin').click()`);
  assert.equal(await page.run('editing.parts.length'), count + 2);
  await lives(page, `find('edit-neuron').click()`);
  assert.ok(await page.run(`document.querySelectorAll('#edit-brain .node').length >= 9`));
  for (const control of ['#edit-template', '#edit-save', '#edit-undo', '#edit-close', '#edit-limb', '#edit-form input'])
    assert.ok(await page.run(`(({ left, right, height }) => left >= 0 && right <= innerWidth && height >= 28)(document.querySelector('${control}').getBoundingClientRect())`), control);
  assert.equal(await page.run(`[...document.querySelectorAll('#edit-form input, #edit-form select')].every(i => i.labels.length || i.ariaLabel)`), true);
  quiet(page);
  return page;
}

/* Training makes a biped better; it is one step, which is undone. */
async function trains(open) {
  const page = await open(url('#edit'));
  await page.until('editing && editing.lives && !isBusy');
  await lives(page, `openTemplate('biped')`);
  const digest = await lives(page), fitness = () => page.run(`recordBy(editing.c, null, '1').then(record => record.evaluation.fitness)`), first = await fitness();
  await page.run(`find('edit-train').click()`);
  await page.until(`creature.digest !== '${digest}' && /^[3-9]\\d mutants/.test(find('told').textContent)`);
  await page.run(`find('edit-train').click()`);
  await page.until(`!editing.isTraining && !isBusy`);
  assert.ok(await fitness() > first);
  assert.equal(await page.run('editing.history.past.length'), 1);
  assert.equal(await page.run('editing.history.doc.bodies.length'), 5);
  assert.equal(await lives(page, `find('edit-undo').click()`), digest);
  quiet(page);
}

/* Creatures are saved, and opened again; the library's words refuse other files. */
async function savesFiles(page) {
  await saves(page);
  await lives(page, `(find('edit-world').value = 'water', find('edit-world').onchange({ target: find('edit-world') }))`);
  await lives(page, `change(next => { next.name = 'built <b>'; })`);
  await page.run(`find('edit-save').click()`);
  const digest = await lives(page);
  assert.equal(await lives(page, `saveCreature(editing.c)`), digest);
  const open = text => page.run(`openFile(new File([${JSON.stringify(text)}], 'x.json')).catch(error => error.message)`);
  assert.match(await open('{"format": "bestiary-creature", "version": 99}'), /version/);
  for (const text of ['\u0001\u0002 nothing', '', '[]', 'null', '{"__proto__": {}}', `${'['.repeat(5000)}`, '{"format": "bestiary-creature", "version": 1, "bodies": 5}',
    '{"format": "bestiary-creature", "version": 1, "bodies": [{"id": 1e99, "width_m": 1, "height_m": 1}]}'])
    assert.match(await open(text), /^creature: [^\n]+$/, text.slice(0, 40));
  assert.equal(await lives(page), digest);
  await open(JSON.stringify(await page.run(`recordBy(editing.c, null, editing.c.seed)`)));
  assert.equal(await lives(page), digest);
  await page.run(`find('edit-close').click()`);
  await page.until('!editing && creature.values');
  assert.equal(await page.run('creature.digest'), digest);
  quiet(page);
  console.log(digest);
}

/* A run that its closed page left goes on in another one. */
async function keeps(open) {
  const first = await open(url(''));
  await first.until('creature && creature.values');
  await first.run(`find('evolve').click(); find('seed').value = 3; find('size').options[0].text = find('size').options[0].value = '20x3'; find('start').click()`);
  await first.until('history.length >= 1', 60);
  await first.send('Page.navigate', { url: 'about:blank' });
  const second = await open(url(''), phone);
  await second.until(`creature && creature.values && (find('evolve').click(), !find('go-on').hidden)`);
  await saves(second);
  await second.run(`find('go-on').click()`);
  await second.until(`/: run [0-9a-f]{16}, /.test(find('run').textContent)`, 120);
  console.log(await second.run(`find('run').textContent.match(/run (\\w+)/)[1]`));
  assert.equal(await second.run('history.length'), 3);
  await second.run(`find('save').click(), find('ini').click()`);
  quiet(second);
}

/* A challenge is proved where it is opened; a worse creature does not beat it, a better one does. */
async function challenges(open) {
  const page = await open(url(''));
  await page.until('creature && creature.values');
  assert.equal(await page.run(`['edit', 'link', 'challenge'].some(id => find(id).hidden)`), false);
  await page.run(`find('challenge').click()`);
  await page.until(`ownLink.startsWith('#g=1.')`);
  const other = await open(url(await page.run('ownLink')), phone);
  await other.until(`/; to beat: [\\d.]+$/.test(find('goal').textContent)`);
  assert.equal(await other.run('creature.status'), 'verified');
  await lives(other, `openTemplate('fish')`);
  await other.until(`/does not beat it/.test(find('goal').textContent)`);
  await other.run('challenge.fitness = 1e-9; choose(0)');
  await other.until(`/yours beats it/.test(find('goal').textContent)`);
  quiet(other);
  const bad = await open(url('#g=1.AAAA'));
  await bad.until(`/^This link is damaged|^link: /.test(note.textContent)`);
  quiet(bad);
}

await browse(async open => {
  await builds(open, phone);
  await trains(open);
  await savesFiles(await builds(open));
  await keeps(open);
  await challenges(open);
});
