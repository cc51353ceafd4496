const find = id => document.getElementById(id);
const DATA = JSON.parse(find('data').textContent);
const canvas = find('view'), g = canvas.getContext('2d'), note = find('note');
const dark = matchMedia('(prefers-color-scheme: dark)'), calm = matchMedia('(prefers-reduced-motion: reduce)');
const ICONS = {
  play: `<svg width='16' height='16' viewBox='0 0 16 16'><path d='M3 1l11 7-11 7z'/></svg>`,
  pause: `<svg width='16' height='16' viewBox='0 0 16 16'><path d='M2 1h4v14H2zM10 1h4v14h-4z'/></svg>`,
};
let C = dark.matches ? DATA.dark : DATA.light;
let creature = null, time = 0, playing = true, speed = 1, following = true, last = 0;
let width = 0, height = 0, ui = 1, race = false, flip = 1;
const layers = { trail: true, marks: true, limits: false, torques: false, contacts: false, brain: false, shapes: false };
const camera = { x: 0, y: 0, vx: 0, vy: 0, scale: 100 };
/* Where the eye stands that looks at a scene with depth. */
const orbit = { yaw: -0.55, pitch: 0.12 };

/* ---- data: lived by the simulator in the page, or recorded: zigzag differences in two byte planes, channel by channel ---- */

async function load(c) {
  if (c.values) return c;
  c.acts ??= [];
  if (c.epochs) return liveWater(c);
  if (isAlive(c)) return live(c);
  const bytes = await inflate(bytesOf(c.data), 'deflate'), n = c.frames;
  const channels = 3 + 6 * c.parts.length + (c.light ? 3 : 0) + 1 + c.effectors + c.nodes.length +
    6 * c.contacts + c.drives.filter(drive => drive[6] < 0).length + 2 * c.voices.length;
  if (bytes.length !== channels * n * 2) throw new Error('The data of this replay are damaged.');
  const values = [];
  for (let k = 0; k < channels; k++) {
    const out = new Float64Array(n);
    let sum = 0;
    for (let i = 0; i < n; i++) {
      const code = bytes[k * n + i] | bytes[channels * n + k * n + i] << 8;
      sum += code >> 1 ^ -(code & 1);
      out[i] = sum * DATA.unit;
    }
    values.push(out);
  }
  c.values = values;
  return c;
}

/* Channels: centre, place and turn of each part, light; then the fitness so far and torques, as shares of the most. */
const extra = () => 3 + 6 * creature.parts.length + (creature.light ? 3 : 0);
const fitness = t => at(extra(), t) * creature.most;
const torque = (e, t) => at(extra() + 1 + e, t);

/* Then the nodes of the brain, contacts, and drives that are no rods. */
const brainFirst = () => extra() + 1 + creature.effectors;
const signal = n => at(brainFirst() + n, time);
/* An effector's signal as a share of a strong one; the first nodes of a brain are the effectors. */
const drive = e => e < 0 ? 0 : Math.min(Math.abs(e < creature.nodes.length ? signal(e) : torque(e, time)), 1);

/* Calls f for every creature as if it were the chosen one. */
function each(f) {
  const chosen = creature;
  DATA.creatures.forEach((c, i) => { creature = c; f(c, i); });
  creature = chosen;
}
/* In a race all go right, except bodies with depth. */
const way = c => !c.deep && c.values[0][c.frames - 1] < 0 ? -1 : 1;

const duration = () => !creature ? 0 :
  Math.max(...(race ? DATA.creatures : [creature]).map(c => (c.frames - 1) / DATA.hz));

/* Value of a channel at a time, linear between frames. */
function at(channel, t) {
  const v = creature.values[channel], i = Math.min(Math.max(t * DATA.hz, 0), v.length - 1);
  const k = Math.min(Math.floor(i), v.length - 1), next = Math.min(k + 1, v.length - 1);
  return v[k] + (v[next] - v[k]) * (i - k);
}
/* Value of a channel that jumps: that of the last frame. */
const step = (channel, t) => creature.values[channel][Math.min(Math.max(Math.floor(t * DATA.hz + 1e-6), 0), creature.frames - 1)];
const centre = t => creature.epochs ? waterCentre(t) : ({ x: at(0, t), y: at(1, t), z: at(2, t) });
/* The light jumps from place to place. */
const lightAt = () => [3, 2, 1].map(k => step(extra() - k, time));
