// What is read from a checkout, what is written in it, and which of its directories are ours to empty.

import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkoutOf, demandWritable, readFoundText, readNamedText } from '../../src/core/checkout-files.js';
import { makeDataDir, ownDirectory } from '../../src/core/own-directory.js';
import { tempDir } from '../support/command.js';

let root: string;
let outside: string;
const before = process.cwd();
beforeEach(() => {
  root = realpathSync(tempDir());
  outside = realpathSync(tempDir());
  writeFileSync(join(root, 'package.json'), '{}');
  mkdirSync(join(root, 'src'));
  mkdirSync(join(outside, 'dir'));
  writeFileSync(join(outside, 'secret'), 'secret');
  process.chdir(join(root, 'src'));
});
afterEach(() => process.chdir(before));

/** Puts something at a path of the checkout. */
const hostile: Record<string, (path: string) => void> = {
  'a link to a file outside': (path) => symlinkSync(join(outside, 'secret'), path),
  'a link to a device': (path) => symlinkSync('/dev/zero', path),
  'a pipe': (path) => void execFileSync('mkfifo', [path]),
  'a file of 1 GB': (path) => {
    closeSync(openSync(path, 'w'));
    truncateSync(path, 1_073_741_824);
  },
};

describe('what is read', () => {
  it.each([
    ['a link to a file outside', /is a link to .*secret, outside of/],
    ['a link to a device', /is a link to \/dev\/zero, outside of/],
    ['a pipe', /must be a regular file/],
    ['a file of 1 GB', /holds more than 4 MB/],
  ])('is not %s', (kind, problem) => {
    hostile[kind]?.(join(root, 'x'));
    for (const path of [join(root, 'x'), '../x']) {
      expect(() => readFoundText(path)).toThrow(problem);
      expect(() => readNamedText(path, 4 * 1_024 * 1_024)).toThrow(problem);
    }
  });

  it('is nothing in a directory that is a link', () => {
    writeFileSync(join(outside, 'package.json'), '{}');
    symlinkSync(outside, join(root, 'src/linked'));
    expect(() => readFoundText('linked/secret')).toThrow(/outside of/);
  });

  it('is a file of the checkout, also by a link', () => {
    writeFileSync(join(root, 'x'), '\uFEFFmine');
    symlinkSync('../x', join(root, 'src/linked'));
    expect([readFoundText('../x'), readFoundText('linked'), readNamedText('linked', 10)]).toEqual([
      'mine',
      'mine',
      'mine',
    ]);
  });

  it('is what a person names elsewhere', () => {
    expect(checkoutOf(join(outside, 'secret'))).toBeUndefined();
    expect(readFoundText(join(outside, 'secret'))).toBe('secret');
    expect(readNamedText('/dev/null', 10)).toBe('');
    expect(() => readNamedText('/dev/zero', 1_000)).toThrow(/holds more than/);
    expect(() => readFoundText('/dev/null')).toThrow(/must be a regular file/);
  });
});

it('the checkout of a path is that of the working directory, or one around it', () => {
  const inner = join(root, 'packages/a');
  mkdirSync(inner, { recursive: true });
  writeFileSync(join(inner, 'package.json'), '{}');
  process.chdir(inner);
  expect(checkoutOf('x/y')).toBe(inner);
  expect(checkoutOf(join(root, 'emulator.config.json'))).toBe(root);
  expect(checkoutOf('/')).toBeUndefined();
});

describe('what is written', () => {
  it.each(['a link to a file outside', 'a link to a device', 'a pipe'])('is not %s', (kind) => {
    hostile[kind]?.(join(root, 'x'));
    expect(() => demandWritable('../x')).toThrow(/is a link|must be a regular file/);
    expect(() => demandWritable('../x/y/z')).toThrow(/is a link|ENOTDIR/);
  });

  it('is a file, there or not, and what is named elsewhere', () => {
    symlinkSync(join(outside, 'secret'), join(outside, 'linked'));
    for (const path of ['new', 'a/b/new', '../package.json', join(outside, 'linked'), '/dev/null'])
      expect(() => demandWritable(path)).not.toThrow();
  });

  it('is no data directory behind a link', () => {
    symlinkSync(join(outside, 'dir'), join(root, '.cloudemu'));
    for (const path of [join(root, '.cloudemu'), join(root, '.cloudemu/below')])
      expect(() => makeDataDir(path)).toThrow(/\.cloudemu: is a link/);
    expect(readdirSync(join(outside, 'dir'))).toEqual([]);
  });
});

describe('a directory is ours to empty', () => {
  const known = /^ours-/;
  const markOf = (path: string): boolean => existsSync(join(path, '.cloudemu-directory'));

  it('once it was made, whatever it holds later', () => {
    const path = join(root, 'new/one');
    ownDirectory(path, known);
    writeFileSync(join(path, 'other'), '');
    ownDirectory(path, known);
    expect(readFileSync(join(path, '.cloudemu-directory'), 'utf8')).toMatch(/cloudemu made this directory/);
  });

  it('if it is empty, or an earlier version has left nothing else in it', () => {
    for (const names of [[], ['ours-1', 'ours-2']]) {
      const path = join(root, `with-${names.length}`);
      mkdirSync(path);
      for (const name of names) writeFileSync(join(path, name), '');
      ownDirectory(path, known);
      expect(markOf(path)).toBe(true);
    }
  });

  it('not if it holds what is not ours, or a link, or is one', () => {
    const path = join(root, 'theirs');
    mkdirSync(path);
    writeFileSync(join(path, 'notes.txt'), '');
    expect(() => ownDirectory(path, known)).toThrow(/it holds notes\.txt/);
    expect(markOf(path)).toBe(false);
    mkdirSync(join(root, 'linking'));
    symlinkSync(outside, join(root, 'linking/ours-1'));
    expect(() => ownDirectory(join(root, 'linking'), known)).toThrow(/ours-1: is a link/);
    for (const at of [root, outside]) {
      symlinkSync(join(outside, 'dir'), join(at, 'link'));
      expect(() => ownDirectory(join(at, 'link'), known)).toThrow(/link: is a link/);
    }
    expect(markOf(join(outside, 'dir'))).toBe(false);
  });
});
