/* ---- controls ---- */

function resize() {
  const ratio = (devicePixelRatio || 1) * plainFineness(), box = canvas.getBoundingClientRect(), before = height;
  width = Math.max(Math.round(box.width * ratio), 1);
  height = Math.max(Math.round(box.height * ratio), 1);
  canvas.width = width;
  canvas.height = height;
  ui = ratio;
  pace.isStale = true;
  if (creature && before) {
    camera.scale *= height / before;
    if (following) jump();
  }
}

function setPlaying(on) {
  playing = on;
  camera.vx = camera.vy = 0;
  if (on && time >= duration()) time = 0;
  find('play').innerHTML = on ? ICONS.pause : ICONS.play;
}

function setFollowing(on) {
  following = on;
  camera.vx = camera.vy = 0;
  find('follow').setAttribute('aria-pressed', String(on));
}

function zoom(factor, px, py) {
  const before = camera.scale;
  camera.scale = Math.min(Math.max(before * factor, 2), 20000);
  if (following) return jump();
  const change = 1 / before - 1 / camera.scale;
  camera.x += (px - width / 2) * change;
  camera.y -= (py - height / 2) * change;
}

function heading(c) {
  find('name').textContent = race ? `race of ${DATA.creatures.length}` : c.name;
  find('score').textContent = race ? '' : c.score + (c.off && `: ${c.off}`) + (c.ghost && !c.acts.length && !isOfPaths(c) ? '; pale: its parent' : '');
  find('verdict').textContent = c.verdict;
  find('verdict').hidden = race || c.verdict === 'ok';
  find('status').textContent = c.status;
  find('status').title = c.detail;
  find('status').hidden = race;
  document.title = `${find('name').textContent} - Bestiary`;
}

function say(text) {
  note.style.display = text ? '' : 'none';
  note.textContent = text;
}

/* Shows a creature, which may be put in the place of another one. */
async function choose(index, c = DATA.creatures[index]) {
  DATA.creatures[index] = c;
  if (!c.values && isAlive(c)) say(`simulating ${c.name ?? 'the creature of the link'} …`);
  try {
    await load(c);
  } catch (error) {
    say(error.message);
    return;
  }
  creature = c;
  race = false;
  find('race').setAttribute('aria-pressed', 'false');
  say('');
  heading(c);
  colors();
  time = 0;
  setPlaying(!calm.matches);
  resize();
  fit();
  curve();
  for (const id of ['toy', 'edit', 'link', 'challenge']) find(id).hidden = !isAlone(c);
  find('layers').classList.toggle('away', !!c.epochs);
  layerButton('shapes').hidden = isOfPaths(c);
  if (isPlaying()) setPlayground(isAlone(c));
  find('undo').disabled = find('reset').disabled = !c.acts.length;
  await judge(c);
}

/* The fitness so far, behind the bar of time. */
function curve() {
  const points = [];
  for (let i = 0; i <= 200 && creature.most > 0; i++)
    points.push(`${i},${(38 - 34 * fitness(i / 200 * duration()) / creature.most).toFixed(1)}`);
  const picture = `<svg xmlns='http:${'//'}www.w3.org/2000/svg' viewBox='0 0 200 40' preserveAspectRatio='none'>` +
    `<polygon points='0,40 ${points.join(' ')} 200,40' fill='${C.part_0}' fill-opacity='0.25'/></svg>`;
  find('bar').style.background = points.length ?
    `url('data:image/svg+xml,${encodeURIComponent(picture).split('(').join('%28').split(')').join('%29').split(String.fromCharCode(39)).join('%27')}') 0 0 / 100% 100%` : '';
}

function colors() {
  C = dark.matches ? DATA.dark : DATA.light;
  const tone = { verified: 'good', differs: 'bad', unrecorded: 'neutral' };
  if (creature) find('status').style.color = C[tone[creature.status] || 'warn'];
}

const pointers = new Map();
let pinch = 0;
const spread = () => {
  const [a, b] = [...pointers.values()];
  return Math.hypot(a.x - b.x, a.y - b.y);
};
canvas.addEventListener('pointerdown', e => {
  canvas.setPointerCapture(e.pointerId);
  pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
  pinch = pointers.size === 2 ? spread() : 0;
});
canvas.addEventListener('pointermove', e => {
  const p = pointers.get(e.pointerId);
  if (!p) return;
  const dx = (e.clientX - p.x) * ui, dy = (e.clientY - p.y) * ui;
  p.x = e.clientX;
  p.y = e.clientY;
  if (pointers.size === 1 && creature && creature.deep) {
    turn(0.006 * dx / ui, 0.006 * dy / ui);
  } else if (pointers.size === 1) {
    setFollowing(false);
    camera.x -= dx / camera.scale;
    camera.y += dy / camera.scale;
  } else if (pointers.size === 2 && pinch) {
    zoom(spread() / pinch, width / 2, height / 2);
    pinch = spread();
  }
});
for (const name of ['pointerup', 'pointercancel'])
  canvas.addEventListener(name, e => { pointers.delete(e.pointerId); pinch = 0; });
canvas.addEventListener('wheel', e => {
  e.preventDefault();
  const box = canvas.getBoundingClientRect();
  zoom(e.deltaY < 0 ? 1.15 : 1 / 1.15, (e.clientX - box.left) * ui, (e.clientY - box.top) * ui);
}, { passive: false });

canvas.addEventListener('click', e => {
  const box = canvas.getBoundingClientRect();
  if (creature?.epochs && !hand) markAt((e.clientX - box.left) * ui, (e.clientY - box.top) * ui);
});
watchPlay();
watchEvolution();
watchHand();
watchEditor();
find('play').onclick = () => setPlaying(!playing);
find('follow').onclick = () => setFollowing(!following);
find('in').onclick = () => zoom(1.3, width / 2, height / 2);
find('out').onclick = () => zoom(1 / 1.3, width / 2, height / 2);
find('speed').onchange = e => { speed = Number(e.target.value); };
find('seek').oninput = e => { setPlaying(false); time = Number(e.target.value); };
const who = find('who');
const offer = (c, i) => who.append(new Option(`${i + 1}. ${c.name} (${c.score})`, i));
DATA.creatures.forEach(offer);
const canRace = () => DATA.creatures.length > 1 && !DATA.creatures.some(c => c.epochs);
const choices = () => {
  who.hidden = DATA.creatures.length < 2;
  find('race').hidden = !canRace();
};
choices();
find('sound').hidden = !DATA.creatures.some(c => c.voices.length);
find('sound').onclick = () => setSound(!audio || audio.state !== 'running');
find('race').onclick = () => setRace(!race);
who.onchange = () => choose(Number(who.value));
addEventListener('keydown', e => {
  if (e.target !== document.body || e.ctrlKey || e.metaKey || e.altKey) return;
  const step = { ArrowRight: 0.5, ArrowLeft: -0.5, '.': 1 / DATA.hz, ',': -1 / DATA.hz }[e.key];
  if (e.key === ' ') setPlaying(!playing);
  else if (e.key === 't' && isAlone(creature)) setPlayground(!isPlaying());
  else if (e.key === 'z' && isPlaying()) undo();
  else if (e.key === 'f') setFollowing(!following);
  else if (e.key === 'k') toggleLayer('shapes');
  else if (e.key === 'r' && canRace()) setRace(!race);
  else if (e.key === '+' || e.key === '=') zoom(1.3, width / 2, height / 2);
  else if (e.key === '-') zoom(1 / 1.3, width / 2, height / 2);
  else if (e.key === 'n' || e.key === 'p') {
    const n = DATA.creatures.length;
    who.value = (Number(who.value) + (e.key === 'n' ? 1 : n - 1)) % n;
    choose(Number(who.value));
  } else if (step) {
    if (Math.abs(step) < 0.1) setPlaying(false);
    time = Math.min(Math.max(time + step, 0), duration());
  } else return;
  e.preventDefault();
});
const layerButton = name => document.querySelector(`[data-layer='${name}']`);
function toggleLayer(name) {
  if (layerButton(name).hidden) return;
  layers[name] = !layers[name];
  layerButton(name).setAttribute('aria-pressed', String(layers[name]));
}
for (const button of document.querySelectorAll('[data-layer]')) button.onclick = () => toggleLayer(button.dataset.layer);
dark.addEventListener('change', () => { colors(); if (creature) curve(); });
addEventListener('resize', resize);

function tick(now) {
  const dt = Math.min((now - last) / 1000, 0.1);
  last = now;
  if (creature) {
    if (playing) {
      time += dt * speed;
      /* the picture waits for a life that is still simulated */
      if (creature.status === 'simulating') time = Math.min(time, duration());
      else if (time > duration() + speed) {
        time = 0;
        if (following) jump();
      }
    }
    if (following) chase(dt);
    find('seek').max = duration();
    if (document.activeElement !== find('seek') || playing) find('seek').value = time;
    if (creature.most > 0) find('bar').title = `fitness so far ${fitness(Math.min(time, duration())).toPrecision(3)}`;
    find('clock').textContent =
      `${Math.min(time, duration()).toFixed(1)} / ${duration().toFixed(1)} s`;
    if (beginFrame(now)) draw();
    hear(dt);
  }
  requestAnimationFrame(tick);
}
/* Puts one more creature into the page and shows it. */
async function welcome(c) {
  const index = DATA.creatures.push(c) - 1;
  await choose(index);
  offer(c, index);
  who.value = index;
  choices();
}

let ownLink = '';
const isLink = hash => hash.startsWith('#c=') || hash.startsWith(CHALLENGE);
async function openLink() {
  const { hash } = location;
  if (!isLink(hash) || hash === ownLink) return;
  say('reading the link …');
  try {
    const c = await creatureOf(hash.replace(CHALLENGE, '#c='));
    await welcome(c);
    if (hash.startsWith(CHALLENGE)) await takeChallenge(c);
  } catch (error) {
    say(error.message);
  }
}
/* Puts the creature as it was into the page's address. */
async function share(prefix, words) {
  const c = creature;
  if (c.acts.length) return tell('a link is of the creature as it was: reset it first');
  await live(c);
  ownLink = (await linkOf(await askStage(['link']))).replace('#c=', prefix);
  location.hash = ownLink;
  await navigator.clipboard?.writeText(location.href).catch(() => {});
  return tell(words);
}
find('link').onclick = () => share('#c=', 'the address of this page is now the link to this creature');
find('challenge').onclick = () => share(CHALLENGE, 'the address of this page is now a challenge to other creatures');
addEventListener('hashchange', openLink);

if (isLink(location.hash)) {
  openLink();
} else if (location.hash.startsWith('#t=')) {
  /* page.html#t=3.5 shows that moment, still */
  choose(0).then(() => { setPlaying(false); time = Math.min(Number(location.hash.slice(3)) || 0, duration()); jump(); });
} else {
  choose(0).then(() => {
    if (!canLive()) return;
    if (location.hash === '#edit') find('edit').click();
    if (location.hash !== '#evolve') return;
    setBreeding(true);
    startRun();
  });
}
requestAnimationFrame(tick);
