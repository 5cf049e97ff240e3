// Files of people: written whole or not at all, and never through a link that somebody else has put there.

import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readJsonFile, writeJsonFile } from '../../src/config/json-file.js';
import { tempDir } from '../support/command.js';

it('a JSON file is written with indents, in the place of a former one, and read again', () => {
  const file = join(tempDir(), 'shop.json');
  writeFileSync(file, 'before');
  writeJsonFile(file, { title: 'Shop' });
  expect(readFileSync(file, 'utf8')).toBe('{\n  "title": "Shop"\n}\n');
  expect(readJsonFile(file)).toMatchObject({ value: { title: 'Shop' } });
});

it.each(['shop.json', '.shop.json.tmp'])('a link %s that leads to another file leaves that one as it is', (name) => {
  const dir = tempDir();
  const other = join(tempDir(), 'mine.txt');
  writeFileSync(other, 'mine');
  symlinkSync(other, join(dir, name));
  writeJsonFile(join(dir, 'shop.json'), {});
  expect(readFileSync(other, 'utf8')).toBe('mine');
  expect(lstatSync(join(dir, 'shop.json')).isFile()).toBe(true);
  expect(readdirSync(dir)).toEqual(['shop.json']);
});

it('a JSON file that cannot be written leaves what was there, and nothing half beside it', () => {
  const dir = tempDir();
  const file = join(dir, 'shop.json');
  mkdirSync(file);
  expect(() => writeJsonFile(file, {})).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(readdirSync(dir)).toEqual(['shop.json']);
});
