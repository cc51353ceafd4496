/* ---- evolution in the page, by ask and tell: one worker has the search, the others do its tasks ---- */
import { restore } from './keep.js';

export const KINDS = {
  'walk, in the plane': [['world.preset', 'land'], ['evolution.behaviour', 'walk']],
  'swim, in the plane': [['world.preset', 'water'], ['evolution.behaviour', 'swim']],
  'walk, of spheres': [['creature.body', 'spheres'], ['world.preset', 'land'], ['evolution.behaviour', 'walk']],
  'walk, of boxes': [['creature.body', 'boxes'], ['world.preset', 'land'], ['evolution.behaviour', 'walk']],
  'swim, of boxes': [['creature.body', 'boxes'], ['world.preset', 'water'], ['evolution.behaviour', 'swim']],
};
export const paramsOf = (kind, size, generations, seed) => [...KINDS[kind], ['population.size', String(size)],
  ['evolution.generations', String(generations)], ['seed', String(seed)]];

/* Evolves until it is finished or stopped. `make` makes a worker; each(progress) is told of every result, best({ file, parent }, progress)
 * of the first in rank of each generation. kept: the log of the run so far (keep.js), and add(entry), which takes further entries.
 * Gives the digest of the run, which no order of results and no number of workers changes; '' if it was stopped. */
export async function evolve(make, count, params, each, best, isStopped = () => false, kept = { log: [], add() {} }) {
  const keeper = make(), crew = Array.from({ length: count }, make);
  let progress = { generation: 0, done: 0, needed: 0, best: NaN, median: NaN, finished: false, evaluations: 0 }, waiting = [], asked = 0;
  const next = async () => {
    if (waiting.length) return waiting.shift();
    const task = await keeper.ask(['ask']);
    if (task.length) kept.add(null);
    return { task, number: task.length ? asked++ : -1 };
  };
  const work = async worker => {
    await worker.ask(['begin', params]);
    while (!progress.finished && !isStopped()) {
      const { task, number } = await next();
      if (number < 0) {
        await new Promise(done => setTimeout(done, 5));
        continue;
      }
      const result = await worker.ask(['task', task]);
      if (progress.finished || isStopped()) return;
      const before = progress.generation;
      progress = await keeper.ask(['tell', result]);
      kept.add([number, result]);
      each(progress);
      if (progress.finished || progress.generation > before) await best(await keeper.ask(['best']), progress);
    }
  };
  try {
    await keeper.ask(['begin', params], ['search']);
    const before = await restore(keeper.ask, kept.log, each);
    ({ waiting, asked } = before);
    progress = before.progress ?? progress;
    if (progress.finished || progress.generation) await best(await keeper.ask(['best']), progress);
    await Promise.all(crew.map(work));
    return progress.finished ? await keeper.ask(['digest']) : '';
  } finally {
    for (const worker of [keeper, ...crew]) worker.stop();
  }
}

/* ---- its sheet ---- */

let evolving = null, history = [];

function drawCurve() {
  const most = Math.max(...history.flat(), 1e-9), x = i => 200 * i / Math.max(history.length - 1, 1), y = v => 38 - 36 * Math.max(v, 0) / most;
  const points = k => history.map((pair, i) => `${x(i).toFixed(1)},${y(pair[k]).toFixed(1)}`).join(' ');
  find('curve').innerHTML = `<polyline points='${points(1)}' fill='none' stroke='currentColor' stroke-opacity='0.4' stroke-width='1.5'/>` +
    `<polyline points='${points(0)}' fill='none' stroke='currentColor' stroke-width='2'/>`;
}

const sayRun = text => { find('run').textContent = text; };

/* Beside a child its parent goes, pale. */
async function showBest({ file, parent }, progress, kind) {
  if (hand || editing || isBusy || (isPlaying() && creature.acts.length)) return;
  const ghost = parent && await live({ file: parent, acts: [], voices: [], seed: String(await askStage(['read', parent], ['useRecord'])) }).catch(() => null);
  const seed = await askStage(['read', file], ['useRecord']);
  const c = { file, seed: String(seed), name: `${kind}, generation ${history.length}`, acts: [], voices: [], ghost,
    score: `fitness ${progress.best.toPrecision(3)}` };
  await (evolving.index === undefined ? welcome(c) : choose(evolving.index, c));
  evolving.index = DATA.creatures.indexOf(c);
}

/* A curve's point for each generation. */
function noteResult(p) {
  sayRun(`generation ${p.generation}, ${p.done} of ${p.needed}; ${p.evaluations} evaluated`);
  if (p.generation === history.length && !p.finished) return;
  history.push([p.best, p.median]);
  drawCurve();
}

/* The run that the sheet asks for. */
const chosenRun = () => {
  const [size, generations] = find('size').value.split('x').map(Number);
  return { kind: find('kind').value, size, generations, seed: Math.floor(Number(find('seed').value)) || 1, module: find('module').textContent.length };
};
const paramsOfRun = ({ kind, size, generations, seed }) => paramsOf(kind, size, generations, seed);

/* Begins a run, or goes on with one that was kept. */
async function startRun(run = { ...chosenRun(), log: [] }) {
  const own = evolving = { isStopped: false, run }, began = performance.now(), { kind, size, generations, seed, log } = run;
  let isKept = true;
  const keep = act => act().catch(() => { isKept = false; }); /* a browser without a store, or a full one */
  history = [];
  find('start').textContent = 'stop';
  find('go-on').hidden = true;
  try {
    if (!log.length) keep(() => keepRun({ ...run, log: undefined }));
    const module = await moduleOf(), count = Math.min(Math.max((navigator.hardwareConcurrency || 2) - 1, 1), 8);
    const digest = await evolve(() => makeWorker(module), count, paramsOfRun(run), noteResult, (pair, p) => showBest(pair, p, kind), () => own.isStopped,
      { log, add: entry => isKept && keep(() => keepEntry(entry)) });
    sayRun(digest ? `${size} x ${generations}, seed ${seed}: run ${digest}, ${((performance.now() - began) / 1000).toFixed(0)} s` : 'stopped');
  } catch (error) {
    sayRun(error.message);
  }
  own.isStopped = true;
  find('start').textContent = 'start';
  offerKept();
}

async function offerKept() {
  const run = await keptRun().catch(() => null);
  find('go-on').hidden = !run || run.module !== find('module').textContent.length || (evolving && !evolving.isStopped);
  find('go-on').title = run ? `${run.kind}, ${run.size} x ${run.generations}, seed ${run.seed}: ${run.log.length} steps are kept` : '';
  find('go-on').onclick = () => startRun(run);
}

function setBreeding(on) {
  if (on) setPlayground(false);
  else setHand(false);
  find('breed').hidden = !on;
  find('evolve').setAttribute('aria-pressed', String(on));
  document.body.classList.toggle('plays', on);
  resize();
}

function watchEvolution() {
  find('evolve').hidden = !canLive();
  find('kind').append(...Object.keys(KINDS).map(name => new Option(name, name)));
  find('evolve').onclick = () => setBreeding(find('breed').hidden);
  find('end-breed').onclick = () => setBreeding(false);
  find('start').onclick = () => {
    if (!evolving || evolving.isStopped) startRun();
    else evolving.isStopped = true;
  };
  find('save').onclick = () => saveCreature(creature).catch(error => sayRun(error.message));
  find('ini').onclick = () => download('run.ini', iniOf(paramsOfRun(evolving?.run ?? chosenRun())));
  if (canLive()) offerKept();
}
