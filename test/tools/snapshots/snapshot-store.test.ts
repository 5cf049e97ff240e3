// Snapshots as files: what is read, and what need not be read again.

import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createFileSnapshotStore } from '../../../src/tools/snapshots/snapshot-store.js';
import { tempDir } from '../../support/command.js';

const snapshot = (text: string) => ({
  name: 'before',
  takenAt: '2026-01-01T00:00:00.000Z',
  now: '2026-01-01T00:00:00.000Z',
  image: { bytes: Buffer.from(text), isChecked: false },
});

it('the snapshot store returns the image in memory, without unpacking and checking the file again', () => {
  const store = createFileSnapshotStore(join(tempDir(), 'snapshots'));
  const taken = snapshot('first');
  store.put(taken);
  expect(store.get('before')?.image).toBe(taken.image);
  const again = snapshot('second');
  store.put(again);
  expect(store.get('before')?.image).toBe(again.image);
});

it('the snapshot store reads the file again when another process has replaced it', () => {
  const dir = join(tempDir(), 'snapshots');
  const store = createFileSnapshotStore(dir);
  store.put(snapshot('first'));
  const file = 'before.snapshot.json';
  const other = join(tempDir(), 'snapshots');
  createFileSnapshotStore(other).put(snapshot('second'));
  writeFileSync(join(dir, file), readFileSync(join(other, file)));
  utimesSync(join(dir, file), new Date(0), new Date(0));
  expect(String(store.get('before')?.image.bytes)).toBe('second');
});

it('a link among snapshots is told as what keeps them from being stored, not as a fault of the emulator', () => {
  const dir = join(tempDir(), 'snapshots');
  mkdirSync(dir);
  symlinkSync('/dev/zero', join(dir, '.second.unfinished'));
  expect(() => createFileSnapshotStore(dir)).toThrow(
    expect.objectContaining({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('.second.unfinished: is a link'),
    }),
  );
});
