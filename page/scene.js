/* ---- the picture: one creature, or a race in lanes ---- */

function scene() {
  world();
  if (layers.trail && !creature.deep) trail();
  body();
  overlays(!race);
}

/* Lanes one above the other, all from one line; those that go left are mirrored. */
function lanes() {
  const whole = height, seen = { x: camera.x, y: camera.y, scale: camera.scale }, lane = whole / DATA.creatures.length;
  /* smaller where the first and the last would leave the picture; a body with depth is wider across */
  const [first, last] = ends(time), wide = Math.max(...DATA.creatures.map(c => c.width * (c.deep ? 1.41 : 1)));
  camera.scale *= Math.min(1, camera.room / (first - last + wide));
  each((c, i) => {
    g.save();
    g.beginPath();
    g.rect(0, i * lane, width, lane);
    g.clip();
    g.translate(0, i * lane);
    height = lane;
    flip = way(c);
    camera.x = flip * seen.x;
    camera.y = targetOf(time).y;
    scene();
    g.fillStyle = c.status === 'differs' ? C.bad : C.text;
    g.font = `${12 * ui}px system-ui, 'DejaVu Sans', sans-serif`;
    g.textAlign = 'left';
    g.fillText(`${c.name}  ${c.score}  ${c.status}`, 12 * ui, 17 * ui);
    if (i) line(0, 0, width, 0, C.joint_line, 0.35, 2 * ui);
    g.restore();
  });
  height = whole;
  flip = 1;
  Object.assign(camera, seen);
}

function draw() {
  if (!creature) return;
  clearPicture();
  if (editing && !editing.isWatched) return drawEditor();
  if (hand) return drawHand();
  if (race) return lanes();
  if (creature.epochs) return drawWater();
  scene();
  drawAim();
  if (layers.brain && creature.nodes.length) brain();
}

async function setRace(on) {
  if (on)
    for (const c of DATA.creatures) await load(c);
  race = on;
  heading(creature);
  find('race').setAttribute('aria-pressed', String(on));
  time = 0;
  setPlaying(true);
  setFollowing(true);
  fit();
}
