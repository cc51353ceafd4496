/* ---- the editor's picture: the creature as it is born, with handles in the plane, and its life in a corner ---- */

/* The picture's axes in the world: right, up, towards the eye; from the front, of a body with depth from the orbit. */
function planAxes() {
  const isFlat = isFlatPlan(editing.parts), yaw = isFlat ? 0 : orbit.yaw, pitch = isFlat ? 0 : Math.max(orbit.pitch, 0.25);
  const [cy, sn, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  return [[cy, 0, -sn], [-sn * sp, cp, -cy * sp], [sn * cp, sp, cy * cp]];
}
/* Where a place of the world is in the picture, [x, y, nearness], px. */
function planEye() {
  const { view } = editing, axes = planAxes();
  return v => {
    const [x, y, z] = axes.map(axis => dot(axis, v));
    return [width / 2 + (x - view.x) * view.scale, height / 2 - (y - view.y) * view.scale, z];
  };
}
const isFlatPlan = parts => parts.every(part => part.half[2] === 0);
/* The place of the world at one of the picture: in the plane; of a body with depth on the sides of a part that face the eye, the
 * nearest. */
function spotInPlan(x, y, part) {
  const { view } = editing, [right, up, back] = planAxes(), own = [view.x + (x - width / 2) / view.scale, view.y - (y - height / 2) / view.scale];
  if (!part?.half[2]) return along(along([0, 0, 0], right, own[0]), up, own[1]);
  const axes = axesOf(part.turn), spots = axes.map((n, i) => {
    const sign = Math.sign(dot(n, back)) || 1, middle = along(part.at, n, sign * part.half[i]), [u, v] = [1, 2].map(k => (i + k) % 3);
    const way = [own[0] - dot(right, middle), own[1] - dot(up, middle)], [a, b, c, d] = [dot(right, axes[u]), dot(right, axes[v]), dot(up, axes[u]), dot(up, axes[v])];
    const det = a * d - b * c || 1e-9, s = [(d * way[0] - b * way[1]) / det, (a * way[1] - c * way[0]) / det];
    const kept = s.map((t, k) => bounded(t, -part.half[[u, v][k]], part.half[[u, v][k]]));
    return [Math.hypot(a * (s[0] - kept[0]) + b * (s[1] - kept[1]), c * (s[0] - kept[0]) + d * (s[1] - kept[1])), along(along(middle, axes[u], kept[0]), axes[v], kept[1])];
  });
  return spots.sort((a, b) => a[0] - b[0])[0][1];
}

const cornersOf = ({ half, at, turn }) => {
  const axes = axesOf(turn), ways = half[2] ? [-1, 1] : [0];
  return [-1, 1].flatMap(a => [-1, 1].flatMap(b => ways.map(c => [a, b, c].reduce((p, s, i) => along(p, axes[i], s * half[i]), at))));
};
/* The outline of points in the picture. */
function hull(points) {
  const sorted = points.slice().sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = list => list.reduce((out, p) => {
    const isLeft = () => {
      const [a, b] = out.slice(-2);
      return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) <= 0;
    };
    while (out.length > 1 && isLeft()) out.pop();
    return [...out, p];
  }, []).slice(0, -1);
  return [...half(sorted), ...half(sorted.reverse())];
}
const pathOf = points => {
  const path = new Path2D();
  points.forEach(p => path.lineTo(p[0], p[1]));
  path.closePath();
  return path;
};
const disc = (x, y, r) => {
  const path = new Path2D();
  path.arc(x, y, r, 0, 7);
  return path;
};

/* The sides of a box that face the eye: [outline, how dark]. */
function sidesInPlan(part, eye) {
  const axes = axesOf(part.turn), [, , back] = planAxes();
  return axes.map((n, i) => {
    const sign = Math.sign(dot(n, back)) || 1, [u, v] = [1, 2].map(k => (i + k) % 3), middle = along(part.at, n, sign * part.half[i]);
    const corner = (a, b) => eye(along(along(middle, axes[u], a * part.half[u]), axes[v], b * part.half[v]));
    return [pathOf([corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)]), 0.28 - 0.28 * sign * n[1]];
  });
}

/* The parts from the farthest to the nearest: [part, outline, nearness]. */
function outlines() {
  const eye = planEye(), isBall = part => part.half[2] > 0 && editing.history.doc.body === 'spheres';
  return editing.parts.map(part => {
    const middle = eye(part.at);
    const path = isBall(part) ? disc(middle[0], middle[1], part.half[0] * editing.view.scale) : pathOf(hull(cornersOf(part).map(eye)));
    return [part, path, middle[2]];
  }).sort((a, b) => a[2] - b[2] || b[0].index - a[0].index);
}

/* The whole body in the picture, below the corner of its life. */
function fitPlan() {
  const { view, parts } = editing;
  Object.assign(view, { x: 0, y: 0, scale: 1 });
  const eye = planEye(), points = parts.flatMap(cornersOf).map(eye), span = k => [Math.min(...points.map(p => p[k])), Math.max(...points.map(p => p[k]))];
  if (!points.length) return;
  const [[left, right], [top, bottom]] = [span(0), span(1)];
  const scale = Math.min(0.62 * width / Math.max(right - left, 0.3), 0.42 * height / Math.max(bottom - top, 0.3));
  Object.assign(view, { x: (left + right) / 2 - width / 2, y: height / 2 - (top + bottom) / 2 + 0.16 * height / scale, scale });
}

const isOutside = () => {
  const eye = planEye(), edge = 40 * ui; /* room for handles */
  return editing.parts.flatMap(cornersOf).map(eye).some(([x, y]) => !(x > edge && x < width - edge && y > edge && y < height - edge));
};

/* ---- handles of the chosen part: [name, place in the picture, the act of a drag to a place of the picture] ---- */

const chosenPart = () => {
  const { chosen, parts } = editing;
  return parts.find(part => part.body === chosen?.body && part.via === chosen.via) ?? parts.find(part => part.body === chosen?.body) ?? null;
};
const parentOf = part => editing.parts[part.parent] ?? null;

/* Limits of a joint that turns: its place, the way from it to the part, and how far a limit is drawn from it. */
function jointOf(part) {
  const gene = geneOf(editing.history.doc.bodies, part.body);
  if (part.parent < 0 || !isFlatPlan(editing.parts) || (gene.joint ?? 'rotary') !== 'rotary') return null;
  const out = [part.at[0] - part.anchor[0], part.at[1] - part.anchor[1]], limits = gene.limits_rad ?? [-1, 1];
  return { zero: Math.atan2(out[1], out[0]), limits: limits.map(v => part.mirror * v), radius: Math.max(1.1 * Math.hypot(...out), 44 * ui / editing.view.scale) };
}
const around = ([x, y], angle, r) => [x + r * Math.cos(angle), y + r * Math.sin(angle), 0];

function handles() {
  const part = chosenPart(), { body } = editing.history.doc;
  if (!part || body === 'spheres') return [];
  const parent = parentOf(part), eye = planEye(), list = [], axes = geneAxes(part), middle = eye(part.at), put = (...handle) => list.push(handle);
  part.half.forEach((half, axis) => {
    const tip = [0, 1, 2].map(i => i === axis ? (growth(editing.history.doc, part, parent, axis) || 1) * half : 0), spot = eye(fromGene(part, tip));
    const way = eye(along(part.at, axes[axis], 1)).map((v, i) => v - middle[i]).slice(0, 2), long = Math.hypot(...way);
    if (half && long > 0.2 * editing.view.scale)
      put('size', spot, (next, x, y) => sizePart(next, part, parent, axis, ((x - middle[0]) * way[0] + (y - middle[1]) * way[1]) / long ** 2));
  });
  const hinge = jointOf(part);
  if (!parent || part.half[2]) return list;
  const out = Math.atan2(part.at[1] - part.anchor[1], part.at[0] - part.anchor[0]), far = 2 * Math.hypot(part.at[0] - part.anchor[0], part.at[1] - part.anchor[1]);
  const angleTo = (x, y) => {
    const spot = spotInPlan(x, y);
    return Math.atan2(spot[1] - part.anchor[1], spot[0] - part.anchor[0]);
  };
  put('turn', eye(around(part.anchor, out, far + 26 * ui / editing.view.scale)), (next, x, y) => turnPart(next, part, parent, angleTo(x, y) - out));
  for (const end of hinge ? [0, 1] : [])
    put('limit', eye(around(part.anchor, hinge.zero + hinge.limits[end], hinge.radius)), (next, x, y) => {
      const turned = angleTo(x, y) - hinge.zero;
      limitPart(next, part, end, Math.atan2(Math.sin(turned), Math.cos(turned)));
    });
  return list;
}

function drawHandles() {
  const part = chosenPart(), hinge = part && jointOf(part), eye = planEye();
  if (hinge) {
    const spots = Array.from({ length: 31 }, (_, i) => eye(around(part.anchor, hinge.zero + hinge.limits[0] + (hinge.limits[1] - hinge.limits[0]) * i / 30, hinge.radius)));
    g.globalAlpha = 0.18;
    g.fillStyle = C.limit;
    g.fill(pathOf([eye(part.anchor), ...spots]));
    g.globalAlpha = 1;
  }
  for (const [name, [x, y]] of handles()) {
    const path = name === 'size' ? pathOf([[x - 6 * ui, y - 6 * ui], [x + 6 * ui, y - 6 * ui], [x + 6 * ui, y + 6 * ui], [x - 6 * ui, y + 6 * ui]]) : disc(x, y, 7 * ui);
    g.fillStyle = name === 'limit' ? C.limit : name === 'turn' ? C.positive : C.panel;
    g.strokeStyle = C.text;
    g.lineWidth = 1.5 * ui;
    g.fill(path);
    g.stroke(path);
  }
}

/* Parts of one gene have one colour; copies after the first are paler, the chosen gene has a strong edge. */
function drawPlan() {
  const { parts, chosen, history: { doc } } = editing, first = new Set(), copies = new Set(parts.filter(part => first.has(part.body) || !first.add(part.body)));
  const eye = planEye(), shade = part => C[`part_${doc.bodies.findIndex(body => body.id === part.body) % COLORS}`];
  g.fillStyle = C.sky_top ?? C.sky_bottom;
  g.fillRect(0, 0, width, height);
  g.lineJoin = 'round';
  for (const [part, path] of outlines()) {
    const color = copies.has(part) ? mix(shade(part), C.panel, 0.5) : shade(part);
    g.fillStyle = color;
    g.fill(path);
    if (part.half[2] && doc.body !== 'spheres')
      for (const [side, dark] of sidesInPlan(part, eye)) {
        g.fillStyle = mix(color, '#14202a', dark);
        g.fill(side);
      }
    const isChosen = part.body === chosen?.body;
    g.strokeStyle = isChosen ? C.good : mix(shade(part), '#14202a', 0.45);
    g.lineWidth = (isChosen ? 3 : 1.4) * ui;
    g.setLineDash(copies.has(part) ? [5 * ui, 4 * ui] : []);
    g.stroke(path);
  }
  g.setLineDash([]);
  g.fillStyle = C.joint;
  g.strokeStyle = C.joint_line;
  g.lineWidth = ui;
  for (const part of parts) {
    const [x, y] = eye(part.anchor);
    if (part.parent < 0) continue;
    g.fill(disc(x, y, 4 * ui));
    g.stroke(disc(x, y, 4 * ui));
  }
  drawHandles();
  const { drag } = editing;
  if (drag?.isLimb) line(...drag.from, ...drag.to, C.contact, 1, 4 * ui);
}

/* The life, in the corner [x, y, width, height]. */
const lifeCell = () => {
  const w = Math.min(0.42 * width, 360 * ui), h = Math.min(0.4 * height, 0.62 * w);
  return [width - w - 10 * ui, 10 * ui, w, h];
};

function drawEditor() {
  drawPlan();
  if (!editing.lives) return;
  g.clearRect(...lifeCell()); /* a picture by WebGL lies below */
  drawIn(lifeCell(), creature, (w, h) => {
    g.strokeStyle = C.joint_line;
    g.lineWidth = 2 * ui;
    g.strokeRect(0, 0, w, h);
  });
}

/* ---- the pointer ---- */

const partInPlan = (x, y) => outlines().reverse().find(([, path]) => g.isPointInPath(path, x, y))?.[0] ?? null;
const nearestPart = (x, y) => {
  const eye = planEye(), away = editing.parts.map(part => Math.min(...[part.at, ...cornersOf(part)].map(eye).map(p => Math.hypot(p[0] - x, p[1] - y))));
  return editing.parts[away.indexOf(Math.min(...away))] ?? null;
};

function pressPlan(x, y) {
  const [cx, cy, w, h] = lifeCell(), part = partInPlan(x, y);
  if (x > cx && x < cx + w && y > cy && y < cy + h) return watchLife(true);
  const handle = handles().map(([, at, act]) => [Math.hypot(at[0] - x, at[1] - y), act]).sort((a, b) => a[0] - b[0])[0];
  editing.gesture++;
  editing.drag = { from: [x, y], to: [x, y], moved: 0, base: editing.history.doc };
  if (editing.isAdding) Object.assign(editing.drag, { isLimb: true, part: part ?? nearestPart(x, y) });
  else if (handle?.[0] < 16 * ui) editing.drag.act = handle[1];
  else if (part) {
    choosePart(part);
    const hung = chosenPart(), parent = hung && parentOf(hung);
    if (!parent || editing.history.doc.body === 'spheres') return;
    const [ax, ay] = planEye()(hung.anchor);
    Object.assign(editing.drag, { act: (next, px, py) => movePart(next, hung, parent, spotInPlan(ax + px - x, ay + py - y, parent)), slack: 6 * ui });
  }
}

function dragPlan(x, y) {
  const { drag, view } = editing;
  if (!drag) return;
  const [dx, dy] = [x - drag.to[0], y - drag.to[1]];
  drag.moved += Math.hypot(dx, dy);
  drag.to = [x, y];
  if (drag.isLimb) return;
  if (drag.act) {
    if (drag.moved > (drag.slack ?? 0)) change(next => drag.act(next, x, y), `drag ${editing.gesture}`, drag.base);
  } else if (isFlatPlan(editing.parts)) {
    view.x -= dx / view.scale;
    view.y += dy / view.scale;
  } else turn(0.006 * dx / ui, 0.006 * dy / ui);
}

function releasePlan() {
  const { drag } = editing;
  editing.drag = null;
  if (drag?.act && drag.moved > (drag.slack ?? 0)) settleDoc();
  else showChosen();
  if (!drag?.isLimb || !drag.part) return;
  setAdding(false);
  const [right, up] = planAxes(), from = spotInPlan(...drag.from, drag.part), [dx, dy] = [0, 1].map(i => (drag.to[i] - drag.from[i]) / editing.view.scale);
  change(next => { editing.chosen = { body: addLimb(next, drag.part, from, along(along(from, right, dx), up, -dy)) }; });
}
