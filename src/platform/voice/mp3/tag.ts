// The ID3 tag of spoken files: written with the spoken text, read again from uploads.

/** The content of a spoken file's tag. */
export interface SpokenTag {
  text: string;
  voice: string;
  model: string;
}

const headerBytes = 10;
const mark = 'cloudemu';
const titleLength = 60;
/** Tags are read up to this size: the longest text takes 20 KB. */
export const maxTagBytes = 64 * 1_024;

/** An ID3v2.3 tag; texts are UTF-16, so that any text survives. */
export function makeTag({ text, voice, model }: SpokenTag): Buffer {
  const frames: Frame[] = [
    { id: 'TIT2', content: plain(titleOf(text)) },
    { id: 'TPE1', content: plain(voice) },
    { id: 'TSSE', content: plain(mark) },
    { id: 'TXXX', content: described(mark, 'speech') },
    { id: 'TXXX', content: described('model', model) },
    { id: 'USLT', language: 'eng', content: described('', text) },
  ];
  const total = frames.reduce((sum, frame) => sum + headerBytes + sizeOf(frame), 0);
  // Written in place: put together of buffers, a tag takes a tenth of a short speech.
  const tag = Buffer.alloc(headerBytes + total);
  tag.write('ID3\x03', 'latin1');
  for (let i = 0; i < 4; i++) tag[6 + i] = (total >> (7 * (3 - i))) & 0x7f;
  let at = headerBytes;
  for (const frame of frames) {
    const { id, language = '', content } = frame;
    tag.write(id, at, 'latin1');
    tag.writeUInt32BE(sizeOf(frame), at + 4);
    at += headerBytes;
    tag[at++] = utf16;
    at += tag.write(language, at, 'latin1');
    at += tag.write(content, at, 'utf16le');
  }
  return tag;
}

/** A frame of a tag: the language stands before the content, in a byte a letter. */
interface Frame {
  id: string;
  language?: string;
  content: string;
}

/**
 * The text in the tag at the start of a file that this emulator made, or undefined.
 *
 * @param head the file's first bytes, at least the whole tag
 */
export function readSpokenText(head: Buffer): string | undefined {
  if (tagBytes(head) === 0) return undefined;
  const version = head[3] ?? 0;
  const end = Math.min(head.length, tagBytes(head));
  let isOurs = false;
  let text: string | undefined;
  for (let at = headerBytes; at + headerBytes <= end; ) {
    const id = head.toString('latin1', at, at + 4);
    const size = version >= 4 ? readSynchsafe(head, at + 4) : head.readUInt32BE(at + 4);
    const content = head.subarray(at + headerBytes, Math.min(end, at + headerBytes + size));
    if (!/^[A-Z0-9]{4}$/.test(id)) break;
    const [name, value] = id === 'TXXX' ? textsIn(content, 1) : id === 'USLT' ? textsIn(content, 4) : [];
    isOurs ||= name === mark;
    // Programs that rewrite the tag (ffmpeg) store the text in another frame.
    if (id === 'USLT') text = value;
    else if (name?.startsWith('lyrics') === true) text ??= value?.replace(/\0$/, '');
    at += headerBytes + size;
  }
  return isOurs ? text : undefined;
}

/** The length of the ID3v2 tag at the start, in bytes; 0 without a tag. */
export function tagBytes(head: Buffer): number {
  if (head.length < headerBytes || head.toString('latin1', 0, 3) !== 'ID3') return 0;
  const footer = ((head[5] ?? 0) & 16) !== 0 ? headerBytes : 0;
  return headerBytes + readSynchsafe(head, 6) + footer;
}

function titleOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const letters = [...line];
  return letters.length <= titleLength ? line : `${letters.slice(0, titleLength - 1).join('')}…`;
}

/** The number of the encoding in a frame. */
const utf16 = 1;
const byteOrder = '\ufeff';

function sizeOf({ language = '', content }: Frame): number {
  return 1 + language.length + 2 * content.length;
}

function plain(text: string): string {
  return byteOrder + text.replaceAll('\0', ' ');
}

function described(description: string, value: string): string {
  return `${byteOrder}${description}\0${byteOrder}${value}`;
}

function readSynchsafe(source: Buffer, at: number): number {
  return [0, 1, 2, 3].reduce((value, i) => (value << 7) | ((source[at + i] ?? 0) & 0x7f), 0);
}

// A description, and the text after it, in one of the four encodings.
function textsIn(content: Buffer, start: number): [description: string, text: string] | [] {
  const encoding = content[0] ?? 0;
  const wide = encoding === 1 || encoding === 2;
  const rest = content.subarray(start);
  const end = wide ? wideEnd(rest) : rest.indexOf(0);
  if (end === -1) return [];
  const read = (bytes: Buffer): string => decode(bytes, encoding);
  return [read(rest.subarray(0, end)), read(rest.subarray(end + (wide ? 2 : 1)))];
}

function wideEnd(bytes: Buffer): number {
  for (let at = 0; at + 1 < bytes.length; at += 2) if (bytes[at] === 0 && bytes[at + 1] === 0) return at;
  return -1;
}

function decode(bytes: Buffer, encoding: number): string {
  if (encoding === 0) return bytes.toString('latin1');
  if (encoding === 3) return bytes.toString('utf8');
  const bigEndian = encoding === 2 || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const hasMark = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const even = bytes.subarray(hasMark ? 2 : 0);
  const text = even.subarray(0, even.length - (even.length % 2));
  return bigEndian ? Buffer.from(text).swap16().toString('utf16le') : text.toString('utf16le');
}
