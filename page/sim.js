/* ---- the simulator behind the page: workers that speak as worker.js does ---- */

export const bytesOf = base64 => Uint8Array.from(atob(base64), c => c.charCodeAt(0));

async function inflate(bytes, form) {
  if (typeof DecompressionStream === 'undefined')
    throw new Error('This browser is too old to unpack the page (it has no DecompressionStream).');
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream(form))).arrayBuffer());
}

/* A worker: ask() takes calls and promises the result of the last one, each() is given the moments of a world. */
export function makeWorker(module) {
  const url = URL.createObjectURL(new Blob([find('worker').textContent], { type: 'text/javascript' }));
  const worker = new Worker(url), open = new Map();
  let count = 0;
  const ask = (...calls) => new Promise((yes, no) => {
    open.set(++count, { yes, no });
    worker.postMessage({ id: count, calls, start: count === 1 ? module : null });
  });
  const self = { ask, each: () => {}, stop: () => { worker.terminate(); URL.revokeObjectURL(url); } };
  worker.onmessage = ({ data: { id, value, error, moment } }) => {
    if (moment) return self.each(moment);
    const { yes, no } = open.get(id);
    open.delete(id);
    if (error) no(new Error(error));
    else yes(value);
  };
  worker.onerror = event => {
    event.preventDefault();
    for (const { no } of open.values()) no(new Error('This browser lets no worker run in the page.'));
    open.clear();
  };
  return self;
}

/* The module, compiled once, and the worker of the stage. */
let compiled = null, stage = null, staged = null;
export const moduleOf = () => compiled ??= inflate(bytesOf(find('module').textContent), 'gzip').then(WebAssembly.compile);
const canLive = () => !!find('module');

const isAlive = c => !!(c?.bytes || c?.link || c?.file);
/* A creature that lives alone can be changed, and be put into a link. */
const isAlone = c => isAlive(c) && !c.bout;
const entrance = c => c.link ? [['openLink', c.link]] : c.file && c.params ? [['begin', c.params], ['read', c.file]] : c.file ? [['read', c.file], ['useRecord']] : [['begin', c.params], ['read', bytesOf(c.bytes)]];
const askStage = async (...calls) => (stage ??= makeWorker(await moduleOf())).ask(...calls);

/* Lives through a creature's life in the worker; its visible side becomes the creature's. */
async function live(c) {
  staged = c;
  if (c.bout) return take(c, await askStage(...entrance(c), ['meet', bytesOf(c.rival), c.seed, ...c.bout, c.voices.length > 0]));
  const grown = c.acts.filter(act => act.body !== undefined).map(act => ['lengthen', act.body, act.factor]);
  const shown = await askStage(...entrance(c), ...grown, ['cut', c.acts.flatMap(act => act.cut ?? []), c.acts.flatMap(act => act.mute ?? [])], ['live', c.seed, c.voices.length > 0]);
  return take(c, deedsOf(c).length ? await askStage(['change', 0, deedsOf(c)]) : shown);
}

/* A creature that a link brings. */
async function creatureOf(link) {
  const bytes = await bytesOfLink(link);
  if (!canLive()) throw new Error('This page has no simulator: open the link in one that has.');
  const { seed, digest } = await askStage(['openLink', bytes]);
  return { link: bytes, seed, proof: digest, acts: [], voices: [], score: '' };
}

const deedsOf = c => c.acts.flatMap(act => act.deeds ?? []);
const isGrown = act => !act.deeds;

function take(c, shown) {
  Object.assign(c, shown, { name: c.name ?? shown.name, plan: null, most: c.most ?? shown.most });
  if (!c.acts.length) c.whole = shown;
  if (c.acts.length) c.status = 'changed';
  else if (c.proof) c.status = c.proof === c.digest ? 'verified' : 'differs';
  return c;
}

/* After an act at a tick, or after one was taken back. */
async function liveOn(c, act) {
  if (staged !== c || isGrown(act)) return live(c);
  return take(c, await askStage(['change', act.deeds[0].tick, deedsOf(c)]));
}
