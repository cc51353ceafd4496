/* Firefox without a screen, by WebDriver BiDi over a WebSocket that is spoken here. browse() gives pages as browser.mjs does. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';

export const firefox = ['firefox-esr', 'firefox'].map(name => `/usr/bin/${name}`).find(existsSync);

const SETTINGS = { 'browser.shell.checkDefaultBrowser': false, 'datareporting.policy.dataSubmissionEnabled': false,
  'toolkit.telemetry.reportingpolicy.firstRun': false, 'browser.startup.homepage_override.mstone': 'ignore', 'app.update.disabledForTesting': true };

/* A text as a frame of a client, which is masked; lengths of servers' frames are read below. */
function frameOf(text) {
  const bytes = Buffer.from(text), head = Buffer.alloc(14), mask = randomBytes(4);
  const long = bytes.length > 65535 ? 8 : bytes.length > 125 ? 2 : 0;
  head[0] = 0x81;
  head[1] = 0x80 | (long === 8 ? 127 : long === 2 ? 126 : bytes.length);
  if (long === 8) head.writeBigUInt64BE(BigInt(bytes.length), 2);
  else if (long) head.writeUInt16BE(bytes.length, 2);
  return Buffer.concat([head.subarray(0, 2 + long), mask, bytes.map((byte, i) => byte ^ mask[i & 3])]);
}

/* Calls heard() with every whole text that the socket brings. */
function hearFrames(socket, heard, rest) {
  let parts = [];
  const read = () => {
    while (rest.length >= 2) {
      const short = rest[1] & 127, head = short === 127 ? 10 : short === 126 ? 4 : 2;
      if (rest.length < head) return;
      const length = short === 127 ? Number(rest.readBigUInt64BE(2)) : short === 126 ? rest.readUInt16BE(2) : short;
      if (rest.length < head + length) return;
      const first = rest[0];
      if ((first & 15) <= 1) parts.push(rest.subarray(head, head + length));
      rest = rest.subarray(head + length);
      if (!(first & 0x80) || (first & 15) > 1) continue;
      heard(Buffer.concat(parts).toString());
      parts = [];
    }
  };
  socket.on('data', data => {
    rest = Buffer.concat([rest, data]);
    read();
  });
  read();
}

const connect = url => new Promise((yes, no) => {
  const call = request(url.replace('ws:', 'http:'), { headers: { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': 13,
    'Sec-WebSocket-Key': randomBytes(16).toString('base64') } });
  call.on('upgrade', (_, socket, head) => yes([socket, head]));
  call.on('error', no);
  call.end();
});

/* The address that the browser says on its standard error. */
const addressOf = child => new Promise((yes, no) => {
  let said = '';
  child.stderr.on('data', data => {
    said += data;
    const found = said.match(/WebDriver BiDi listening on (ws:\S+)/);
    if (found) yes(`${found[1]}/session`);
  });
  child.on('exit', () => no(new Error(`the browser ended: ${said.slice(-500)}`)));
});

export async function browse(f) {
  const home = await mkdtemp(`${tmpdir()}/browser-`);
  await writeFile(`${home}/user.js`, Object.entries(SETTINGS).map(([key, value]) => `user_pref("${key}", ${JSON.stringify(value)});\n`).join(''));
  const child = spawn(firefox, ['--headless', '--no-remote', '--profile', home, '--remote-debugging-port', '0'],
    { env: { ...process.env, HOME: home }, stdio: ['ignore', 'ignore', 'pipe'] });
  const gone = new Promise(done => child.on('exit', done)), waiting = new Map(), listeners = [];
  let count = 0;
  try {
    const [socket, head] = await connect(await addressOf(child));
    socket.on('error', () => {});
    hearFrames(socket, text => {
      const message = JSON.parse(text), { yes, no } = waiting.get(message.id) ?? {};
      if (!yes) listeners.forEach(listener => listener(message));
      else if (message.type === 'error') no(new Error(message.message));
      else yes(message.result);
    }, head);
    const call = (method, params = {}) => new Promise((yes, no) => {
      waiting.set(++count, { yes, no });
      socket.write(frameOf(JSON.stringify({ id: count, method, params })));
    });
    await call('session.new', { capabilities: {} });
    await call('session.subscribe', { events: ['log.entryAdded', 'network.beforeRequestSent'] });
    return await f((...words) => open(call, listeners, ...words));
  } finally {
    child.kill();
    await gone;
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function open(call, listeners, url, { width = 1280, height = 800 } = {}) {
  const { context } = await call('browsingContext.create', { type: 'tab' });
  const page = { said: [], requests: [] };
  listeners.push(({ method, params }) => {
    if (method === 'log.entryAdded' && params.source.context === context) page.said.push(params.text);
    if (method === 'network.beforeRequestSent' && params.context === context && !/^(data|blob):/.test(params.request.url)) page.requests.push(params.request.url);
  });
  await call('browsingContext.setViewport', { context, viewport: { width, height } });
  await call('browsingContext.navigate', { context, url, wait: 'complete' });
  /* The value of an expression, which may be a promise: of JSON, since the protocol has types of its own. */
  page.run = async expression => {
    const { type, result, exceptionDetails } = await call('script.evaluate', { target: { context }, awaitPromise: true, userActivation: true,
      expression: `(async () => JSON.stringify((await (0, eval)(${JSON.stringify(expression)})) ?? null))()` });
    if (type === 'exception') throw new Error(exceptionDetails.text);
    return JSON.parse(result.value);
  };
  page.until = async (expression, seconds = 60) => {
    for (const end = Date.now() + 1000 * seconds; Date.now() < end; await new Promise(done => setTimeout(done, 50)))
      if (await page.run(expression).catch(() => false)) return;
    throw new Error(`waited in vain: ${expression}; ${page.said.join('; ')}`);
  };
  page.shoot = async file => writeFile(file, Buffer.from((await call('browsingContext.captureScreenshot', { context })).data, 'base64'));
  return page;
}
