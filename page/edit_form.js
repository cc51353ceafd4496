/* ---- the editor's form: the fields of the chosen genes, as the module names them (page/plan.h), and the inputs of neurons ---- */

const SOFT = { m: 1, rad: Math.PI }, SOFT_ELSE = 3; /* the reach of sliders; a typed number may be greater */

const make = (name, properties = {}, ...inner) => {
  const element = document.createElement(name);
  Object.assign(element, properties);
  element.append(...inner);
  return element;
};
const labelled = (words, ...inner) => make('label', {}, make('span', { textContent: words }), ...inner);
const press = (text, onclick, title = '') => make('button', { textContent: text, onclick, title });

/* A slider and a number for one value, behind other controls; all of a slide is one step of the history. */
function numberRow(words, unit, value, low, high, put, step = 0.01, ...before) {
  const soft = SOFT[unit] ?? SOFT_ELSE, slider = make('input', { type: 'range', min: Math.max(low, -soft), max: Math.min(high, soft), step });
  const number = make('input', { type: 'number', step: 'any', value: rounded3(value) });
  slider.value = value;
  slider.ariaLabel = `${words}, slider`;
  number.ariaLabel = words;
  slider.onpointerdown = slider.onkeydown = () => { editing.gesture++; };
  slider.onchange = settleDoc;
  slider.oninput = () => {
    editing.isSliding = true;
    number.value = slider.value;
    put(Number(slider.value), `${words} ${editing.gesture}`);
  };
  number.onchange = () => put(Number(number.value), null);
  return labelled(unit ? `${words}, ${unit}` : words, ...before, slider, number);
}
function selection(options, value, put) {
  const select = make('select', {}, ...options.map(([text, of]) => new Option(text, JSON.stringify(of))));
  select.value = JSON.stringify(value);
  select.onchange = () => put(JSON.parse(select.value), null);
  return select;
}
const selectRow = (words, ...rest) => labelled(words, selection(...rest));
function checkRow(words, is_on, put, title = '') {
  const box = make('input', { type: 'checkbox', checked: is_on });
  box.onchange = () => put(box.checked, null);
  const row = labelled(words, box);
  row.title = title;
  return row;
}

/* An input: a constant, or what it reads and by which weight. `at` finds it in a document: a list or object, and its key. */
function inputRow(words, reader, at) {
  const doc = editing.history.doc, value = (([object, key]) => object[key] ?? 0)(at(doc)), sources = sourcesFor(doc, reader);
  const isConstant = typeof value === 'number' || value.constant !== undefined, own = sources.find(([, to]) => isSameSource(to, value));
  const put = f => (given, gesture) => change(next => {
    const [object, key] = at(next);
    for (let k = object.length; k < key; k++) object[k] = 0;
    object[key] = f(given, object[key]);
  }, gesture);
  const options = [['is', null], ...sources];
  if (!isConstant && !own) options.push(['a missing source', value]);
  const select = selection(options, isConstant ? null : own?.[1] ?? value, put(to => to ? { ...to, weight: 1 } : 0));
  select.ariaLabel = `${words}, source`;
  if (isConstant) return numberRow(words, '', (value.constant ?? value) * (value.weight ?? 1), -100, 100, put(v => v), 0.01, select);
  return numberRow(words, '', value.weight ?? 1, -100, 100, put((v, old) => ({ ...old, weight: v })), 0.01, select);
}

/* The rows of a gene; `at` finds it in a document. */
function fieldRows(fields, at, reader) {
  const gene = at(editing.history.doc), rows = [];
  const setIn = (key, group) => (value, gesture) => change(next => {
    const of = group ? at(next)[group] : at(next);
    of[key] = value;
    /* limits, muscles and further inputs are those of a joint */
    if (key === 'joint') for (const name of ['limits_rad', 'limits_m', 'limits_2_rad', 'effector']) if (name !== 'effector' || value === 'rigid') delete of[name];
  }, gesture);
  for (const [key, group, words, unit, type, low, high, assumed, isGate, names] of fields) {
    const object = group ? gene[group] : gene, inGroup = fields.filter(field => field[1] === group);
    if (isGate)
      rows.push(checkRow(words, !!object, on => change(next => {
        if (!on) delete at(next)[group];
        else at(next)[group] = Object.fromEntries(inGroup.filter(field => field[4] === 'input').map(field => [field[0], 0]));
      })));
    if (!object || key === '') continue;
    const put = setIn(key, group), value = object[key];
    if (type === 'real' || type === 'count') rows.push(numberRow(words, unit, value ?? assumed, low, high, put, type === 'count' ? 1 : 0.01));
    if (type === 'flag') rows.push(checkRow(words, !!value, put));
    if (type === 'choice') rows.push(selectRow(words, names.map(name => [String(name), name]), value ?? assumed, put));
    if (type === 'limits')
      for (const end of [0, 1])
        rows.push(numberRow(`${end ? 'upper' : 'lower'} ${words}`, unit, (value ?? [-assumed, assumed])[end], end ? 0 : low, end ? high : 0, (v, gesture) =>
          change(next => {
            const of = at(next), pair = of[key] ??= [Math.max(-assumed, low), Math.min(assumed, high)];
            pair[end] = v;
          }, gesture)));
    if (type === 'sensors')
      rows.push(make('details', { open: !!value?.length }, make('summary', { textContent: `senses: ${value?.join(', ') || 'none'}` }),
        ...names.map(([name, meaning]) => checkRow(name, !!value?.includes(name), on => change(next => {
          const list = at(next).sensors ?? [];
          at(next).sensors = on ? [...list, name] : list.filter(other => other !== name);
        }), meaning))));
    if (type === 'input') rows.push(inputRow(`${group} input`, reader, doc => [at(doc)[group], key]));
    if (type === 'inputs' && high > 0)
      for (let k = 0; k < high; k++) rows.push(inputRow(`${words} ${k + 1}`, reader, doc => [at(doc)[group][key] ??= [], k]));
  }
  return rows;
}

/* The rows of a neuron: its function says what a, b and c are. */
function neuronRows(id) {
  const at = doc => geneOf(doc.neurons, id), neuron = at(editing.history.doc), [, count, sentence] = editing.functions.find(([name]) => name === neuron.function);
  const put = key => (value, gesture) => change(next => { at(next)[key] = value; }, gesture), rows = [];
  rows.push(selectRow(`neuron ${id}`, editing.functions.map(([name]) => [name, name]), neuron.function, value => change(next => {
    const [, most] = editing.functions.find(([name]) => name === value), of = at(next);
    Object.assign(of, { function: value, inputs: (of.inputs ?? []).slice(0, most) });
    if (!isWave(of)) for (const key of ['initial', 'lag_image', 'lag_row']) delete of[key];
  })), make('p', { textContent: sentence }));
  for (let k = 0; k < count; k++) rows.push(inputRow('abc'[k], neuron.in, doc => [at(doc).inputs ??= [], k]));
  if (isWave(neuron))
    for (const [key, words] of [['initial', 'phase, turns'], ['lag_image', 'later in the twin, turns'], ['lag_row', 'later along a row, turns']])
      rows.push(numberRow(words, '', neuron[key] ?? 0, 0, 0.999, put(key)));
  rows.push(press('remove the neuron', () => {
    editing.neuron = null;
    change(next => removeNeuron(next, id));
  }));
  return rows;
}

const group = (title, rows, open = true) => make('details', { open, className: 'group' }, make('summary', { textContent: title }), ...rows);

/* Parts, joint and muscle of the chosen gene; the wave that moves it stands first, as beginners want it. */
async function showForm() {
  const { chosen, history: { doc } } = editing, row = doc.bodies.findIndex(body => body.id === chosen?.body), isOpen = {};
  const form = find('edit-form'), active = document.activeElement?.getAttribute('aria-label');
  for (const details of form.querySelectorAll('.group')) isOpen[details.firstChild.textContent] = details.open;
  const groups = [];
  if (row >= 0) {
    const gene = doc.bodies[row], part = chosenPart(), parent = part && parentOf(part), hung = parent && placementOf(doc, part, parent).connection;
    const wave = geneOf(doc.neurons, gene.effector?.input?.neuron), at = next => geneOf(next.bodies, gene.id);
    /* where the next document is on the stage already, its own form follows */
    const fieldsOf = (isConnection, index) => askStage(['fields', isConnection, index]).catch(() => null);
    const fields = await fieldsOf(false, row), ways = hung ? await fieldsOf(true, doc.connections.indexOf(hung)) : [];
    if (!fields || !ways || editing?.history.doc !== doc) return;
    if (wave) groups.push(['its wave', neuronRows(wave.id)]);
    /* beginners need no field behind the muscle's */
    const rare = fields.findLastIndex(field => field[1] === 'effector') + 1 || fields.length;
    groups.push([`part ${gene.id}`, fieldRows(fields.slice(0, rare), at, gene.id)]);
    if (hung) groups.push([`where it hangs (connection ${hung.id})`, fieldRows(ways, next => geneOf(next.connections, hung.id), gene.id)]);
    if (rare < fields.length) groups.push([`more of part ${gene.id}`, fieldRows(fields.slice(rare), at, gene.id)]);
  }
  const neuron = geneOf(doc.neurons, editing.neuron);
  if (neuron) groups.push(['chosen neuron', neuronRows(neuron.id)]);
  const parts = selectRow('part', doc.bodies.map(({ id }) => [`part ${id}`, id]), chosen?.body, body => choosePart({ body }));
  form.replaceChildren(parts, ...groups.map(([title, rows]) => group(title, rows, isOpen[title] ?? !/^(where|more)/.test(title))));
  if (active) [...form.querySelectorAll('[aria-label]')].find(element => element.getAttribute('aria-label') === active)?.focus();
}
