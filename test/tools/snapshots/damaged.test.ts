// Files in the snapshots folder that are none: told in the list, refused, removable, and in nobody's way.

import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempDir } from '../../support/command.js';
import { call, startEmulator } from '../../support/emulator.js';

it('damaged snapshots are listed with what is wrong, refused, and can be removed', async () => {
  const dataDir = tempDir();
  const emulator = await startEmulator({ dataDir });
  const { snapshots } = emulator.controls;
  snapshots.take({ name: 'whole' });
  snapshots.take({ name: 'cut-off' });
  snapshots.take({ name: 'altered' });
  const dir = join(dataDir, 'snapshots');
  const file = (name: string): string => join(dir, `${name}.snapshot.json`);
  truncateSync(file('cut-off'), 100);
  writeFileSync(file('empty'), '');
  writeFileSync(file('null'), 'null');
  writeFileSync(file('numbers'), '{"name": 1, "takenAt": 2, "now": 3, "image": 4}');
  writeFileSync(file('a name with blanks'), '{}');
  mkdirSync(file('folder'));
  const { image, ...rest } = JSON.parse(readFileSync(file('altered'), 'utf8'));
  writeFileSync(file('altered'), JSON.stringify({ ...rest, name: 'other', image: `AAAA${image.slice(4)}` }));

  const listed = await call(emulator, 'GET', '/_emulator/snapshots');
  expect(listed.status).toBe(200);
  expect(listed.body.total).toBe(8);
  const sound = listed.body.snapshots.filter(({ problem }: { problem: unknown }) => problem === null);
  expect(sound.map(({ name }: { name: string }) => name)).toEqual(['altered', 'whole']);
  const cutOff = listed.body.snapshots.find(({ name }: { name: string }) => name === 'cut-off');
  expect(cutOff).toEqual({
    name: 'cut-off',
    takenAt: null,
    now: null,
    problem: expect.stringContaining('cut-off.snapshot.json is not a snapshot'),
  });

  for (const name of ['cut-off', 'empty', 'null', 'numbers', 'folder', 'altered']) {
    for (const [method, path] of [
      ['POST', 'restore'],
      ['GET', 'export'],
    ] as const) {
      const refused = await call(emulator, method, `/_emulator/snapshots/${name}/${path}`);
      expect([name, path, refused.status]).toEqual([name, path, 409]);
      expect(refused.body.error.message).toContain(`The snapshot "${name}" cannot be used`);
    }
  }
  await snapshots.restore('whole');
  expect((await call(emulator, 'POST', '/_emulator/snapshots/wole/restore')).body.error.message).toContain(
    'did you mean "whole"',
  );
  for (const name of ['cut-off', 'empty', 'null', 'numbers', 'a name with blanks', 'folder', 'altered'])
    expect((await call(emulator, 'DELETE', `/_emulator/snapshots/${encodeURIComponent(name)}`)).status).toBe(200);
  expect((await call(emulator, 'DELETE', '/_emulator/snapshots/empty')).status).toBe(404);
  expect(readdirSync(dir)).toEqual(['.cloudemu-directory', 'whole.snapshot.json']);
});
