/* Frames per second of pages without a graphics processor: node tests/page/frames.mjs PAGE.... Prints for each page
 * frames/s, ms of processor time per frame (the browser's processes together, which other programs of the machine change little),
 * and the scale of the picture. */
import { readFile, readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { browse } from './browser.mjs';

const SECONDS = 6, HZ = 100; /* ticks of /proc */

/* Processor time of this process's descendants, ms. */
async function processorTime() {
  const all = new Map();
  for (const id of (await readdir('/proc')).filter(name => /^\d+$/.test(name))) {
    const text = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '');
    const words = text.slice(text.lastIndexOf(')') + 2).split(' ');
    if (text) all.set(id, { parent: words[1], ticks: Number(words[11]) + Number(words[12]) });
  }
  const isOurs = id => all.has(id) && (all.get(id).parent === String(process.pid) || isOurs(all.get(id).parent));
  return [...all].reduce((sum, [id, { ticks }]) => sum + (isOurs(id) ? ticks : 0), 0) * 1000 / HZ;
}

async function measure(open, file) {
  const page = await open(`file://${resolve(file)}`, { width: 1280, height: 720 });
  await page.until('creature && creature.values');
  await page.run(`setPlaying(true); globalThis.framesDrawn = 0; (function count() { framesDrawn++; requestAnimationFrame(count); })(); 0`);
  await page.until('framesDrawn > 120', 90); /* the pace is found */
  const [first, from, began] = [await page.run('framesDrawn'), await processorTime(), performance.now()];
  await page.run(`new Promise(done => setTimeout(done, ${SECONDS * 1000}))`);
  const frames = await page.run('framesDrawn') - first, seconds = (performance.now() - began) / 1000, used = await processorTime() - from;
  const scale = await page.run('(typeof pace === "undefined" ? made?.gpu?.fine ?? 1 : (made?.gpu ? fineness : plainFineness)()).toFixed(2)');
  console.log(`${file}  ${(frames / seconds).toFixed(1)} frames/s  ${(used / frames).toFixed(1)} ms of processor per frame  scale ${scale}`);
}

await browse(async open => {
  for (const file of process.argv.slice(2)) await measure(open, file);
});
