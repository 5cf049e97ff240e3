// Decodes uploaded texts: in the encoding that they name, in UTF-8, or in the one that their bytes can only be.

import { isUtf8 } from 'node:buffer';

/** A text, or the reason why there is none. */
export type Decoded = { text: string } | { problem: string };

const headBytes = 4_096;

/**
 * The text of a file.
 *
 * @param declaredIn how its beginning may name its encoding
 */
export function decode(bytes: Buffer, declaredIn?: 'html' | 'xml'): Decoded {
  const marked = byMark(bytes);
  if (marked !== undefined) return decodeAs(marked, bytes) ?? damaged(marked);
  const wide = byZeros(bytes);
  if (wide !== undefined) return decodeAs(wide, bytes) ?? damaged(wide);
  const declared = declaredIn === undefined ? undefined : declaration(bytes, declaredIn);
  // Many pages name another encoding than that of their text: what is UTF-8 by chance has no other letters than ASCII.
  if (isUtf8(bytes) && !isEscaped(declared)) return { text: bytes.toString('utf8') };
  if (declared !== undefined && declared !== 'utf-8') {
    const label = labelOf(declared);
    if (label === undefined) return { problem: `names an encoding that does not exist: ${declared.slice(0, 40)}` };
    return decodeAs(label, bytes) ?? damaged(label);
  }
  const guessed = guess(bytes);
  if (guessed !== undefined) return guessed;
  return { problem: 'is not UTF-8, and its encoding cannot be told: save it as UTF-8' };
}

function damaged(label: string): Decoded {
  return { problem: `is damaged: its bytes are not all ${label}` };
}

function decodeAs(label: string, bytes: Buffer): { text: string } | undefined {
  // Node 20 takes this encoding for Latin-1.
  if (label === western)
    return {
      text: bytes
        .toString('latin1')
        .replace(/[\x80-\x9f]/g, (character) => westernMarks[character.charCodeAt(0) - 0x80] ?? character),
    };
  try {
    return { text: new TextDecoder(label, { fatal: true }).decode(bytes) };
  } catch {
    return undefined;
  }
}

const western = 'windows-1252';
/** Its characters from 0x80 to 0x9f. */
const westernMarks = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

function labelOf(name: string): string | undefined {
  try {
    // A text that can name its encoding in ASCII is not in UTF-16.
    const label = new TextDecoder(name).encoding;
    return label.startsWith('utf-16') ? 'utf-8' : label;
  } catch {
    return undefined;
  }
}

// ISO-2022-JP writes its letters in ASCII.
function isEscaped(declared: string | undefined): boolean {
  return declared !== undefined && labelOf(declared) === 'iso-2022-jp';
}

function byMark(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
}

// Spaces and ends of lines have a byte that is 0 in UTF-16, always on the same side; other texts have none, or one by mistake.
function byZeros(bytes: Buffer): string | undefined {
  const head = bytes.subarray(0, headBytes);
  const zeros = [0, 0];
  for (let i = 0; i < head.length; i++) if (head[i] === 0) zeros[i % 2] = (zeros[i % 2] ?? 0) + 1;
  const [first = 0, second = 0] = zeros;
  if (bytes.length % 2 !== 0 || first + second < head.length / 100) return undefined;
  // Letters of UTF-16 are half zeros, or hold control characters, or are no UTF-8.
  const isMistake = first + second < head.length / 4 && !/[\x01-\x08\x0e-\x1f]/.test(head.toString('latin1'));
  if (isMistake && isUtf8(bytes)) return undefined;
  if (first === 0) return 'utf-16le';
  return second === 0 ? 'utf-16be' : undefined;
}

function declaration(bytes: Buffer, place: 'html' | 'xml'): string | undefined {
  const head = bytes.toString('latin1', 0, headBytes);
  const xml = /^\s*<\?xml\s[^>]{0,200}?\bencoding\s*=\s*["']([\w.:-]{1,40})/i.exec(head)?.[1];
  const found =
    xml ??
    (place === 'html' ? /<meta\s[^>]{0,400}?\bcharset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(head)?.[1] : undefined);
  return found?.toLowerCase();
}

/** The share of kana among the letters beyond ASCII of a Japanese text. */
const leastKana = 0.2;

function guess(bytes: Buffer): { text: string } | undefined {
  for (const label of ['shift_jis', 'euc-jp']) {
    const decoded = decodeAs(label, bytes);
    if (decoded !== undefined && isJapanese(decoded.text)) return decoded;
  }
  const decoded = decodeAs(western, bytes);
  return decoded !== undefined && isWestern(decoded.text) ? decoded : undefined;
}

function isJapanese(text: string): boolean {
  const kana = text.match(/[\u3041-\u3096\u30a1-\u30fc]/g)?.length ?? 0;
  const others = text.match(/[^\0-\x7f\u3000-\u303f]/g)?.length ?? 0;
  // Single bytes of half width kana are letters of other encodings.
  const narrow = text.match(/[\uff61-\uff9f]/g)?.length ?? 0;
  return kana >= 2 && kana >= others * leastKana && narrow <= kana / 4;
}

// Letters with accents stand between others, and marks by themselves: in other alphabets whole words are beyond ASCII.
function isWestern(text: string): boolean {
  if (/[\x80-\x9f]|[^\0-\x7f]{4}/.test(text)) return false;
  const high = text.match(/[^\0-\x7f]/g)?.length ?? 0;
  const letters = text.match(/[A-Za-z]/g)?.length ?? 0;
  const usual = text.match(/[À-ÖØ-öø-ÿŒœŠšŽžŸ€‘’‚“”„–—…•«»‹›°§©®™£¡¿·ªº´\u00a0]/g)?.length ?? 0;
  return usual === high && high <= letters;
}
