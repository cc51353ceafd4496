/* What test_page_lives.sh looks for in its pages. */
import assert from 'node:assert';
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

/* What is lived is what is recorded, but for the rounding of the record. */
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

await browse(async open => {
  await seesAll(open);
  await isAsRecorded(open);
});
