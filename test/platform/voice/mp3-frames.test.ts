// MP3 made by hand: the sizes of frames, and the tag around them.

import { expect, it } from 'vitest';
import {
  bytesOf,
  frameBytes,
  framesOf,
  isPadded,
  makeFrame,
  makeInfoFrame,
  silence,
  speak,
} from '../../../src/platform/voice/mp3/speak.js';
import { makeTag, readSpokenText, tagBytes } from '../../../src/platform/voice/mp3/tag.js';

it('the frame of one spectral line is made as the format has it', () => {
  const tone = { lines: [40], gain: 198 };
  const hex = makeFrame(tone, tone).toString('hex');
  expect(hex.slice(0, 42)).toBe('fffb90c4000000b4018c0000000816803180000001');
  // Ten groups of four silent lines, then one whose first line sounds, and its sign: 45 bits, twice.
  expect(hex.slice(42)).toBe('ffffffffff77fffffffffb80'.padEnd(frameBytes * 2 - 42, '0'));
  expect(makeFrame(silence, silence).subarray(0, 4).toString('hex')).toBe('fffb90c4');
  expect(makeFrame(silence, silence)).toHaveLength(frameBytes);
});

it('frames of MP3 are padded so that they make 128 kbps', () => {
  let bytes = 0;
  for (let i = 0; i < 10_000; i++) {
    expect(bytes).toBe(bytesOf(i));
    bytes += frameBytes + (isPadded(i) ? 1 : 0);
  }
  expect(bytes).toBe(Math.floor((10_000 * 144 * 128_000) / 44_100));
});

it('the first frame of MP3 reports the frames and bytes of the stream', async () => {
  const file = await speak({ text: 'Hello, world', voice: 'v', model: 'm', pitch: 5 });
  const stream = file.subarray(tagBytes(file));
  expect(stream.toString('latin1', 21, 25)).toBe('Info');
  expect(stream.readUInt32BE(29)).toBe(framesOf('Hello, world'));
  expect(stream.readUInt32BE(33)).toBe(stream.length);
  let frames = 0;
  for (let at = 0; at < stream.length; at += frameBytes + ((stream[at + 2] ?? 0) & 2 ? 1 : 0)) {
    expect(stream.subarray(at, at + 2).toString('hex')).toBe('fffb');
    frames++;
  }
  expect(frames).toBe(framesOf('Hello, world') + 1);
  expect(makeInfoFrame(1, 2)).toHaveLength(frameBytes);
});

it.each(['x', 'Grüße 東京 😀', 'a\u0000b', '\ud83d', ' ', 'x'.repeat(5_000), 'line\nline'])(
  'the tag of MP3 keeps any text (%#)',
  (text) => {
    const tag = makeTag({ text, voice: 'Sarah', model: 'm' });
    expect(tagBytes(tag)).toBe(tag.length);
    expect(readSpokenText(tag)).toBe(text);
  },
);

it('no text is read of MP3 files that were not made here, or whose tag is damaged', () => {
  const tag = makeTag({ text: 'Hello', voice: 'Sarah', model: 'm' });
  const foreign = Buffer.from(tag.toString('latin1').replaceAll('c\0l\0o\0u\0d', 'C\0L\0O\0U\0D'), 'latin1');
  expect(readSpokenText(foreign)).toBeUndefined();
  expect(readSpokenText(tag.subarray(0, 30))).toBeUndefined();
  for (let at = 0; at < tag.length; at++) {
    const damaged = Buffer.from(tag);
    damaged[at] = 0xff;
    expect(() => readSpokenText(damaged)).not.toThrow();
  }
});
