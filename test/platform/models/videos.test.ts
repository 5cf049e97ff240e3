// Videos: a real MP4 at a local address, as long and as large as was asked for.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isFull, itFull } from '../../support/campaign.js';
import { tempDir } from '../../support/command.js';
import { call, startWorld } from '../../support/emulator.js';

const path = '/api/v1/generate-video';
const prompt = 'Waves at a lighthouse';

/** The boxes of a file by their names, those inside others after a slash. */
function boxesOf(file: Buffer, prefix = ''): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (let at = 0; at < file.length; ) {
    const [size, type] = [file.readUInt32BE(at), prefix + file.toString('latin1', at + 4, at + 8)];
    if (size < 8 || at + size > file.length) throw new Error(`box ${type} of ${size} bytes at ${at}`);
    const content = file.subarray(at + 8, at + size);
    found.set(type, content);
    if (/(moov|trak|mdia|minf|stbl)$/.test(type)) for (const [k, v] of boxesOf(content, `${type}/`)) found.set(k, v);
    at += size;
  }
  return found;
}

/** The output of ffprobe, with its complaints; undefined where there is none. The quick run probes the shortest video. */
function probe(file: Buffer): string | undefined {
  const folder = tempDir();
  try {
    writeFileSync(join(folder, 'v.mp4'), file);
    const fields = 'stream=codec_name,width,height,nb_read_frames,duration';
    const args = ['-v', 'warning', '-count_frames', '-show_entries', fields, '-of', 'csv=p=0', join(folder, 'v.mp4')];
    return execFileSync('ffprobe', args, { stdio: ['ignore', 'pipe', 'inherit'] })
      .toString()
      .trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

describe('a video', () => {
  it.each([
    [{}, 1280, 720, 8],
    [{ duration: '5s', resolution: '1080p' }, 1920, 1080, 5],
    [{ duration: 1, aspect_ratio: '9:16' }, 720, 1280, 1],
    [{ duration: '60', resolution: '480p', aspectRatio: '1:1' }, 480, 480, 60],
  ])('is what was asked for (%j)', async (more, width, height, seconds) => {
    const world = await startWorld();
    const { video } = (await call(world, 'POST', path, { prompt, ...more })).body;
    expect(video).toMatchObject({ content_type: 'video/mp4', width, height, duration: seconds });
    const response = await fetch(video.url);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'video/mp4']);
    const file = Buffer.from(await response.arrayBuffer());
    expect(file.length).toBe(video.file_size);
    expect(file.length).toBeLessThan(30_000);

    const boxes = boxesOf(file);
    expect([...boxes.keys()].filter((name) => !name.includes('/'))).toEqual(['ftyp', 'moov', 'free', 'mdat']);
    const header = boxes.get('moov/mvhd') as Buffer;
    expect(header.readUInt32BE(16) / header.readUInt32BE(12)).toBe(seconds);
    const sizes = boxes.get('moov/trak/mdia/minf/stbl/stsz') as Buffer;
    const total = Array.from({ length: sizes.readUInt32BE(8) }, (_, i) => sizes.readUInt32BE(12 + i * 4));
    expect(total.reduce((sum, size) => sum + size, 0)).toBe(boxes.get('mdat')?.length);
    const told = isFull || seconds === 1 ? probe(file) : undefined;
    if (told !== undefined) expect(told).toBe(`h264,${width},${height},${seconds}.000000,24`);
  });

  itFull('has a file of every size, whose frames are of that size', async () => {
    const world = await startWorld();
    const sizes = [];
    for (const resolution of ['480p', '720p', '1080p'])
      for (const aspect_ratio of ['16:9', '9:16', '1:1', '4:3', '3:4']) {
        // The limit of requests does not matter here.
        await world.controls.clock.advance('5m');
        const { video } = (await call(world, 'POST', path, { prompt, resolution, aspect_ratio })).body;
        const file = Buffer.from(await (await fetch(video.url)).arrayBuffer());
        const entry = (boxesOf(file).get('moov/trak/mdia/minf/stbl/stsd') as Buffer).subarray(16);
        sizes.push(`${video.width}x${video.height}`);
        expect(`${entry.readUInt16BE(24)}x${entry.readUInt16BE(26)}`).toBe(sizes.at(-1));
        const told = isFull ? probe(file) : undefined;
        if (told !== undefined) expect(told).toBe(`h264,${video.width},${video.height},8.000000,24`);
      }
    expect(new Set(sizes).size).toBe(15);
  });

  it('costs half a credit, and is the same again', async () => {
    const world = await startWorld();
    const [one, two] = [await call(world, 'POST', path, { prompt }), await call(world, 'POST', path, { prompt })];
    expect(one.body.video).toEqual(two.body.video);
    expect(world.controls.ledger().at(-1)).toMatchObject({ amount: -0.5, operation: 'videos.generate' });
  });

  it.each([
    [{}, 'prompt'],
    [{ prompt, duration: 61 }, 'duration'],
    [{ prompt, duration: '0s' }, 'duration'],
    [{ prompt, aspect_ratio: '5:4' }, 'aspect_ratio'],
    [{ prompt, resolution: '8k' }, 'resolution'],
    [{ prompt, model: 'gpt-4o' }, 'model'],
  ])('is refused where it is wrong (%#)', async (body, field) => {
    const answer = await call(await startWorld(), 'POST', path, body);
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, field]);
  });
});
