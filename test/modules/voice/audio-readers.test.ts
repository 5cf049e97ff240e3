// Reading audio that was damaged on purpose: never an exception, never a wait, never a duration out of all reason.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { audioFormats, inspectAudio } from '../../../src/modules/voice/audio/inspect.js';
import { runsOf } from '../../support/campaign.js';
import { tempDir } from '../../support/command.js';

const folder = new URL('../../../fixtures/audio/', import.meta.url);
const dir = tempDir();

let number = 0;
function inspect(content: Buffer) {
  const path = join(dir, String(number++ % 20));
  writeFileSync(path, content);
  return inspectAudio(path);
}

const oddBytes = fc.constantFrom(0, 1, 0x7f, 0x80, 0xff);

it.each(readdirSync(folder))('reading %s that was damaged neither fails nor waits', async (name) => {
  const whole = readFileSync(new URL(name, folder));
  const changes = fc.array(fc.tuple(fc.nat(1_999), fc.oneof(oddBytes, fc.nat(255))), { maxLength: 12 });
  const property = fc.asyncProperty(changes, fc.nat(whole.length), fc.boolean(), async (edits, length, cut) => {
    const content = Buffer.from(cut ? whole.subarray(0, length) : whole);
    for (const [at, value] of edits) if (at < content.length) content[at] = value;
    const started = performance.now();
    const result = await inspect(content);
    expect(performance.now() - started).toBeLessThan(20_000);
    if ('problem' in result) expect(result.problem).toMatch(/^(must|holds|is) /);
    else {
      expect(audioFormats).toContain(result.format);
      expect(result.durationMs).toBeGreaterThan(0);
      expect(result.durationMs).toBeLessThanOrEqual(360_000_000);
    }
  });
  await fc.assert(property, { numRuns: runsOf(150) });
});

describe('what is made to take for ever', () => {
  const [tiny, id3] = [readFileSync(new URL('voice.mp3', folder)), Buffer.from('ID3\x03\0\0\0\0\0\0', 'latin1')];
  const frame = Buffer.concat([Buffer.from('fffb10c4', 'hex'), Buffer.alloc(100)]);
  const box = (type: string, size: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32BE(size);
    bytes.write(type, 4);
    return bytes;
  };
  it.each<[string, Buffer]>([
    [
      'frames and junk in turn',
      Buffer.concat(Array.from({ length: 60_000 }, () => Buffer.concat([frame, Buffer.from([255])]))),
    ],
    ['nothing but sync bytes', Buffer.concat([id3, Buffer.alloc(5_000_000, 255)])],
    ['a million tags', Buffer.concat([Buffer.alloc(10_000_000, id3), tiny])],
    ['boxes without a size', Buffer.concat([box('ftyp', 8), ...Array.from({ length: 200_000 }, () => box('free', 8))])],
    ['a box that ends before it begins', Buffer.concat([box('ftyp', 8), box('moov', 8), box('mvhd', 3)])],
    ['boxes within boxes', Buffer.concat([box('ftyp', 8), ...Array.from({ length: 300_000 }, () => box('moov', 8))])],
    [
      'elements of no length',
      Buffer.concat([Buffer.from('1a45dfa380', 'hex'), Buffer.alloc(4_000_000, Buffer.from('ec80', 'hex'))]),
    ],
    ['pages of another stream', Buffer.alloc(4_000_000, Buffer.from('OggS\0\x02aaaaaaaabbbbccccdddd\0', 'latin1'))],
    [
      'chunks of no length',
      Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE'), Buffer.alloc(4_000_000, Buffer.from('junk\0\0\0\0'))]),
    ],
    [
      'a FLAC file of headers',
      Buffer.concat([
        Buffer.from('fLaC'),
        Buffer.alloc(38, 1),
        Buffer.alloc(1_000_000, Buffer.from('fff8c9180000', 'hex')),
      ]),
    ],
  ])('%s', async (_, content) => {
    const started = performance.now();
    await inspect(content);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
