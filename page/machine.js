/* The simulator in its module of WebAssembly. Everything goes by bytes and numbers; a call that fails throws an Error with
 * the module's words, and after a bug in it, a trap, the machine is not to be used again. */

const encoder = new TextEncoder(), decoder = new TextDecoder();
const hex = value => BigInt.asUintN(64, value).toString(16).padStart(16, '0');

export async function makeMachine(module) {
  const imports = {};
  /* calls of the C library to a system: there is no system (52: not supported) */
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => 52;
  imports.page.show = (at, count) => machine.onMoment(new Float32Array(machine.x.memory.buffer, at, count).slice());
  const machine = new Machine((await WebAssembly.instantiate(module, imports)).exports);
  machine.x._initialize();
  return machine;
}

export class Machine {
  /* onMoment() takes the numbers of each moment of a world. */
  constructor(x) { Object.assign(this, { x, onMoment: () => {} }); }

  bytesAt(at, length) { return new Uint8Array(this.x.memory.buffer, at, length); }
  given(length) {
    if (length < 0) this.fail();
    return this.bytesAt(this.x.web_given(), length).slice();
  }
  fail() {
    const at = this.x.web_error(), whole = this.bytesAt(at, 480);
    throw new Error(decoder.decode(whole.slice(0, whole.indexOf(0))));
  }
  check(is_good) { if (!is_good) this.fail(); }

  /* Calls f with addresses of texts and of bytes, as long as it runs. */
  lend(values, f) {
    const taken = [];
    try {
      for (const value of values) {
        const bytes = typeof value === 'string' ? encoder.encode(value) : value;
        const at = this.x.web_take(bytes.length + 1);
        if (!at) throw new Error('out of memory');
        taken.push(at);
        this.bytesAt(at, bytes.length + 1).set(bytes);
        this.bytesAt(at, bytes.length + 1)[bytes.length] = 0;
      }
      return f(...taken);
    } finally {
      for (const at of taken) this.x.web_free(at);
    }
  }

  /* ---- a creature on stage ---- */

  /* params: pairs of names and texts that are not the defaults. */
  begin(params) {
    this.check(this.x.web_begin());
    for (const [key, value] of params) this.lend([key, value], (k, v) => this.check(this.x.web_set(k, v)));
  }
  read(bytes) { this.lend([bytes], at => this.check(this.x.web_read(at, bytes.length))); }
  /* Puts a random creature on stage, or a child of the creatures of two files (b null: a mutant of one). */
  random(seed) { this.check(this.x.web_random(BigInt(seed))); }
  breed(a, b, seed) {
    this.lend([a, b ?? new Uint8Array(0)], (p, q) => this.check(this.x.web_breed(p, a.length, q, b?.length ?? 0, BigInt(seed))));
  }
  useRecord() { return BigInt.asUintN(64, this.x.web_use_record()); }
  /* Puts the creature of a link on stage: its name, seed, digest and duration. */
  openLink(bytes) {
    this.lend([bytes], at => this.check(this.x.web_open_link(at, bytes.length)));
    return { seed: String(BigInt.asUintN(64, this.x.web_link_seed())), digest: hex(this.x.web_link_digest()) };
  }
  link() { return this.given(this.x.web_link()); }
  write(form) { return this.given(this.x.web_write(form)); }
  evaluate(seed) {
    return this.lend([new Uint8Array(17)], at => {
      const status = this.x.web_evaluate(BigInt(seed), at);
      if (status < 0) this.fail();
      return { digest: decoder.decode(this.bytesAt(at, 16)), status };
    });
  }

  live(seed, sound) {
    this.check(this.x.web_live(BigInt(seed), sound ? 1 : 0));
    return this.show();
  }
  /* The creature on stage meets that of a file, in a bout of a contest. */
  meet(file, seed, number, follow, sound) {
    this.lend([file], at => this.check(this.x.web_meet(at, file.length, BigInt(seed), number, follow, sound ? 1 : 0)));
    return this.show();
  }
  /* The visible side of the life: words and tables, and an array of numbers for each channel. */
  show() {
    const shown = this.told(this.x.web_describe());
    const frames = this.x.web_frames(), channels = this.x.web_channel_count(), at = this.x.web_rows();
    if (!at) throw new Error('out of memory');
    const rows = new Float64Array(this.x.memory.buffer, at, frames * channels);
    shown.values = Array.from({ length: channels }, (_, k) => Float64Array.from({ length: frames }, (_, f) => rows[f * channels + k]));
    shown.frames = frames;
    return shown;
  }
  lengthen(body, factor) { this.check(this.x.web_lengthen(body, factor)); }
  cut(effectors, neurons = []) {
    this.x.web_cut(-1, 0);
    for (const effector of effectors) this.x.web_cut(effector, 0);
    for (const neuron of neurons) this.x.web_cut(neuron, 1);
  }
  /* Lives on from a tick by all deeds of this life: { tick, key, value }, { tick, pull: [x, y, z] } or { tick, light: [x, y, z] }. */
  change(tick, deeds) {
    const back = this.x.web_back(tick);
    if (back < 0) this.fail();
    for (const deed of deeds.filter(d => d.tick >= back).sort((a, b) => a.tick - b.tick)) {
      this.check(this.x.web_go(deed.tick));
      if (deed.pull) this.x.web_pull(...deed.pull);
      else if (deed.light) this.x.web_hold_light(...deed.light);
      else this.lend([deed.key, deed.value], (k, v) => this.check(this.x.web_change(k, v)));
    }
    this.x.web_finish();
    return this.show();
  }

  /* ---- the editor: see plan.h ---- */

  told(length) { return JSON.parse(decoder.decode(this.given(length))); }
  plan() { return this.told(this.x.web_plan()); }
  fields(isConnection, row) { return this.told(this.x.web_fields(isConnection ? 1 : 0, row)); }
  functions() { return this.told(this.x.web_functions()); }
  /* The creature's JSON with its evaluation, by the parameters and a seed, as its record. */
  record(seed) {
    this.check(this.x.web_record(BigInt(seed)));
    return this.told(this.x.web_write(1));
  }

  /* ---- a world of a preserve ---- */

  water(world, from, to) { this.check(this.x.web_water(world, from, to)); }
  /* Lives through the epoch of an order; whether its end has that digest. */
  epoch(order, digest) {
    const same = this.lend([order], at => this.x.web_epoch(at, order.length, BigInt(`0x${digest}`)));
    if (same < 0) this.fail();
    return same === 1;
  }

  /* ---- evolution: one machine has the search, each does tasks ---- */

  search() { this.check(this.x.web_search()); }
  ask() { return this.given(this.x.web_ask()); }
  task(bytes) { return this.given(this.lend([bytes], at => this.x.web_task(at, bytes.length))); }
  tell(bytes) {
    return this.lend([bytes, new Uint8Array(56)], (at, to) => {
      this.check(this.x.web_tell(at, bytes.length, to));
      const view = new DataView(this.x.memory.buffer, to);
      const [generation, done, needed, best, median, finished, evaluations] = Array.from({ length: 7 }, (_, i) => view.getFloat64(8 * i, true));
      return { generation, done, needed, best, median, finished: finished === 1, evaluations };
    });
  }
  /* Files of the best, and of its parent, where it has one. */
  best() {
    const file = this.given(this.x.web_best(0, 0)), length = this.x.web_best(0, 1);
    return { file, parent: length < 0 ? null : this.given(length) };
  }
  digest() { return hex(this.x.web_digest()); }
  fingerprint() { return hex(this.x.web_fingerprint()); }
}
