/* The checks of test_report.sh in its pages: report.mjs FOLDER PAGE SECOND, the second creature of the page that plays, or ''. */
import assert from 'node:assert';
import { browse } from './browser.mjs';

const [folder, file, second] = process.argv.slice(2);

await browse(async open => {
  assert.deepEqual((await open(`file://${folder}/small.html`)).said, []);
  if (!second) return;
  const page = await open(`file://${folder}/${file}`);
  const inside = id => `player.contentDocument.getElementById('${id}')`;
  await page.until(`player.contentDocument && ${inside('status')}?.textContent === 'verified'`, 60);
  await page.run(`(svg => { const box = svg.getBoundingClientRect();
    svg.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 })); })(document.querySelector('.plot svg'))`);
  await page.until(`/^generation \\d+: best /.test(document.querySelector('.tip')?.textContent)`);
  await page.run(`document.querySelector('[data-play="1"]').dispatchEvent(new Event('click', { bubbles: true }))`);
  await page.until(`${inside('name')}.textContent.endsWith('-${second}')`, 60);
  assert.deepEqual(page.said, []);
});
