/* ---- space by WebGL: sky, ground, skin and soft shadows, as draw_space.c, skin.c and shade.c have them, on a canvas of its own below the
 * other one, which has words, marks and arrows. Without WebGL space.js paints the true shapes.
 *
 * Limbs are rows of a texture; one net of small triangles, drawn once for each limb and once for each neck, moves onto their surfaces in
 * the vertex shader. All is relative to the middle of the picture, so that numbers stay small far from the start. ---- */

const BELLY_COLOR = '#f3e9d2';
const TEXELS = 10, LIMBS_MOST = 512, NET = 8, NET_NECK = 6, NET_COARSE = 2, NET_ROUGH = 4, NET_NECK_ROUGH = 3, SHADE_PX = 192, SUN_PX = 256, FIELD = 40, FIELD_ROUGH = 20, EVEN = 30, EVEN_FLAT = 4;

/* A limb in the shader: numbers by name, as records are slow where there is no graphics processor. */
const limbText = name => `
vec3 ${name}Place, ${name}Half, ${name}Along;
mat3 ${name}Axes;
vec2 ${name}Round;
float ${name}Taper;
void ${name}Read(int row) {
  vec4 a = texel(row, 0), x = texel(row, 1), y = texel(row, 2);
  ${name}Place = a.xyz;
  ${name}Taper = a.w;
  ${name}Axes = mat3(x.xyz, y.xyz, texel(row, 3).xyz);
  ${name}Round = vec2(x.w, y.w);
  ${name}Half = texel(row, 4).xyz;
  ${name}Along = texel(row, 5).xyz;
}
float ${name}At(vec3 p) {
  vec3 o = (p - ${name}Place) * ${name}Axes;
  float s = 1.0 - ${name}Taper * clamp(0.5 - 0.5 * dot(o, ${name}Along / ${name}Half), 0.0, 1.0);
  vec3 d = abs(o / mix(vec3(s), vec3(1), abs(${name}Along))) - ${name}Half;
  float plan = corner(d.x, d.y, ${name}Round.x);
  return s * corner(plan, d.z, ${name}Round.y);
}
`;

const LIMB = `#version 300 es
precision highp float;
precision highp sampler2D;
in vec3 cell, face;
uniform sampler2D limbs;
vec4 texel(int row, int i) { return texelFetch(limbs, ivec2(i, row), 0); }
float corner(float x, float y, float r) { return length(max(vec2(x, y) + r, 0.0)) + min(max(x, y) + r, 0.0) - r; }
${limbText('own')}
/* a place of the net as shares of the halves: more rows where the edge is round */
vec3 sharesOf(vec3 ratio) {
  vec3 a = abs(cell);
  return sign(cell) * mix(a / 0.25 * ratio, ratio + (1.0 - ratio) * (a - 0.25) / 0.75, step(0.25, a));
}
vec3 widthsOf(vec3 shares) { return mix(vec3(1.0 - ownTaper * (0.5 - 0.5 * dot(shares, ownAlong))), vec3(1), abs(ownAlong)); }
`;

const SKIN = LIMB + `
uniform mat4 lens;
uniform bool isNeck;
out vec3 at, normal, color;
out float belly;
${limbText('host')}
float softMin(float a, float b, float k) {
  float h = k > 0.0 ? max(k - abs(a - b), 0.0) / k : 0.0;
  return min(a, b) - h * h * k / 4.0;
}
vec4 joint, neck, more;
float surfaceAt(vec3 p) {
  float d = ownAt(p);
  if (!isNeck) return d;
  float share = clamp(1.5 * (1.0 - distance(p, neck.xyz) / neck.w), 0.0, 1.0);
  d = softMin(d, distance(p, joint.xyz) - joint.w, 0.6 * joint.w);
  return softMin(d, hostAt(p), more.x * share);
}
vec3 normalAt(vec3 p, float h) {
  const vec3 a = vec3(1, -1, -1), b = vec3(-1, -1, 1), c = vec3(-1, 1, -1), d = vec3(1);
  return normalize(a * surfaceAt(p + h * a) + b * surfaceAt(p + h * b) + c * surfaceAt(p + h * c) + d * surfaceAt(p + h * d));
}
void main() {
  int row = gl_InstanceID;
  joint = texel(row, 6);
  neck = texel(row, 7);
  more = texel(row, 9);
  if (isNeck && more.x <= 0.0) {
    gl_Position = vec4(2, 2, 2, 1);
    return;
  }
  ownRead(row);
  if (isNeck) hostRead(int(more.y));
  vec4 tint = texel(row, 8), hostTint = texel(int(more.y), 8);
  vec3 halves = isNeck ? vec3(neck.w) : ownHalf, core = isNeck ? vec3(0) : max(ownHalf - ownRound.xxy, 0.0);
  vec3 shares = sharesOf(core / halves), wide = isNeck ? vec3(1) : widthsOf(shares), out_ = shares * halves * wide;
  vec3 from = ownAxes * out_, to = ownAxes * clamp(out_, -core * wide, core * wide), way = to - from;
  float far = length(way), edge = isNeck ? neck.w : ownHalf.z, done = isNeck ? far - neck.w : 0.0, left = 0.0;
  at = from += isNeck ? neck.xyz : ownPlace;
  if (far > 0.0) {
    way /= far;
    for (int i = 0; i < 5; i++) {
      at = from + done * way;
      left = surfaceAt(at);
      if (left < 0.01 * edge) break;
      done = min(done + left, far);
    }
    normal = normalAt(at, 0.02 * edge);
    if (isNeck) {
      at -= left * normal + 0.2 * max(0.6 + dot(way, normal), 0.0) * edge * normal;
    }
  } else normal = ownAxes * face;
  float share = isNeck ? clamp(0.5 + (hostAt(at) - ownAt(at)) / (2.0 * more.x), 0.0, 1.0) : 1.0;
  color = mix(hostTint.rgb, tint.rgb, share);
  belly = mix(hostTint.w, tint.w, share);
  gl_Position = lens * vec4(at, 1);
}`;

const SKIN_LIGHT = `#version 300 es
precision highp float;
precision highp sampler2DShadow;
in vec3 at, normal, color;
in float belly;
uniform sampler2DShadow sunlit;
uniform mat4 sunLens;
uniform vec3 eye, sun, up, shade, pale, hazy;
uniform float size, level, far;
out vec4 pixel;
void main() {
  vec3 n = normalize(normal), away = eye - at, place = (sunLens * vec4(at + 0.015 * size * n, 1)).xyz * 0.5 + 0.5;
  float bright = max(dot(n, sun), 0.0), facing = dot(n, away) / length(away), clear = 0.0;
  for (int i = 0; i < 4; i++)
    clear += 0.25 * texture(sunlit, place + vec3(vec2(i & 1, i >> 1) * 3.0 - 1.5, 0) / float(${SUN_PX}));
  if (clamp(place, 0.0, 1.0) != place) clear = 1.0;
  float lit = -0.5 + 1.05 * bright * clear + 0.3 * n.y - 1.1 * max(0.4 - facing, 0.0) - 0.25 * clamp(1.0 - (at.y - level) / (0.25 * size), 0.0, 1.0);
  lit = clamp(lit, -1.25, 1.0);
  vec3 c = mix(color, pale, belly * 0.7 * min(2.0 * max(-dot(n, up), 0.0), 1.0));
  c = lit > 0.0 ? mix(c, vec3(1), 0.42 * lit) : mix(c, shade, -0.52 * lit);
  pixel = vec4(mix(c, hazy, 1.0 - exp(-max(length(away) / far - 1.3, 0.0) / 5.0)), 1);
}`;

const CAST = LIMB + `
uniform mat4 lens;
void main() {
  ownRead(gl_InstanceID);
  vec3 core = ownHalf - ownRound.y, shares = sharesOf(core / ownHalf), out_ = shares * ownHalf, kept = clamp(out_, -core, core);
  vec3 round_ = out_ - kept;
  if (ownRound.y > 0.0) out_ = kept + ownRound.y * round_ / max(length(round_), 1e-9);
  gl_Position = lens * vec4(ownPlace + ownAxes * (0.95 * out_ * widthsOf(shares)), 1);
}`;
const CAST_LIGHT = `#version 300 es
precision mediump float;
uniform float dark;
out vec4 pixel;
void main() { pixel = vec4(dark); }`;

/* Cells are even around the middle, and from there on larger and larger. Haze and how clear tiles are change slowly: by corner. */
const GROUND = `#version 300 es
precision highp float;
in vec2 cell;
uniform mat4 lens;
uniform vec3 waves[3], eye, near, nearer, bright, dark, hazy;
uniform vec2 corner, offset;
uniform float spacing, even, growth, depth, level, far, step_, focus, top;
out vec2 at;
out vec3 soil;
out vec2 clear;
void main() {
  vec2 a = abs(cell), p = corner + spacing * sign(cell) * min(a, even) * exp(max(a - even, 0.0) * growth), slope = vec2(0);
  float height = 0.0;
  for (int i = 0; i < 3 && depth > 0.0; i++) {
    float v = dot(waves[i].xy, p) + waves[i].z;
    height += sin(v) - 1.0;
    slope += waves[i].xy * cos(v);
  }
  float unit = clamp(4.0 - 4.0 * max(a.x, a.y) / even, 0.0, 1.0) * depth / 6.0, lit = dot(slope * unit, vec2(0.5, -0.6));
  vec3 world = vec3(p.x, level + height * unit, p.y);
  gl_Position = lens * vec4(world, 1);
  float away = distance(eye, world), high = step_ * focus * (eye.y - level) / (away * away), haze = 1.0 - exp(-max(away / far - 1.3, 0.0) / 5.0);
  float row = gl_Position.w > 0.0 ? clamp((top - gl_Position.y / gl_Position.w) / (top + 1.0), 0.0, 1.0) : 1.0;
  soil = mix(mix(mix(near, nearer, 0.75 * row), lit < 0.0 ? dark : bright, min(abs(lit), 0.5)), hazy, haze);
  clear = vec2(2.0 * high, 0.21 * clamp((high - 1.5) / 7.5, 0.0, 1.0) * (1.0 - haze));
  at = (p + offset) / step_;
}`;
const GROUND_LIGHT = `#version 300 es
precision highp float;
in vec2 at, clear;
in vec3 soil;
uniform sampler2D shadows;
uniform vec3 tile, shade;
uniform vec3 spot;
out vec4 pixel;
void main() {
  vec2 strips = clamp((abs(fract(0.5 * at) - 0.5) - 0.25) * clear.x, -1.0, 1.0), place = abs(at - spot.xy) * spot.z;
  vec3 c = mix(soil, tile, clear.y * (0.5 - 0.5 * strips.x * strips.y));
  float rim = max(place.x, place.y);
  if (rim < 1.0) c = mix(c, shade, texture(shadows, 0.5 + 0.5 * (at - spot.xy) * spot.z).r * min(5.0 - 5.0 * rim, 1.0));
  pixel = vec4(c, 1);
}`;

/* What is behind all, in px. */
const BACK = `#version 300 es
in vec2 at;
in vec3 tint;
uniform vec2 pixels;
out vec3 color;
void main() { gl_Position = vec4(at * pixels * vec2(2, -2) + vec2(-1, 1), 0.9999, 1); color = tint; }`;
const BACK_LIGHT = `#version 300 es
precision mediump float;
in vec3 color;
out vec4 pixel;
void main() { pixel = vec4(color, 1); }`;

const RIBBON = `#version 300 es
in vec3 a, b;
in vec2 side;
uniform mat4 lens;
uniform vec2 pixels;
void main() {
  vec4 p = lens * vec4(a, 1), q = lens * vec4(b, 1);
  vec2 way = (q.xy / q.w - p.xy / p.w) / pixels;
  gl_Position = side.y < 0.5 ? p : q;
  gl_Position.xy += side.x * normalize(vec2(-way.y, way.x) + 1e-9) * pixels * gl_Position.w;
}`;
const RIBBON_LIGHT = `#version 300 es
precision mediump float;
uniform vec4 color;
out vec4 pixel;
void main() { pixel = color; }`;

/* ---- programs, nets, pictures ---- */

function makeProgram(gl, vertex, fragment, names) {
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  names.forEach((name, i) => gl.bindAttribLocation(program, i, name));
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  const places = new Map(), count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS);
  for (let i = 0; i < count; i++) {
    const { name, type } = gl.getActiveUniform(program, i);
    places.set(name.replace('[0]', ''), [gl.getUniformLocation(program, name), type]);
  }
  const setters = { [gl.FLOAT]: 'uniform1f', [gl.FLOAT_VEC2]: 'uniform2fv', [gl.FLOAT_VEC3]: 'uniform3fv', [gl.FLOAT_VEC4]: 'uniform4fv' };
  return values => {
    gl.useProgram(program);
    for (const [name, value] of Object.entries(values)) {
      const [place, type] = places.get(name) ?? [];
      if (type === gl.FLOAT_MAT4) gl.uniformMatrix4fv(place, false, value);
      else if (type !== undefined) gl[setters[type] ?? 'uniform1i'](place, value);
    }
  };
}

/* Points of `sizes` numbers by attribute, and triangles. */
function makeNet(gl, sizes, points, triangles) {
  const array = gl.createVertexArray(), buffer = gl.createBuffer(), stride = sizes.reduce((sum, n) => sum + n, 0);
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(points), gl.DYNAMIC_DRAW);
  sizes.reduce((at, n, i) => {
    gl.enableVertexAttribArray(i);
    gl.vertexAttribPointer(i, n, gl.FLOAT, false, 4 * stride, 4 * at);
    return at + n;
  }, 0);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint16Array(triangles), gl.STATIC_DRAW);
  return { array, buffer, count: triangles.length };
}

/* The quads of a grid of points as triangles. */
function quads(columns, rows, first = 0) {
  const list = [];
  for (let row = 0; row < rows; row++)
    for (let i = 0; i < columns; i++) {
      const a = first + row * (columns + 1) + i, b = a + columns + 1;
      list.push(a, a + 1, b + 1, a, b + 1, b);
    }
  return list;
}

/* A box of n x n quads a side: cell -1 .. 1, and which side it is. */
function boxNet(gl, n) {
  const points = [], triangles = [];
  for (let axis = 0; axis < 3; axis++)
    for (const sign of [-1, 1]) {
      triangles.push(...quads(n, n, points.length / 6));
      for (let row = 0; row <= n; row++)
        for (let i = 0; i <= n; i++) {
          const cell = [0, 0, 0], face = [0, 0, 0];
          cell[axis] = face[axis] = sign;
          cell[(axis + 1) % 3] = sign * (2 * i / n - 1);
          cell[(axis + 2) % 3] = 2 * row / n - 1;
          points.push(...cell, ...face);
        }
    }
  return makeNet(gl, [3, 3], points, triangles);
}

function fieldNet(gl, n) {
  const points = [], at = i => (2 * i / n - 1) * FIELD;
  for (let row = 0; row <= n; row++) for (let i = 0; i <= n; i++) points.push(at(row), at(i));
  return makeNet(gl, [2], points, quads(n, n));
}

function makePicture(gl, px, format, samples) {
  const texture = gl.createTexture(), frame = gl.createFramebuffer(), isDepth = format === gl.DEPTH_COMPONENT24;
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, format, px, px);
  for (const [name, value] of [['MIN_FILTER', gl.LINEAR], ['MAG_FILTER', gl.LINEAR], ['WRAP_S', gl.CLAMP_TO_EDGE], ['WRAP_T', gl.CLAMP_TO_EDGE],
    ['COMPARE_MODE', samples ? gl.COMPARE_REF_TO_TEXTURE : gl.NONE]])
    gl.texParameteri(gl.TEXTURE_2D, gl[`TEXTURE_${name}`], value);
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, isDepth ? gl.DEPTH_ATTACHMENT : gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  if (!isDepth) {
    const depth = gl.createRenderbuffer();
    gl.bindRenderbuffer(gl.RENDERBUFFER, depth);
    gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT16, px, px);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, depth);
  }
  return { texture, frame, px };
}

/* null: this browser has no WebGL. */
function makeGpu() {
  const picture = document.createElement('canvas'), open = ways => picture.getContext('webgl2', ways);
  /* without a graphics processor smooth edges take as long as all else */
  const gl = open({ antialias: true, failIfMajorPerformanceCaveat: true }) ?? open({ antialias: false });
  if (!gl) return null;
  canvas.before(picture);
  const rows = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, rows);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, TEXELS, LIMBS_MOST);
  for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
  gl.enable(gl.DEPTH_TEST);
  gl.enable(gl.CULL_FACE);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  const gpu = { gl, rows, data: new Float32Array(4 * TEXELS * LIMBS_MOST), isLost: false,
    skin: makeProgram(gl, SKIN, SKIN_LIGHT, ['cell', 'face']), cast: makeProgram(gl, CAST, CAST_LIGHT, ['cell', 'face']),
    ground: makeProgram(gl, GROUND, GROUND_LIGHT, ['cell']), ribbon: makeProgram(gl, RIBBON, RIBBON_LIGHT, ['a', 'b', 'side']),
    back: makeProgram(gl, BACK, BACK_LIGHT, ['at', 'tint']), net: boxNet(gl, NET), necks: boxNet(gl, NET_NECK), coarse: boxNet(gl, NET_COARSE),
    roughNet: boxNet(gl, NET_ROUGH), roughNecks: boxNet(gl, NET_NECK_ROUGH), field: fieldNet(gl, 2 * FIELD), flat: fieldNet(gl, FIELD), roughFlat: fieldNet(gl, FIELD_ROUGH), backs: makeNet(gl, [2, 3], [], quads(1, 400)),
    ribbons: makeNet(gl, [3, 3, 2], [], Array.from({ length: 256 }, (_, i) => [0, 1, 2, 2, 1, 3].map(k => 4 * i + k)).flat()),
    shade: makePicture(gl, SHADE_PX, gl.R8, false), sun: makePicture(gl, SUN_PX, gl.DEPTH_COMPONENT24, true) };
  gl.canvas.addEventListener('webglcontextlost', () => { gpu.isLost = pace.isStale = true; });
  return gpu;
}
let made;
const gpuNow = () => {
  made ??= { gpu: makeGpu() };
  return made.gpu?.isLost ? null : made.gpu;
};

/* Space without WebGL has true shapes only, and no ghosts. */
const isOfPaths = c => !!c.deep && !gpuNow();

/* ---- what is drawn ---- */

const rgbOf = color => [0, 1, 2].map(i => (color[0] === '#' ? parseInt(color.slice(1 + 2 * i, 3 + 2 * i), 16) : Number(color.match(/[0-9]+/g)[i])) / 255);

/* Columns of a matrix from rows of three numbers and one that is added. */
const matrix = rows => [0, 1, 2, 3].flatMap(column => rows.map(row => row[column]));

function lensOf(eye) {
  const near = 0.08 * eye.far, far = 60 * eye.far, a = (far + near) / (far - near), b = -2 * far * near / (far - near);
  const w = eye.back.map(v => -v / eye.far);
  return matrix([[...scaled(eye.right, 2 * camera.scale / width), 0], [...scaled(eye.up, 2 * camera.scale / height), 0],
    [...scaled(w, a), a + b / eye.far], [...w, 1]]);
}

/* As a direction of light throws things on a level: x and z within reach of a spot, all at one depth. */
const throwOf = (from, level, [x, z], reach, depth) => matrix([[1 / reach, -from[0] / from[1] / reach, 0, (level * from[0] / from[1] - x) / reach],
  [0, -from[2] / from[1] / reach, 1 / reach, (level * from[2] / from[1] - z) / reach], [0, 0, 0, depth], [0, 0, 0, 1]]);

/* The middle of the sun looks at a ball of radius reach. */
function sunLensOf(at, reach) {
  const [u, v] = across(SUN);
  return matrix([...[u, v].map(axis => [...scaled(axis, 1 / reach), -dot(axis, at) / reach]), [...scaled(SUN, -1 / (4 * reach)), dot(SUN, at) / (4 * reach)], [0, 0, 0, 1]]);
}

/* Limbs as rows of the texture. */
function sendLimbs({ gl, rows, data }, limbs, origin) {
  limbs.forEach((limb, i) => {
    const [x, y, z] = limb.axes, host = Math.max(limb.parent, 0), belly = isAnimal() && limb.isSingle && !limb.isEye ? 1 : 0;
    data.set([...minus(limb.centre, origin), limb.taper, ...x, limb.round[0], ...y, limb.round[1], ...z, 0, ...limb.half, 0, ...limb.along, 0,
      ...minus(limb.joint, origin), limb.ball, ...minus(limb.neckAt, origin), limb.reach, ...rgbOf(limb.color), belly, limb.neck, host, 0, 0], 4 * TEXELS * i);
  });
  gl.activeTexture(gl.TEXTURE0);
  gl.bindTexture(gl.TEXTURE_2D, rows);
  gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, TEXELS, limbs.length, gl.RGBA, gl.FLOAT, data, 0);
}

function drawNet({ gl }, net, copies = 1) {
  gl.bindVertexArray(net.array);
  gl.drawElementsInstanced(gl.TRIANGLES, net.count, gl.UNSIGNED_SHORT, 0, copies);
}

function beginPicture({ gl }, { frame, px }) {
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  gl.viewport(0, 0, px, px);
  gl.clearColor(0, 0, 0, 0);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
}

function castSun(gpu, count, sunLens) {
  beginPicture(gpu, gpu.sun);
  gpu.cast({ lens: sunLens, limbs: 0, dark: 1 });
  drawNet(gpu, gpu.coarse, count);
}

/* Each light is nearer than the one before. A place that one light has darkened is not darkened again. */
function castShade(gpu, count, level, spot, reach) {
  const { gl } = gpu;
  beginPicture(gpu, gpu.shade);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE);
  gl.disable(gl.CULL_FACE);
  const lights = isRough() ? LIGHTS_LEAST : LIGHTS_FEW;
  lights.forEach(({ from, dark }, i) => {
    gpu.cast({ lens: throwOf(from, level, spot, reach, 0.9 - i / lights.length), limbs: 0, dark });
    drawNet(gpu, gpu.coarse, count);
  });
  gl.enable(gl.CULL_FACE);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  gl.disable(gl.BLEND);
}

/* Lines of the world, so many px wide. */
function drawRibbon(gpu, points, origin, lens, color, alpha, px) {
  const { gl } = gpu, list = [];
  for (let i = 0; i + 1 < points.length && i < 256; i++) {
    const ends = [...minus(points[i], origin), ...minus(points[i + 1], origin)];
    for (const [across, end] of [[-1, 0], [1, 0], [-1, 1], [1, 1]]) list.push(...ends, across, end);
  }
  gl.bindBuffer(gl.ARRAY_BUFFER, gpu.ribbons.buffer);
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(list), gl.DYNAMIC_DRAW);
  gpu.ribbon({ lens, pixels: [px / width, px / height], color: [...scaled(rgbOf(color), alpha), alpha] });
  gl.enable(gl.BLEND);
  gl.disable(gl.CULL_FACE);
  drawNet(gpu, { array: gpu.ribbons.array, count: 6 * Math.max(points.length - 1, 0) });
  gl.enable(gl.CULL_FACE);
  gl.disable(gl.BLEND);
}

const solidLimbs = () => creature.solids.map(([middle, half, turn]) =>
  Object.assign(makeLimb(middle, axesOf(turn), half, 0), { color: mix(C.ground_top, C.sky_bottom, 0.25), isEye: true }));

/* The way of the centre of mass until now. */
function trailNow() {
  const last = Math.min(Math.floor(time * DATA.hz), creature.frames - 1), n = Math.min(last, 160), way = [];
  for (let i = 0; i <= n && last > 0; i++) way.push([0, 1, 2].map(k => creature.values[k][Math.floor(i * last / n)]));
  return way;
}

/* Bands of colour from row to row; a band is left alone where it ends. */
function drawBack(gpu, bands) {
  const { gl } = gpu, points = bands.flatMap(band => band.flatMap(([a, b, color, other = color]) => [...a, ...rgbOf(color), ...b, ...rgbOf(other)]));
  gl.bindBuffer(gl.ARRAY_BUFFER, gpu.backs.buffer);
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(points), gl.DYNAMIC_DRAW);
  gpu.back({ pixels: [1 / width, 1 / height] });
  gl.disable(gl.CULL_FACE);
  gl.disable(gl.DEPTH_TEST);
  gl.bindVertexArray(gpu.backs.array);
  let first = 0;
  for (const { length } of bands) {
    gl.drawElements(gl.TRIANGLES, 6 * (length - 1), gl.UNSIGNED_SHORT, 12 * first);
    first += length;
  }
  gl.enable(gl.DEPTH_TEST);
  gl.enable(gl.CULL_FACE);
}

const rowBand = (...rows) => rows.map(([y, color]) => [[0, y], [width, y], color]);
/* Hills as columns of a band that lies on its side. */
const hillBand = (eye, size, row, share) => Array.from({ length: 65 }, (_, i) => {
  const x = width * i / 64, y = size * hillAt(eye, x, row), foot = Math.min(y / (0.8 * size), 1);
  return [[x, eye.horizon - y], [x, eye.horizon + 1], mix(C.sky_bottom, C.grid, share * foot), C.sky_bottom];
});

function drawSky(gpu, eye, edge) {
  const tone = { water: ['water_top', 'water_bottom'], air: ['air_top', 'air_bottom'] }[creature.medium];
  if (tone) return drawBack(gpu, [rowBand([0, C[tone[0]]], [height, C[tone[1]]])]);
  const size = Math.min(0.085 * height, 60 * ui), sky = rowBand([Math.min(edge - 0.6 * height, 0), C.sky_top], [edge - 0.6 * height, C.sky_top], [edge, C.sky_bottom], [height, C.sky_bottom]);
  drawBack(gpu, edge > 0 ? [sky, hillBand(eye, size, 0, 0.16), hillBand(eye, 0.55 * size, 1, 0.26)] : [sky]);
}

function drawField(gpu, eye, lens, origin, edge, spot, reach, shared) {
  const { relief } = creature, step = roundStep(60), cell = reliefCell(step, EVEN), spacing = relief ? cell : step / 2, even = relief ? EVEN : EVEN_FLAT;
  const offset = [0, 2].map(k => origin[k] - 2 * step * Math.floor(origin[k] / step / 2));
  gpu.ground({ ...shared, lens, corner: [0, 2].map(k => relief ? cell * Math.floor(origin[k] / cell) - origin[k] : 0), spacing, depth: relief?.depth ?? 0,
    even, growth: Math.log(60 * eye.far / (even * spacing)) / (FIELD - even), step_: step, focus: eye.focus / ui, offset, top: 1 - 2 * edge / height,
    waves: relief?.waves.flatMap(([x, z, phase]) => [x, z, phase + x * origin[0] + z * origin[2]]) ?? [0, 0, 0],
    near: rgbOf(C.ground_top), nearer: rgbOf(C.ground_bottom), tile: rgbOf(C.ground_line), shade: rgbOf(C.shadow), bright: [1, 1, 1], dark: rgbOf(C.shadow),
    spot: [...spot.map((v, k) => (v + offset[k]) / step), step / reach], shadows: 1 });
  drawNet(gpu, relief ? gpu.field : isRough() ? gpu.roughFlat : gpu.flat);
}

/* A place of the picture to draw into: that of the other canvas, as it is moved. */
function beginView({ gl }) {
  const { e, f } = g.getTransform(), box = [e, canvas.height - f - height, width, height].map(v => Math.round(v * fineness()));
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  gl.viewport(...box);
  gl.scissor(...box);
  gl.enable(gl.SCISSOR_TEST);
  gl.clear(gl.DEPTH_BUFFER_BIT);
}

/* Nothing is in the picture. */
function clearPicture() {
  const gpu = made?.gpu, { gl } = gpu ?? {};
  g.clearRect(0, 0, canvas.width, canvas.height);
  if (!gl) return;
  const [w, h] = [canvas.width, canvas.height].map(v => Math.round(v * fineness()));
  if (gl.canvas.width !== w || gl.canvas.height !== h) Object.assign(gl.canvas, { width: w, height: h });
  gl.clearColor(0, 0, 0, 0);
  gl.clear(gl.COLOR_BUFFER_BIT);
}

/* Draws what is in space: sky, ground, solids, bodies, trail and ring. */
function drawSpace(gpu, eye, edge) {
  const { gl } = gpu, poses = posesAt(time), origin = [camera.x, camera.y, eye.z0], solid = [...limbsNow(poses), ...solidLimbs()];
  const ghosts = ghostLimbs().map(limb => ({ ...limb, parent: limb.parent < 0 ? -1 : limb.parent + solid.length }));
  const limbs = [...solid, ...ghosts].slice(0, LIMBS_MOST), casters = Math.min(solid.length, LIMBS_MOST), size = Math.max(creature.width, creature.height);
  const body = minus([0, 1, 2].map(k => at(k, time)), origin), level = creature.ground ? groundPlane().at[1] - origin[1] : -1e6, lift = Math.max(body[1] - level, 0);
  const lens = lensOf(eye), sunLens = sunLensOf(body, 1.3 * size);
  const reach = 1.6 * size + 0.9 * lift + (creature.solids.length ? 2 * size : 0);
  const spot = [0, 2].map(k => body[k] - SUN[k] / SUN[1] * lift / 2);
  sendLimbs(gpu, limbs, origin);
  gl.disable(gl.SCISSOR_TEST);
  castSun(gpu, casters, sunLens);
  if (creature.ground) castShade(gpu, casters, level, spot, reach);
  beginView(gpu);
  [gpu.shade, gpu.sun].forEach(({ texture }, i) => {
    gl.activeTexture(gl.TEXTURE1 + i);
    gl.bindTexture(gl.TEXTURE_2D, texture);
  });
  drawSky(gpu, eye, edge);
  const shared = { eye: minus(eye.at, origin), far: eye.far, hazy: rgbOf(hazeColor()), level: creature.ground ? -origin[1] : -1e6 };
  const skin = { ...shared, lens, limbs: 0, sunlit: 2, sunLens, sun: SUN, up: upNow(poses[0]), size, shade: rgbOf(SHADE), pale: rgbOf(BELLY_COLOR) };
  gpu.skin({ ...skin, isNeck: false });
  drawNet(gpu, isRough() ? gpu.roughNet : gpu.net, limbs.length);
  gpu.skin({ isNeck: true });
  drawNet(gpu, isRough() ? gpu.roughNecks : gpu.necks, limbs.length);
  if (creature.ground) drawField(gpu, eye, lens, origin, edge, spot, reach, shared);
  if (creature.ring) drawRibbon(gpu, ringPoints(), origin, lens, C.contact, 0.9, 3 * ui);
  if (layers.trail) drawRibbon(gpu, trailNow(), origin, lens, C.trail, 0.55, 1.5 * ui);
  gl.disable(gl.SCISSOR_TEST);
}

/* Where the back of the first body is, which was up at the start. */
const upNow = q => q.axes.reduce((way, axis, k) => along(way, axis, pose(0, 0).axes[k][1]), [0, 0, 0]);
