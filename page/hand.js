/* ---- choosing by hand: nine creatures move, one or two are picked, and their children take the places of the others ---- */

const PLACES = 9, DRAWS = 200;
let hand = null; /* { params, generation, seed, nine, picked: places, before: the creature on stage } */

/* Fills the places: the parents stay, behind them come children, or random creatures where there are no parents; without the
 * stillborn, and without those that move exactly as another one. */
export async function fillPlaces(own, parents, bear, isOver = () => false) {
  own.nine = parents.slice();
  own.picked = [];
  for (let draw = 0; draw < DRAWS && own.nine.length < PLACES && !isOver(); draw++) {
    const c = await bear(parents, ++own.seed);
    if (c.verdict === 'ok' && !own.nine.some(other => other.digest === c.digest)) own.nine.push(c);
  }
  return own.nine;
}

async function bearOne([mother, father], seed) {
  const { params, generation } = hand, begin = ['begin', params];
  await askStage(begin, mother ? ['breed', mother.file, father?.file ?? null, seed] : ['random', seed]);
  const file = await askStage(['write', 0]);
  const c = { file, params, seed: '1', name: `generation ${generation}, ${seed}`, acts: [], voices: [], score: '' };
  return live(c);
}

async function nextGeneration(parents) {
  const own = hand;
  own.generation++;
  sayRun(own.generation > 1 ? 'their children are born …' : 'nine that live are looked for …');
  showHand();
  await fillPlaces(own, parents, bearOne, () => hand !== own).catch(error => sayRun(error.message));
  if (hand !== own) return;
  sayRun(`generation ${own.generation}: pick one or two`);
  showHand();
}

function showHand() {
  find('cross').hidden = !hand;
  find('alone').hidden = !hand || hand.picked.length !== 1;
  find('cross').disabled = !hand?.picked.length;
  find('by-hand').setAttribute('aria-pressed', String(!!hand));
  find('curve').classList.toggle('away', !!hand);
  heading(creature);
  if (!hand) return;
  find('name').textContent = `by hand, generation ${hand.generation}`;
  find('score').textContent = '';
  find('status').hidden = find('verdict').hidden = true;
}

function setHand(on) {
  if (!on === !hand) return;
  if (on) {
    if (race) setRace(false);
    const kind = find('kind').value;
    hand = { params: KINDS[kind], generation: 0, seed: 1000 * (Math.floor(Number(find('seed').value)) || 1), nine: [], picked: [], before: creature };
    time = 0;
    setPlaying(true);
    nextGeneration([]);
  } else {
    creature = hand.before;
    hand = null;
    time = 0;
    fit();
    sayRun('');
  }
  showHand();
}

function pick(place) {
  if (!hand?.nine[place]) return;
  const { picked } = hand, at = picked.indexOf(place);
  if (at >= 0) picked.splice(at, 1);
  else picked.push(place);
  if (picked.length > 2) picked.shift();
  showHand();
}

const crossPicked = () => { if (hand?.picked.length) nextGeneration(hand.picked.map(place => hand.nine[place])); };

/* The picked one alone, where it can be touched and linked. */
async function stagePicked() {
  const c = hand.nine[hand.picked[0]];
  setBreeding(false);
  await welcome(c);
}

const cellOf = place => [place % 3 * width / 3, Math.floor(place / 3) * height / 3, width / 3, height / 3];

/* Draws by f with a creature in a part of the picture, [x, y, width, height]. */
function drawIn([x, y, w, h], c, f) {
  const whole = { width, height, creature }, seen = { ...camera };
  g.save();
  g.beginPath();
  g.rect(x, y, w, h);
  g.clip();
  g.translate(x, y);
  [width, height, creature] = [w, h, c];
  fit();
  scene();
  f?.(w, h);
  g.restore();
  ({ width, height, creature } = whole);
  Object.assign(camera, seen);
}

function drawHand() {
  hand.nine.forEach((c, place) => drawIn(cellOf(place), c, (w, h) => {
    const isPicked = hand.picked.includes(place);
    g.strokeStyle = isPicked ? C.good : C.joint_line;
    g.globalAlpha = isPicked ? 1 : 0.35;
    g.lineWidth = (isPicked ? 8 : 2) * ui;
    g.strokeRect(0, 0, w, h);
  }));
}

function watchHand() {
  find('by-hand').onclick = () => setHand(!hand);
  find('cross').onclick = crossPicked;
  find('alone').onclick = stagePicked;
  canvas.addEventListener('click', e => {
    if (!hand) return;
    const box = canvas.getBoundingClientRect();
    pick(Math.floor(3 * (e.clientX - box.left) / box.width) + 3 * Math.floor(3 * (e.clientY - box.top) / box.height));
  });
  addEventListener('keydown', e => {
    if (!hand || e.target !== document.body) return;
    if (e.key >= '1' && e.key <= '9') pick(Number(e.key) - 1);
    else if (e.key === 'Enter') crossPicked();
  });
}
