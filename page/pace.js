/* ---- pace: where frames come slowly, a picture that moves has fewer pixels and rougher shapes. A picture that stands is sharp, and
 * is drawn once. By WebGL the pixels are those of its own canvas, below the words. Without WebGL they are those of the whole picture. ---- */

const STEPS = [1, 3 / 4, 1 / 2, 1 / 3], PATHS_MOST = 2; /* words can be read in half as many pixels */
const SLOW_MS = 20; /* more than one frame in five is late at 60 Hz */
const FRAMES = 10; /* of the mean time between frames */
const RETRY_MS = 10000; /* then a finer step is tried, and twice as late after each that was too slow */
const VAIN = 0.9; /* fewer pixels that save less do not help: the screen itself is slow */
const pace = { step: 0, most: STEPS.length - 1, span: 0, frames: 0, sharpSpan: 0, last: 0, since: 0, wait: RETRY_MS, seen: '', isStill: false, isStale: true };

const isRough = () => !pace.isStill && pace.step > 0;
const fineness = () => isRough() ? STEPS[pace.step] : 1;
/* Pixels of the canvas for one of the screen. */
const plainFineness = () => !creature || editing || !isOfPaths(creature) ? 1 : STEPS[Math.min(pace.step, isRough() ? PATHS_MOST : 0)];

/* The view as a text: pictures of one view are alike. */
const viewNow = () => [time.toFixed(4), ...[camera.x, camera.y].map(v => (v * camera.scale / ui).toFixed(0)), (camera.scale / ui).toPrecision(4), orbit.yaw, orbit.pitch,
  Object.values(layers), race, DATA.creatures.indexOf(creature), creature.mark, creature.frames, creature.status, C.text].join();

function takeStep(step, now) {
  Object.assign(pace, { step, span: 0, frames: 0, since: now });
}

/* Chooses the step by the mean time between frames. */
function choosePace(now) {
  const span = now - pace.last;
  pace.last = now;
  if (pace.isStill || span > 500) return;
  pace.frames++;
  pace.span += (span - pace.span) / Math.min(pace.frames, FRAMES);
  if (pace.frames < FRAMES) return;
  if (pace.step === 0) pace.sharpSpan = pace.span;
  const isNew = now - pace.since < RETRY_MS / 5, isVain = isNew && pace.step === STEPS.length - 1 && pace.span > VAIN * pace.sharpSpan;
  if (pace.span > SLOW_MS && isVain) {
    pace.most = 0;
    takeStep(0, now);
  } else if (pace.span > SLOW_MS && pace.step < pace.most) {
    if (isNew) pace.wait *= 2;
    takeStep(Math.min(pace.step + (pace.span > 2 * SLOW_MS ? 2 : 1), pace.most), now);
  } else if (pace.span < SLOW_MS && pace.step > 0 && now - pace.since > pace.wait) takeStep(pace.step - 1, now);
}

/* Takes note of a frame that begins; false: it would be the frame before. */
function beginFrame(now) {
  const seen = viewNow(), wasStill = pace.isStill && !pace.isStale;
  pace.isStill = !playing && seen === pace.seen && !aim && !hand && !editing && !isBusy;
  pace.seen = seen;
  pace.isStale = false;
  choosePace(now);
  const ratio = (devicePixelRatio || 1) * plainFineness();
  if (ui !== ratio) {
    resize();
    pace.isStale = false;
  }
  return !(wasStill && pace.isStill);
}
