/* ---- keeping: a run of the page goes on after the page was closed. A search is a function of its asks and tells, in their
 * order: a log of both brings it back, and only tasks without a result are done again ---- */

/* The log of a run: null for each task that was asked for, [the task's number, its result] for each that was told. Repeats
 * the asks and tells of a log; each(progress) is told of every result. Gives how many tasks it was asked for, and those without a
 * result: { task, number }. */
export async function restore(ask, log, each) {
  const open = new Map();
  let progress = null, asked = 0;
  for (const entry of log) {
    if (entry === null) {
      open.set(asked, { task: await ask(['ask']), number: asked });
      asked++;
      continue;
    }
    progress = await ask(['tell', entry[1]]);
    open.delete(entry[0]);
    each(progress);
  }
  return { asked, waiting: [...open.values()], progress };
}

/* The page's store: one run and its log. Where a browser keeps nothing, a run is not kept. */
const request = ask => new Promise((yes, no) => {
  ask.onsuccess = () => yes(ask.result);
  ask.onerror = event => {
    event.preventDefault();
    no(ask.error);
  };
});
let shelf = null;
async function shelves(isWritten) {
  shelf ??= (() => {
    const opening = indexedDB.open('bestiary', 1);
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore('run');
      opening.result.createObjectStore('log', { autoIncrement: true });
    };
    return request(opening);
  })();
  const deal = (await shelf).transaction(['run', 'log'], isWritten ? 'readwrite' : 'readonly');
  return { run: deal.objectStore('run'), log: deal.objectStore('log') };
}
/* Begins to keep a run: { kind, size, generations, seed }; null: keeps no run. */
async function keepRun(run) {
  const { run: one, log } = await shelves(true);
  await Promise.all([request(log.clear()), request(run ? one.put(run, 0) : one.clear())]);
}
const keepEntry = async entry => request((await shelves(true)).log.add(entry));
/* The run that is kept, with its log; null: there is none. */
async function keptRun() {
  const { run, log } = await shelves(false), [one, entries] = await Promise.all([request(run.get(0)), request(log.getAll())]);
  return one ? { ...one, log: entries } : null;
}

/* ---- files for the programs ---- */

/* Parameters as a file: pairs of names and texts. */
export function iniOf(params) {
  const sections = new Map([['', []]]);
  for (const [name, value] of params) {
    const [section, key] = name.includes('.') ? name.split('.') : ['', name];
    sections.set(section, [...sections.get(section) ?? [], `${key} = ${value}`]);
  }
  return [...sections].filter(([, lines]) => lines.length).map(([section, lines]) => `${section && `[${section}]\n`}${lines.join('\n')}\n`).join('\n');
}
const fileName = name => (name ?? '').replace(/[^\w.-]+/g, '-').replace(/^[-.]+/, '') || 'creature';
function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' })), link = document.createElement('a');
  Object.assign(link, { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
async function saveCreature(c) {
  const record = await recordBy(c, null, c.seed);
  download(`${fileName(record.name || c.name)}.json`, JSON.stringify(record, null, 2));
}
