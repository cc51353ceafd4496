/* ---- the brain: as draw_brain(), a row of nodes for the central set and each part ---- */

const CELL = 26, SIGNS = { sum: '+', product: '×', divide: '÷', 'sum-threshold': '+>', 'greater-than': '>',
  'sign-of': '±', abs: '|x|', interpolate: 'mix', atan: 'atn', log: 'ln', expt: 'exp', sigmoid: 'S',
  integrate: '∫', differentiate: 'd/t', smooth: '≈', memory: 'M', 'oscillate-wave': '~', 'oscillate-saw': 'N' };

/* Line and column of each node, once for a creature. */
function layOut(c) {
  const most = [3, 8, 1], used = [0, 0, 0], rows = [], cells = [];
  const parts = [...new Set(c.nodes.map(n => n[1]))].sort((a, b) => a - b);
  let lines = 0;
  for (const part of parts) {
    const counts = [0, 0, 0];
    c.nodes.forEach(([kind, owner], i) => {
      if (owner !== part) return;
      const k = counts[kind]++;
      cells[i] = { line: lines + Math.floor(k / most[kind]), column: k % most[kind], kind };
      used[kind] = Math.max(used[kind], k % most[kind] + 1);
    });
    rows.push({ part, line: lines });
    lines += Math.max(...counts.map((n, kind) => Math.ceil(n / most[kind])));
  }
  for (const cell of cells) cell.column += [0, used[0], used[0] + used[1]][cell.kind];
  return { rows, cells, lines, columns: used[0] + used[1] + used[2] };
}

function flowColor(v) {
  return mix(C.panel, v < 0 ? C.negative : C.positive, Math.min(Math.abs(v), 1));
}

function node(kind, name, x, y, v, u) {
  g.beginPath();
  if (kind === 0) {
    g.moveTo(x - 7 * u, y - 7 * u);
    g.lineTo(x + 8 * u, y);
    g.lineTo(x - 7 * u, y + 7 * u);
    g.closePath();
  } else if (kind === 1) {
    g.arc(x, y, 9 * u, 0, 7);
  } else {
    g.rect(x - 8 * u, y - 8 * u, 16 * u, 16 * u);
  }
  g.fillStyle = flowColor(v);
  g.fill();
  g.strokeStyle = C.text_soft;
  g.lineWidth = u;
  g.stroke();
  if (kind !== 1) return;
  const sign = SIGNS[name] || name;
  g.fillStyle = C.text;
  g.font = `${(sign.length > 2 ? 7.5 : 10) * u}px system-ui, 'DejaVu Sans', sans-serif`;
  g.textAlign = 'center';
  g.fillText(sign, x, y + (sign.length > 2 ? 2.6 : 3.5) * u);
}

/* A bent line from a source to its reader; beads run along it with the signal. */
function wire(from, to, flow, u) {
  const self = from === to, bend = 9 * u + 0.1 * Math.abs(to.x - from.x) + (self ? 9 * u : 0);
  const p = [from, { x: from.x - (self ? 18 * u : 0), y: from.y - bend },
    { x: to.x + (self ? 18 * u : 0), y: to.y - bend }, to];
  const strength = Math.min(Math.abs(flow), 1);
  g.globalAlpha = 0.3 + 0.6 * strength;
  g.strokeStyle = strength < 0.02 ? C.grid : flow < 0 ? C.negative : C.positive;
  g.lineWidth = (0.9 + 1.4 * strength) * u;
  g.beginPath();
  g.moveTo(p[0].x, p[0].y);
  g.bezierCurveTo(p[1].x, p[1].y, p[2].x, p[2].y, p[3].x, p[3].y);
  g.stroke();
  g.fillStyle = g.strokeStyle;
  for (let bead = 0; strength >= 0.02 && bead < 2; bead++) {
    const t = (0.9 * time + bead / 2) % 1, s = 1 - t, w = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
    const [x, y] = ['x', 'y'].map(k => p.reduce((sum, q, i) => sum + w[i] * q[k], 0));
    g.beginPath();
    g.arc(x, y, (1.2 + 1.4 * strength) * u, 0, 7);
    g.fill();
  }
  g.globalAlpha = 1;
}

/* The neuron or effector at a place of the brain's picture, by its number among its kind. */
function nodeAt(x, y) {
  const { places, u } = creature.plan ?? {};
  const at = layers.brain && places ? places.findIndex(p => Math.hypot(p.x - x, p.y - y) < CELL / 2 * u) : -1, kind = creature.nodes[at]?.[0];
  return kind > 0 ? { isNeuron: kind === 1, index: creature.nodes.slice(0, at).filter(node => node[0] === kind).length } : null;
}

/* On a phone it leaves the middle, where the creature is, free. */
function brain() {
  const plan = creature.plan || (creature.plan = layOut(creature));
  const w = Math.max(116 + plan.columns * CELL, 200), h = plan.lines * CELL + 34;
  const narrow = width < 640 * ui;
  const u = Math.min(Math.max(((narrow ? 0.45 : 1) * height - 24 * ui) / h, 0.2), width * (narrow ? 0.7 : 0.42) / w, 1.6 * ui);
  const left = width - w * u - 12 * ui, top = 12 * ui;
  g.fillStyle = C.panel;
  g.globalAlpha = 0.94;
  g.beginPath();
  g.rect(left, top, w * u, h * u);
  g.fill();
  g.globalAlpha = 1;
  g.font = `${11.5 * u}px system-ui, 'DejaVu Sans', sans-serif`;
  g.textAlign = 'left';
  g.fillStyle = C.text;
  g.fillText(`brain: ${creature.nodes.filter(n => n[0] === 1).length} neurons, ${creature.wires.length} wires`, left + 9 * u, top + 18 * u);
  const places = plan.cells.map(c => ({ x: left + (98 + (c.column + 0.5) * CELL) * u, y: top + (27 + (c.line + 0.5) * CELL) * u }));
  Object.assign(plan, { places, u });
  for (const row of plan.rows) {
    const y = top + (27 + (row.line + 0.5) * CELL) * u;
    if (row.part >= 0) {
      g.fillStyle = partColor(row.part);
      g.fillRect(left + 9 * u, y - 5 * u, 10 * u, 10 * u);
    }
    g.fillStyle = C.text_soft;
    g.font = `${9.5 * u}px system-ui, 'DejaVu Sans', sans-serif`;
    g.textAlign = 'left';
    g.fillText(row.part < 0 ? 'central' : `part ${row.part}, body ${creature.parts[row.part][0]}`, left + (row.part < 0 ? 9 : 23) * u, y + 3.5 * u);
  }
  for (const [from, to, weight] of creature.wires) wire(places[from], places[to], signal(from) * weight, u);
  creature.nodes.forEach(([kind, , name], i) => node(kind, name, places[i].x, places[i].y, signal(i), u));
}
