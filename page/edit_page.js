/* ---- the editor: a creature is built, and lives anew after each change ---- */

const WORLDS = { land: [['world.preset', 'land']], water: [['world.preset', 'water']], air: [['world.preset', 'air']], moon: [['world.preset', 'moon']] };
const BLANK = { format: 'bestiary-creature', version: 10, bodies: [{ id: 1, width_m: 0.5, height_m: 0.15 }, { id: 2, width_m: 0.3, height_m: 0.1 }],
  connections: [{ id: 1, from: 1, to: 2 }], neurons: [] };
const TEMPLATE_WORLDS = { fish: 'water' };
const SHORT = ['simulation.duration_s', '2']; /* while something is dragged */
const FILE_MOST = 4 << 20; /* bytes, as in the programs */

let editing = null; /* { history, draft, parts, functions, chosen: { body, via }, neuron, c, params, seed, view, drag, gesture, isAdding, isWatched, isSliding, isCentral, lives, isTraining } */

const bytesOfDoc = doc => new TextEncoder().encode(JSON.stringify(doc));
/* The document of a creature's file: without its origin and its record. */
export function opened(full) {
  const { evaluation, id, parents, generation, mutations, ...doc } = full;
  return { ...doc, version: 10, method: 'hand', neurons: doc.neurons ?? [], connections: doc.connections ?? [] };
}

/* Reads a document in the module and shows the body that grows of it, then its life. An Error, in the library's words, leaves the
 * document as it was, or says why the body does not live. */
async function adopt(doc, gesture) {
  const { params, seed, c, history } = editing, file = bytesOfDoc(doc);
  editing.draft = null;
  const plan = await askStage(['begin', params], ['read', file], ['plan']);
  if (doc !== history.doc) history.put(doc, gesture);
  editing.parts = plan.parts.map((part, index) => ({ ...partOf(part), index }));
  const isShort = !!(editing.drag || editing.isSliding);
  Object.assign(c, { file, params: isShort ? [...params, SHORT] : params, seed, acts: [], name: doc.name ?? 'new', most: undefined });
  if (!isShort && isOutside()) fitPlan();
  showChosen();
  editing.lives = false;
  await live(c);
  editing.lives = true;
  creature = c;
  if (!isShort) await judge(c);
}
/* After a drag or a slide: the whole life, and the form. */
function settleDoc() {
  editing.isSliding = false;
  wishFor(() => adopt(editing.history.doc, null));
}

/* A change of the document; changes by one gesture are undone together. */
function change(f, gesture = null, base = editing.draft ?? editing.history.doc) {
  const next = structuredClone(base);
  try {
    f(next);
  } catch (error) {
    return tell(error.message);
  }
  editing.draft = next;
  tell('');
  return wishFor(() => adopt(next, gesture));
}
function walkHistory(isBack) {
  const { history } = editing;
  if (isBack ? history.undo() : history.redo()) wishFor(() => adopt(history.doc, null));
}

function showChosen() {
  const { history } = editing;
  find('edit-undo').disabled = !history.past.length;
  find('edit-name').value = history.doc.name ?? '';
  find('edit-redo').disabled = !history.future.length;
  for (const id of ['edit-twin', 'edit-repeat', 'edit-remove']) find(id).disabled = !editing.chosen;
  if (editing.drag || editing.isSliding) return;
  showBrain();
  showForm();
}
function choosePart(part) {
  Object.assign(editing, { chosen: { body: part.body, via: part.via }, neuron: null, isCentral: false });
  showChosen();
}
function setAdding(on) {
  editing.isAdding = on;
  find('edit-limb').setAttribute('aria-pressed', String(on));
  tell(on ? 'drag from a part to where the limb ends' : '');
}
/* The whole picture is its life, with all that the page can do with it; or the plan. */
function watchLife(on) {
  editing.isWatched = on;
  find('edit-watch').setAttribute('aria-pressed', String(on));
  document.body.classList.toggle('edits', !on);
  tell('');
  resize();
  fit();
}

/* Mutants of the brain and the proportions, one after the other, in a worker of their own: each that is better takes the document's
 * place. All of it is one step of the history. */
async function train() {
  const own = editing, gesture = `train ${++own.gesture}`, press = on => find('edit-train').setAttribute('aria-pressed', String(own.isTraining = on));
  if (own.isTraining) return press(false);
  press(true);
  const worker = makeWorker(await moduleOf()), ask = (...calls) => worker.ask(['begin', [...own.params, ['mutation.plan', 'keep']]], ...calls, ['record', own.seed]);
  try {
    for (let seed = 1, doc = null, best = 0; editing === own && own.isTraining; seed++) {
      if (own.history.doc !== doc) {
        doc = own.history.doc;
        best = (await ask(['read', bytesOfDoc(doc)])).evaluation.fitness;
      }
      const child = await ask(['breed', bytesOfDoc(doc), null, seed]), { fitness } = child.evaluation;
      if (editing !== own) break;
      tell(`${seed} mutants; fitness ${best.toPrecision(4)}`);
      if (!(fitness > best) || own.history.doc !== doc || own.drag || own.isSliding) continue;
      const next = opened({ ...child, name: doc.name });
      await wishFor(() => adopt(next, gesture));
      if (own.history.doc === next) [doc, best] = [next, fitness];
    }
  } finally {
    worker.stop();
    if (editing === own) press(false);
  }
}

/* Opens a file's JSON, which lives by the parameters and the seed, or by those of the challenge. */
async function openDoc(full, params, seed) {
  const doc = opened(full), c = { acts: [], voices: [], score: '' };
  const functions = editing?.functions ?? await askStage(['functions']);
  setPlayground(false);
  setBreeding(false);
  editing = { history: new History(doc), draft: null, parts: [], functions, chosen: { body: doc.root ?? doc.bodies[0]?.id }, neuron: null, c,
    params: challenge?.params ?? params, seed: challenge?.seed ?? seed, view: {}, drag: null, gesture: 0, lives: false };
  find('edit-world').value = Object.keys(WORLDS).find(name => WORLDS[name] === editing.params) ?? '';
  find('editor').hidden = false;
  document.body.classList.add('edits', 'built');
  resize();
  await wishFor(() => adopt(doc, null));
  fitPlan();
  setPlaying(true);
  if (editing.lives) tell('tap a part, and drag what shows; + limb adds one');
}

async function openEditor(c) {
  const record = await recordBy(c, null, c.seed);
  await openDoc(record, paramsOfRecord(record), c.seed);
}
function closeEditor() {
  const { c } = editing;
  editing = null;
  find('editor').hidden = true;
  document.body.classList.remove('edits', 'built');
  tell('');
  resize();
  if (creature === c) welcome(c);
  else choose(0);
}

async function openTemplate(name) {
  const doc = name ? JSON.parse(find('templates').textContent)[name] : BLANK;
  await openDoc({ ...doc, name: name || 'new', note: '' }, WORLDS[TEMPLATE_WORLDS[name] ?? 'land'], '1');
}
/* A file of either form; the library reads it, and says why not. */
async function openFile(file) {
  if (file.size > FILE_MOST) throw new Error(`${file.name} has more than ${FILE_MOST >> 20} MB`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const seed = String(await askStage(['begin', []], ['read', bytes], ['useRecord']));
  await openEditor({ file: bytes, seed });
}
function watchEditor() {
  const templates = find('edit-template'), on = (id, f) => { find(id).onclick = () => Promise.resolve(f()).catch(error => tell(error.message)); };
  if (!canLive()) return;
  templates.append(...['', ...Object.keys(JSON.parse(find('templates').textContent))].map(name => new Option(name || 'two parts', name)));
  templates.onchange = () => {
    openTemplate(templates.value).catch(error => tell(error.message));
    templates.selectedIndex = 0;
  };
  templates.prepend(new Option('new from …', '', true, true));
  find('edit-world').append(...['', ...Object.keys(WORLDS)].map(name => new Option(name || 'its own world', name)));
  find('edit-world').onchange = e => {
    editing.params = WORLDS[e.target.value] ?? editing.params;
    wishFor(() => adopt(editing.history.doc, null));
  };
  on('edit', () => openEditor(creature));
  on('edit-undo', () => walkHistory(true));
  on('edit-redo', () => walkHistory(false));
  on('edit-save', () => saveCreature(editing.c));
  on('edit-close', closeEditor);
  on('edit-watch', () => watchLife(!editing.isWatched));
  on('edit-limb', () => setAdding(!editing.isAdding));
  on('edit-twin', () => change(next => twin(next, editing.chosen.body)));
  on('edit-repeat', () => change(next => repeat(next, editing.chosen.body)));
  on('edit-remove', () => change(next => removePart(next, editing.chosen.body)));
  on('edit-train', train);
  on('edit-neuron', () => change(next => { editing.neuron = addNeuron(next, editing.isCentral ? 'central' : editing.chosen.body); }));
  find('edit-name').onchange = e => change(next => { next.name = e.target.value; });
  find('edit-open').onchange = e => openFile(e.target.files[0]).catch(error => tell(error.message)).finally(() => { e.target.value = ''; });
  const drags = (name, f) => canvas.addEventListener(name, e => {
    if (!editing || editing.isWatched) return;
    const box = canvas.getBoundingClientRect();
    e.stopImmediatePropagation();
    f((e.clientX - box.left) * ui, (e.clientY - box.top) * ui, e);
  }, true);
  drags('pointerdown', (x, y, e) => {
    canvas.setPointerCapture(e.pointerId);
    pressPlan(x, y);
  });
  drags('pointermove', dragPlan);
  drags('pointerup', releasePlan);
  drags('pointercancel', () => { editing.drag = null; });
  drags('wheel', (x, y, e) => {
    e.preventDefault();
    editing.view.scale *= e.deltaY < 0 ? 1.15 : 1 / 1.15;
  });
  addEventListener('keydown', e => {
    if (!editing || e.target !== document.body || (!e.ctrlKey && !e.metaKey) || !'zy'.includes(e.key)) return;
    e.preventDefault();
    walkHistory(e.key === 'z' && !e.shiftKey);
  });
}
