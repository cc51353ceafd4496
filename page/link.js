/* ---- links: #c=1. and the bytes of creature_link.h, deflated, in base64url ---- */

const LINK_MOST = 1 << 18, PREFIX = '#c=1.';

async function through(bytes, stream, most) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(), pieces = [];
  let length = 0;
  for (let step; !(step = await reader.read()).done;) {
    pieces.push(step.value);
    length += step.value.length;
    if (length > most) {
      await reader.cancel();
      throw new Error('it is too long');
    }
  }
  const whole = new Uint8Array(length);
  for (let at = 0; pieces.length; at += pieces.shift().length) whole.set(pieces[0], at);
  return whole;
}

export async function linkOf(bytes) {
  const packed = await through(bytes, new CompressionStream('deflate-raw'), LINK_MOST);
  return PREFIX + btoa(String.fromCharCode(...packed)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/* The content of a link. An Error says in one line why a link has none. */
export async function bytesOfLink(link) {
  if (!link.startsWith(PREFIX)) throw new Error('This link is of a later version of Bestiary.');
  try {
    const text = link.slice(PREFIX.length);
    if (text.length > LINK_MOST) throw new Error('it is too long');
    if (!/^[\w-]+$/.test(text)) throw new Error('it is cut off, or has other characters');
    const packed = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), c => c.charCodeAt(0));
    return await through(packed, new DecompressionStream('deflate-raw'), LINK_MOST);
  } catch (error) {
    throw new Error(`This link is damaged: ${error.message || 'it cannot be unpacked'}.`);
  }
}
