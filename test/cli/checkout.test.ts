// What a checkout is called in a shared emulator, and where that emulator lives.

import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { branchOf, detached, worldIdsOf } from '../../src/cli/owned-worlds.js';
import { sharedDir } from '../../src/cli/shared.js';
import { worldIds } from '../../src/config/names.js';
import { tempDir } from '../support/command.js';
import { itNeeds } from '../support/tools.js';

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

describe('the ids of the world of a checkout', () => {
  it.each([
    ['shop', 'main', 'shop-main'],
    ['shop', 'feature/Cart_2', 'shop-feature-cart-2'],
    ['My.Shop', 'fix/café', 'my-shop-fix-cafe'],
    ['shop', undefined, 'shop'],
    ['shop', detached, 'shop-detached'],
    ['---', '日本', /^w-[0-9a-f]{8}$/],
    ['default', undefined, /^default-[0-9a-f]{8}$/],
    ['x'.repeat(63), 'main', /^x{54}-[0-9a-f]{8}$/],
    ['shop', 'long/'.repeat(40), /^shop-(long-){9}long-[0-9a-f]{8}$/],
  ])('of %s on %s', (name, branch, expected) => {
    const [id] = worldIdsOf({ root: `/home/ann/${name}`, name, branch });
    if (typeof expected === 'string') expect(id).toBe(expected);
    else expect(id).toMatch(expected);
  });

  it('are labels of DNS that a world can have, and no two checkouts have the same second one', () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 100 });
    fc.assert(
      fc.property(text, text, text, (name, branch, other) => {
        const ids = worldIdsOf({ root: `/a/${name}`, name, branch });
        for (const id of ids) {
          expect(id).toMatch(label);
          expect(id).toMatch(worldIds);
          expect(id).not.toBe('default');
        }
        fc.pre(other !== branch);
        expect(worldIdsOf({ root: `/a/${name}`, name, branch: other })).not.toContain(ids[1]);
        expect(worldIdsOf({ root: `/b/${name}`, name, branch })).not.toContain(ids[1]);
      }),
    );
  });
});

describe('the branch of a directory', () => {
  it('is none without version control, or where .git is not what git makes', () => {
    const dir = realpathSync(tempDir());
    mkdirSync(join(dir, '.git'));
    expect(branchOf(dir)).toBeUndefined();
    mkdirSync(join(dir, 'inner'));
    writeFileSync(join(dir, 'inner/.git'), 'nothing');
    expect(branchOf(join(dir, 'inner'))).toBeUndefined();
  });

  itNeeds('git')('is read from git in a checkout, a worktree, a directory below and in a rebase', () => {
    const parent = realpathSync(tempDir());
    const repo = join(parent, 'shop');
    const git = (...words: string[]): string =>
      execFileSync('git', ['-C', repo, '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...words], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    mkdirSync(repo);
    git('init', '-q', '-b', 'main');
    expect(branchOf(repo)).toBe('main');
    writeFileSync(join(repo, 'file'), 'one');
    git('add', '.');
    git('commit', '-qm', 'one');
    git('worktree', 'add', '-q', '-b', 'feature/cart', '../tree');
    mkdirSync(join(parent, 'tree/packages/web'), { recursive: true });
    expect(branchOf(join(parent, 'tree'))).toBe('feature/cart');
    expect(branchOf(join(parent, 'tree/packages/web'))).toBe('feature/cart');
    git('worktree', 'add', '-q', '--detach', '../aside');
    expect(branchOf(join(parent, 'aside'))).toBe(detached);
    git('checkout', '-q', '-b', 'topic');
    writeFileSync(join(repo, 'file'), 'two');
    git('commit', '-qam', 'two');
    git('checkout', '-q', 'main');
    writeFileSync(join(repo, 'file'), 'three');
    git('commit', '-qam', 'three');
    git('checkout', '-q', 'topic');
    expect(() => git('rebase', '-q', 'main')).toThrow();
    expect(branchOf(repo)).toBe('topic');
  });
});

it('the shared emulator lives in the state directory of the user', () => {
  const env = { HOME: '/home/ann' };
  expect(sharedDir(env, 'linux')).toBe('/home/ann/.local/state/cloudemu');
  expect(sharedDir({ ...env, XDG_STATE_HOME: '/state' }, 'linux')).toBe('/state/cloudemu');
  expect(sharedDir({ ...env, XDG_STATE_HOME: '/state' }, 'darwin')).toBe('/state/cloudemu');
  // The standard has it ignored.
  expect(sharedDir({ ...env, XDG_STATE_HOME: 'state' }, 'linux')).toBe('/home/ann/.local/state/cloudemu');
  expect(sharedDir(env, 'darwin')).toBe('/home/ann/Library/Application Support/cloudemu');
  expect(sharedDir({ ...env, LOCALAPPDATA: '/local' }, 'win32')).toBe('/local/cloudemu');
});
