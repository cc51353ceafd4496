/* Chromium without a screen, by its debugging pipe: real time, so that workers work. open() gives a page whose console and
 * requests are listed. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';

export async function browse(f) {
  const program = ['chromium', 'chromium-browser', 'google-chrome'].map(name => `/usr/bin/${name}`).find(existsSync);
  const home = await mkdtemp(`${tmpdir()}/browser-`);
  const child = spawn(program, ['--headless', '--no-sandbox', '--disable-gpu', '--enable-unsafe-swiftshader', '--force-device-scale-factor=1', '--remote-debugging-pipe',
    '--blink-settings=preferredColorScheme=1', `--user-data-dir=${home}`], { env: { ...process.env, HOME: home }, stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const waiting = new Map(), listeners = [];
  let count = 0, rest = '';
  child.stdio[4].on('data', data => {
    const messages = (rest + data).split('\0');
    rest = messages.pop();
    for (const message of messages.map(JSON.parse)) {
      const { yes, no } = waiting.get(message.id) ?? {};
      if (!yes) listeners.forEach(listener => listener(message));
      else if (message.error) no(new Error(message.error.message));
      else yes(message.result);
    }
  });
  const call = (method, params = {}, sessionId = undefined) => new Promise((yes, no) => {
    waiting.set(++count, { yes, no });
    child.stdio[3].write(JSON.stringify({ id: count, method, params, sessionId }) + '\0');
  });
  try {
    return await f((...words) => open(call, listeners, ...words));
  } finally {
    await Promise.race([call('Browser.close').catch(() => {}), new Promise(done => child.on('exit', done))]);
    await new Promise(done => child.exitCode !== null ? done() : child.on('exit', done));
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function open(call, listeners, url, { width = 1280, height = 800, mobile = false, before = '' } = {}) {
  const { targetId } = await call('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true });
  const page = { said: [], requests: [] };
  const send = (method, params) => call(method, params, sessionId);
  listeners.push(({ method, params, sessionId: from }) => {
    if (from !== sessionId) return;
    if (method === 'Runtime.consoleAPICalled') page.said.push(params.args.map(arg => arg.value).join(' '));
    if (method === 'Runtime.exceptionThrown') page.said.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    /* a browser without a graphics processor says so when it copies a picture by WebGL */
    if (method === 'Log.entryAdded' && !/GL Driver Message/.test(params.entry.text)) page.said.push(params.entry.text);
    if (method === 'Network.requestWillBeSent' && !/^(data|blob):/.test(params.request.url)) page.requests.push(params.request.url);
  });
  for (const domain of ['Runtime', 'Log', 'Network', 'Page']) await send(`${domain}.enable`);
  await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile });
  if (mobile) await send('Emulation.setTouchEmulationEnabled', { enabled: true });
  if (before) await send('Page.addScriptToEvaluateOnNewDocument', { source: before });
  await send('Page.navigate', { url });
  page.send = send;
  /* The value of an expression, which may be a promise. */
  page.run = async expression => {
    const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true, userGesture: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  page.until = async (expression, seconds = 60) => {
    for (const end = Date.now() + 1000 * seconds; Date.now() < end; await new Promise(done => setTimeout(done, 50)))
      if (await page.run(expression).catch(() => false)) return;
    throw new Error(`waited in vain: ${expression}; ${page.said.join('; ')}`);
  };
  page.shoot = async file => writeFile(file, Buffer.from((await send('Page.captureScreenshot')).data, 'base64'));
  page.drag = async (x, y, dx, dy) => {
    const send1 = (type, px, py) => send('Input.dispatchMouseEvent', { type, x: px, y: py, button: 'left', buttons: 1, clickCount: 1 });
    await send1('mousePressed', x, y);
    for (let k = 1; k <= 4; k++) await send1('mouseMoved', x + dx * k / 4, y + dy * k / 4);
    await send1('mouseReleased', x + dx, y + dy);
  };
  return page;
}
