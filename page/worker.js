/* A worker of the page: it has one machine and a list of calls for it, and gives the result of the last call. After a bug in
 * the module it makes a new machine, without the old one's state. */
import { makeMachine } from './machine.js';

let module = null, machine = null;
onmessage = async ({ data: { id, calls, start } }) => {
  try {
    if (start) module = start;
    machine ??= await makeMachine(module);
    machine.onMoment = moment => postMessage({ moment }, [moment.buffer]);
    let value = null;
    for (const [name, ...words] of calls) value = machine[name](...words);
    postMessage({ id, value });
  } catch (error) {
    const is_bug = error instanceof WebAssembly.RuntimeError;
    if (is_bug) machine = null;
    postMessage({ id, error: is_bug ? `the simulator met a bug (${error.message})` : error.message });
  }
};
