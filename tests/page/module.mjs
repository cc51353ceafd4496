/* The module as a program: `node module.mjs WASM verify FILE...` prints digest and status of each creature's evaluation as it
 * is recorded, `evaluate FILE SEED KEY=VALUE...` the digest of one by parameters, `live FILE...` does the same by a life with a change that is taken back, `run FLIGHT KEY=VALUE...` evolves, with
 * so many tasks in flight that are told out of order, and prints the digest of the run. */
import { readFile } from 'node:fs/promises';
import { makeMachine } from '../../page/machine.js';

const [, , wasm, verb, ...words] = process.argv;
const module = await WebAssembly.compile(await readFile(wasm));
const machine = await makeMachine(module);
const statuses = ['verified', 'differs', 'unrecorded', 'other version', 'refused'];

async function open(file) {
  machine.begin([]);
  machine.read(await readFile(file));
  return machine.useRecord();
}

function run([flight, ...params]) {
  const waiting = [];
  machine.begin(params.map(pair => pair.split(/=(.*)/s)));
  machine.search();
  for (let last = { finished: false }; !last.finished;) {
    for (let task; waiting.length < flight && (task = machine.ask()).length;) waiting.push(task);
    const next = waiting.splice(waiting.length * 7919 % waiting.length, 1)[0] ?? waiting.pop();
    last = machine.tell(machine.task(next));
  }
  console.log(machine.digest());
}

const verbs = {
  async verify(files) {
    for (const file of files) {
      const seed = await open(file), { digest, status } = machine.evaluate(seed);
      console.log(digest, statuses[status], file);
    }
  },
  async evaluate([file, seed, ...params]) {
    machine.begin(params.map(pair => pair.split(/=(.*)/s)));
    machine.read(await readFile(file));
    console.log(machine.evaluate(seed).digest);
  },
  async live(files) {
    for (const file of files) {
      const seed = await open(file), first = machine.live(seed, false), half = Math.floor(first.frames / 60) * 60;
      const push = [{ tick: half, pull: [2, 3, 0] }, { tick: half + 6, pull: [-2, -3, 0] }];
      const heavy = { tick: half + 40, key: 'world.gravity_m_s2', value: '3' };
      const pushed = machine.change(half, push), both = machine.change(half + 40, [heavy, ...push]);
      const again = machine.change(half + 40, push), back = machine.change(half, []);
      const place = [1, 0.5, 0], lit = first.light && machine.change(half, [{ tick: half, light: place }]);
      const light_last = lit && place.map((_, k) => lit.values[3 + 6 * lit.parts.length + k].at(-1));
      const is_equal = (a, b) => a.digest === b.digest && a.values.every((v, k) => v.every((x, f) => x === b.values[k][f]));
      const is_good = is_equal(first, back) && is_equal(pushed, again) && pushed.digest !== first.digest &&
        both.digest !== pushed.digest && both.status === 'changed' &&
        (!lit || place.every((v, k) => Math.abs(v - light_last[k]) < 1e-5));
      console.log(back.digest, back.status, is_good ? 'same' : 'not the same', file);
    }
  },
  fingerprint() { console.log(machine.fingerprint()); },
  run,
};
await verbs[verb](words);
