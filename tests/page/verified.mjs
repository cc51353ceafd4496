/* verified.mjs BROWSER FOLDER: creatures and runs that a browser's page computes again, for test_page_verified.sh. FOLDER/all.html has
 * the creatures, wanted.txt a line of status and digest for each, runs.txt lines of a kind, a tab and the digest of its run. */
import assert from 'node:assert';
import { readFile } from 'node:fs/promises';

const [name, folder] = process.argv.slice(2);
const { browse } = await import(name === 'firefox' ? './firefox.mjs' : './browser.mjs');
const linesOf = async file => (await readFile(`${folder}/${file}`, 'utf8')).trim().split('\n').filter(line => line);
const wanted = await linesOf('wanted.txt'), runs = await linesOf('runs.txt');

await browse(async open => {
  const page = await open(`file://${folder}/all.html`);
  await page.until('creature && creature.values');
  assert.equal(await page.run('DATA.creatures.length'), wanted.length);
  for (let i = 0; i < wanted.length; i++) {
    await page.run(`choose(${i})`);
    assert.equal(await page.run('`${creature.status} ${creature.digest}`'), wanted[i], await page.run('creature.name'));
  }
  for (const line of runs) {
    const [kind, digest] = line.split('\t');
    assert.equal(await page.run(`moduleOf().then(module => evolve(() => makeWorker(module), 2, paramsOf('${kind}', 60, 12, 1), () => {}, () => {}))`), digest, kind);
  }
  assert.deepEqual(page.said, []);
  console.log(`${name}: ${wanted.length} creatures, ${runs.length} runs`);
});
