/* ---- sound, as in films: a tone for each call of a creature, a thud for each blow ---- */

const CALL_S = 0.015, THUD_S = 0.05, THUD_PITCH = 1.5, THUD_GAIN = 4, CALL_GAIN = 0.3;
let audio = null, heard = 0;

function makeVoice(hz, hiss) {
  const tone = audio.createOscillator(), noise = audio.createBufferSource(), low = audio.createBiquadFilter();
  const call = audio.createGain(), thud = audio.createGain();
  tone.setPeriodicWave(audio.createPeriodicWave(new Float32Array(3), new Float32Array([0, 1, 0.3]), { disableNormalization: true }));
  tone.frequency.value = hz;
  noise.buffer = hiss;
  noise.loop = true;
  low.frequency.value = THUD_PITCH * hz;
  call.gain.value = thud.gain.value = 0;
  tone.connect(call).connect(audio.destination);
  noise.connect(low).connect(thud).connect(audio.destination);
  tone.start();
  noise.start();
  return { call: call.gain, thud: thud.gain, left: 0 };
}

/* A browser lets a page be heard only after a key or a button was pressed. */
function setSound(on) {
  if (on && !audio) {
    audio = new AudioContext();
    const hiss = audio.createBuffer(1, audio.sampleRate, audio.sampleRate), samples = hiss.getChannelData(0);
    for (let i = 0, state = 1; i < samples.length; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      samples[i] = state / 2147483648 - 1;
    }
    for (const c of DATA.creatures) c.heard = c.voices.map(hz => makeVoice(hz, hiss));
  }
  if (audio) audio[on ? 'resume' : 'suspend']();
  find('sound').setAttribute('aria-pressed', String(on));
}

/* Plays the sounds that the creatures in the picture made in the last dt seconds. */
function hear(dt) {
  if (!audio || audio.state !== 'running') return;
  const from = Math.min(heard, time), chosen = creature;
  heard = time;
  each(c => c.heard.forEach((voice, i) => {
    const is = playing && c.values && (race || c === chosen) && time <= (c.frames - 1) / DATA.hz;
    const first = c.values ? c.values.length - 2 * (c.voices.length - i) : 0;
    let blow = 0;
    for (let t = Math.max(from, time - 0.5); is && t <= time; t += 1 / DATA.hz)
      blow = Math.max(blow, step(first + 1, t), step(first + 1, time));
    voice.left = Math.max(voice.left * Math.exp(-dt / THUD_S), blow);
    voice.thud.setTargetAtTime(THUD_GAIN * voice.left, audio.currentTime, 0.003);
    voice.call.setTargetAtTime(is ? CALL_GAIN * step(first, time) : 0, audio.currentTime, CALL_S);
  }));
}
