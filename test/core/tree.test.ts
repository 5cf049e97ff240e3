// Nested records: merging, and reading and writing by path.

import { describe, expect, it } from 'vitest';
import { differences, isTree, leafPaths, mergeTrees, readPath, type Tree, writePath } from '../../src/core/tree.js';

it('isTree takes records only', () => {
  expect([{}, { a: 1 }].every(isTree)).toBe(true);
  expect([null, undefined, 1, 'a', [], true].some(isTree)).toBe(false);
});

describe('mergeTrees', () => {
  it('merges records and replaces everything else', () => {
    expect(mergeTrees({ a: { b: 1, c: 2 }, d: [1, 2], e: 1 }, { a: { c: 3 }, d: [3], f: null })).toEqual({
      a: { b: 1, c: 3 },
      d: [3],
      e: 1,
      f: null,
    });
  });

  it('replaces a record by a value, and a value by a record', () => {
    expect(mergeTrees({ a: { b: 1 }, c: 1 }, { a: 'x', c: { d: 1 } })).toEqual({ a: 'x', c: { d: 1 } });
  });

  it('takes undefined for nothing said, and null for a value', () => {
    expect(mergeTrees({ a: 1, b: 1 }, { a: undefined, b: null })).toEqual({ a: 1, b: null });
  });

  it('leaves both as they were', () => {
    const base: Tree = { a: { b: 1 } };
    const overlay: Tree = { a: { c: 2 } };
    mergeTrees(base, overlay);
    expect([base, overlay]).toEqual([{ a: { b: 1 } }, { a: { c: 2 } }]);
  });
});

describe('readPath', () => {
  it('reads by dotted path', () => {
    expect(readPath({ a: { b: { c: 0 } } }, 'a.b.c')).toBe(0);
    expect(readPath({ a: { b: null } }, 'a.b')).toBe(null);
  });

  it.each(['x', 'a.x', 'a.b.c', 'constructor', 'a.toString', '__proto__'])('finds nothing at %s', (path) => {
    expect(readPath({ a: { b: 1 } }, path)).toBeUndefined();
  });
});

describe('writePath', () => {
  it('makes the records on the way', () => {
    const tree: Tree = { a: { b: 1 } };
    writePath(tree, 'a.c.d', 2);
    writePath(tree, 'e', 3);
    expect(tree).toEqual({ a: { b: 1, c: { d: 2 } }, e: 3 });
  });

  it('replaces a value that stands where a record must be', () => {
    const tree: Tree = { a: 1 };
    writePath(tree, 'a.b', 2);
    expect(tree).toEqual({ a: { b: 2 } });
  });

  it('never reaches what all records share', () => {
    writePath({}, '__proto__.polluted', true);
    writePath({}, 'constructor.prototype.polluted', true);
    expect(({} as Tree).polluted).toBeUndefined();
  });
});

it('leafPaths names what is no record, or an empty one', () => {
  expect(leafPaths({ a: { b: 1, c: { d: null } }, e: [1], f: {} })).toEqual(['a.b', 'a.c.d', 'e', 'f']);
});

it('differences says where two trees differ, names with dots too', () => {
  expect(differences({ a: { b: 1, c: [1] } }, { a: { b: 1, c: [1] } })).toEqual([]);
  expect(differences({ a: { b: 1 }, x: 1 }, { a: { b: 2 }, y: { z: 1 } })).toEqual(['a.b', 'x', 'y']);
  expect(differences({ on: { 'my.app': 1 } }, { on: { 'my.app': 2, c: [1] } })).toEqual(['on.my.app', 'on.c']);
});
