/* Links: a written link is read; a damaged, too long or invented one is refused in one line. */
import test from 'node:test';
import assert from 'node:assert';
import { readFile, readdir } from 'node:fs/promises';
import { deflateRawSync } from 'node:zlib';
import { linkOf, bytesOfLink } from '../../page/link.js';
import { isFurther, pushAt, turnAt } from '../../page/play.js';
import { fillPlaces } from '../../page/hand.js';
import { makeMachine } from '../../page/machine.js';

const root = new URL('../../', import.meta.url);
const link = bytes => `#c=1.${deflateRawSync(bytes).toString('base64url')}`;
const refused = (text, words) => assert.rejects(bytesOfLink(text), error => words.test(error.message) && !error.message.includes('\n'));

test('what is written is read', async () => {
  for (const length of [1, 2, 3, 1000]) {
    const bytes = Uint8Array.from({ length }, (_, i) => i * 7919 >> 3 & 255), text = await linkOf(bytes);
    assert.match(text, /^#c=1\.[\w-]+$/);
    assert.deepEqual(await bytesOfLink(text), bytes);
  }
});

test('a damaged link says so', async () => {
  await refused('#c=2.AAAA', /later version/);
  await refused('#c=1.', /damaged/);
  await refused('#c=1.%3Cscript%3E', /damaged/);
  await refused('#c=1.AAAAA', /damaged/);
  await refused(`#c=1.${'A'.repeat(1 << 19)}`, /too long/);
  await refused(link(Buffer.alloc(1 << 24)), /too long/);
  const good = link(Buffer.from('some bytes that are long enough'));
  for (let length = 6; length < good.length; length++) await refused(good.slice(0, length), /damaged/);
});

test('places are filled by creatures that live and differ', async () => {
  const own = { seed: 0 }, parents = [{ digest: 'a', verdict: 'ok' }];
  const bear = async (from, seed) => ({ digest: String.fromCharCode(97 + seed % 20), verdict: seed % 3 ? 'ok' : 'push-apart', from });
  const nine = await fillPlaces(own, parents, bear);
  assert.equal(nine.length, 9);
  assert.equal(nine[0], parents[0]);
  assert.equal(new Set(nine.map(c => c.digest)).size, 9);
  assert.ok(nine.every(c => c.verdict === 'ok'));
  const few = await fillPlaces({ seed: 0 }, [], async () => ({ digest: 'a', verdict: 'ok' }));
  assert.equal(few.length, 1, 'copies are left out, and the search for others ends');
  assert.equal((await fillPlaces({ seed: 0 }, [], bear, () => true)).length, 0);
});

test('acts are deeds', () => {
  const push = pushAt(60, 1 / 60, [1, 2, 0]);
  assert.deepEqual(push.deeds.map(deed => deed.tick), [60, 66]);
  assert.deepEqual(push.deeds[0].pull, push.deeds[1].pull.map(v => -v));
  const turn = turnAt(5, 'world.friction', 1);
  assert.ok(isFurther(turnAt(9, 'world.friction', 2), turn));
  assert.ok(!isFurther(turnAt(9, 'world.gravity_m_s2', 2), turn));
  assert.ok(!isFurther(push, push));
  assert.ok(!isFurther({ cut: [1] }, turn));
});

test('no two parts of the page have a name in common', async () => {
  const names = new Map();
  for (const file of (await readdir(new URL('page/', root))).filter(name => name.endsWith('.js') && !/worker|machine/.test(name)))
    for (const [, name] of (await readFile(new URL(`page/${file}`, root), 'utf8')).matchAll(/^(?:export )?(?:async )?(?:function|const|let|class) (\w+)/gm)) {
      assert.ok(!names.has(name), `${name} is in ${names.get(name)} and in ${file}`);
      names.set(name, file);
    }
});

const wasm = await readFile(new URL('build/web/bestiary.wasm', root)).catch(() => null);
test('a creature goes through a link, and changed bytes of it do no harm', { skip: wasm ? false : 'there is no module (make web)' }, async () => {
  const module = await WebAssembly.compile(wasm), machine = await makeMachine(module), lengths = [];
  const files = (await readdir(new URL('examples/creatures/', root))).filter(name => name.endsWith('.creature'));
  let bytes = null;
  for (const file of files) {
    machine.begin([]);
    machine.read(await readFile(new URL(`examples/creatures/${file}`, root)));
    const shown = machine.live(machine.useRecord(), false);
    assert.equal(shown.status, 'verified');
    bytes = machine.link();
    const text = await linkOf(bytes);
    lengths.push(text.length);
    const { seed, digest } = machine.openLink(await bytesOfLink(text));
    assert.equal(digest, shown.digest);
    assert.equal(machine.live(seed, false).digest, digest, file);
  }
  lengths.sort((a, b) => a - b);
  assert.ok(lengths[Math.floor(0.9 * lengths.length)] <= 2000, `${lengths}`);
  let refusals = 0;
  for (let k = 0, state = 1; k < 3000; k++) {
    const other = bytes.slice();
    for (let n = k % 4; n >= 0; n--) {
      state = Math.imul(state, 1664525) + 1013904223 >>> 0;
      other[state % other.length] = state >>> 24;
    }
    try {
      machine.openLink(other);
    } catch (error) {
      assert.ok(!(error instanceof WebAssembly.RuntimeError), `a bug: ${error}`);
      assert.match(error.message, /^link[.:][^\n]+$/);
      refusals++;
    }
  }
  assert.ok(refusals > 500, `${refusals}`);
});
