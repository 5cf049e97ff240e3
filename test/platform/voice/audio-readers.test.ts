// Reading audio that was damaged on purpose: never an exception, never a wait, never a duration out of all reason.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flacDuration } from '../../../src/platform/voice/audio/flac.js';
import { audioFormats, formatOf, inspectAudio } from '../../../src/platform/voice/audio/inspect.js';
import { m4aDuration } from '../../../src/platform/voice/audio/m4a.js';
import { mp3Duration } from '../../../src/platform/voice/audio/mp3.js';
import { oggDuration } from '../../../src/platform/voice/audio/ogg.js';
import { type Source, withSource } from '../../../src/platform/voice/audio/source.js';
import { wavDuration } from '../../../src/platform/voice/audio/wav.js';
import { webmDuration } from '../../../src/platform/voice/audio/webm.js';
import { itFull, runsOf } from '../../support/campaign.js';
import { tempDir } from '../../support/command.js';

const folder = new URL('../../../fixtures/audio/', import.meta.url);
const dir = tempDir();

let number = 0;
function fileOf(content: Buffer): string {
  const path = join(dir, String(number++ % 20));
  writeFileSync(path, content);
  return path;
}

const readers = {
  mp3: mp3Duration,
  wav: wavDuration,
  ogg: oggDuration,
  webm: webmDuration,
  m4a: m4aDuration,
  flac: flacDuration,
};

/** The work of reading a file: how often its reader asks for bytes, and how many it gets. */
async function workOn(path: string): Promise<number> {
  let work = 0;
  await withSource(path, async (source) => {
    const counted: Source = {
      size: source.size,
      async bytes(at, length) {
        const bytes = await source.bytes(at, length);
        work += 1 + bytes.length;
        return bytes;
      },
    };
    const format = await formatOf(counted);
    if (format !== undefined) await readers[format](counted);
  });
  return work;
}

const oddBytes = fc.constantFrom(0, 1, 0x7f, 0x80, 0xff);

it.each(readdirSync(folder))('reading %s that was damaged neither fails nor waits', async (name) => {
  const whole = readFileSync(new URL(name, folder));
  const changes = fc.array(fc.tuple(fc.nat(1_999), fc.oneof(oddBytes, fc.nat(255))), { maxLength: 12 });
  const property = fc.asyncProperty(changes, fc.nat(whole.length), fc.boolean(), async (edits, length, cut) => {
    const content = Buffer.from(cut ? whole.subarray(0, length) : whole);
    for (const [at, value] of edits) if (at < content.length) content[at] = value;
    const path = fileOf(content);
    const result = await inspectAudio(path);
    expect(await workOn(path)).toBeLessThan(10 * content.length + 100_000);
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
  const repeat = (count: number, bytes: Buffer): Buffer => Buffer.alloc(count * bytes.length, bytes);
  itFull.each<[string, (count: number) => Buffer]>([
    ['frames and junk in turn', (count) => repeat(5_000 * count, Buffer.concat([frame, Buffer.from([255])]))],
    ['nothing but sync bytes', (count) => Buffer.concat([id3, Buffer.alloc(1_250_000 * count, 255)])],
    ['many tags', (count) => Buffer.concat([repeat(50_000 * count, id3), tiny])],
    ['boxes without a size', (count) => Buffer.concat([box('ftyp', 8), repeat(50_000 * count, box('free', 8))])],
    [
      'boxes that end before they begin',
      (count) => Buffer.concat([box('ftyp', 8), box('moov', 8), repeat(50_000 * count, box('mvhd', 3))]),
    ],
    ['boxes within boxes', (count) => Buffer.concat([box('ftyp', 8), repeat(50_000 * count, box('moov', 8))])],
    [
      'elements of no length',
      (count) => Buffer.concat([Buffer.from('1a45dfa380', 'hex'), repeat(100_000 * count, Buffer.from('ec80', 'hex'))]),
    ],
    [
      'pages of another stream',
      (count) => repeat(40_000 * count, Buffer.from('OggS\0\x02aaaaaaaabbbbccccdddd\0', 'latin1')),
    ],
    [
      'chunks of no length',
      (count) => Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE'), repeat(125_000 * count, Buffer.from('junk\0\0\0\0'))]),
    ],
    [
      'a FLAC file of headers',
      (count) =>
        Buffer.concat([
          Buffer.from('fLaC'),
          Buffer.alloc(38, 1),
          repeat(42_000 * count, Buffer.from('fff8c9180000', 'hex')),
        ]),
    ],
  ])('%s: the work grows in proportion to the length', async (_, contentOf) => {
    const [short, long] = [await workOn(fileOf(contentOf(1))), await workOn(fileOf(contentOf(4)))];
    expect(short).toBeGreaterThan(0);
    expect(long).toBeLessThan(5 * short + 100_000);
  });
});
