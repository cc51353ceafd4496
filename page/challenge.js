/* ---- a challenge: a link with the best creature so far. The page simulates it, and every other creature that it shows, by the
 * parameters and the seed of the link, and says which is better ---- */

const CHALLENGE = '#g=';
let challenge = null; /* { c, params, seed, fitness, goal } */

/* A creature's file, with its evaluation by parameters (pairs of names and texts; null: its own) and a seed as its record. */
async function recordBy(c, params, seed) {
  staged = null;
  return askStage(...entrance(c), ...params ? [['begin', params]] : [], ['record', seed]);
}
export const paramsOfRecord = record => Object.entries(record.evaluation?.parameters ?? {}).map(([key, value]) => [key, String(value)]);

/* In words: the goal, and how a fitness stands to the best one. */
export function goalOf(params) {
  const { 'evolution.behaviour': behaviour = 'walk', 'simulation.duration_s': seconds = '10', 'world.gravity_m_s2': gravity = '9.81' } = Object.fromEntries(params);
  return `${behaviour}, ${Number(seconds)} s, gravity ${Number(gravity)} m/s²`;
}
export function standing(best, own) {
  if (own === undefined) return `to beat: ${best.toPrecision(4)}`;
  const words = own > best ? 'yours beats it' : own === best ? 'yours is as good' : 'yours does not beat it';
  return `to beat: ${best.toPrecision(4)}; ${words}: ${own.toPrecision(4)}`;
}

async function takeChallenge(c) {
  const record = await recordBy(c, null, c.seed), params = paramsOfRecord(record);
  challenge = { c, params, seed: c.seed, fitness: record.evaluation.fitness, goal: goalOf(params) };
  await judge(c);
}
/* Compares a creature that is shown with the best one. */
async function judge(c) {
  if (!challenge || !isAlone(c)) return;
  const { params, seed, fitness, goal } = challenge;
  const own = c === challenge.c ? undefined : (await recordBy(c, params, seed)).evaluation.fitness;
  find('goal').hidden = false;
  find('goal').textContent = challenge.c.status === 'differs' ? 'this challenge is false: its creature does not move as the link says' : `${goal}; ${standing(fitness, own)}`;
}
