// The parts that modules keep of a world: made once, told what happens, and closed whatever happens to another part.

import { expect, it } from 'vitest';
import { createParts, type Key, type WorldPart } from '../../src/world/parts.js';

it('a part of a world is made once, in the way that the host has for it', () => {
  const made: string[] = [];
  const seen = (by: string): WorldPart => {
    made.push(by);
    return {};
  };
  const key: Key<string, WorldPart> = { name: 'own', create: (world) => seen(`own ${world}`) };
  const provided: Key<string, WorldPart> = { name: 'provided', create: () => seen('by the key') };
  const parts = createParts<string>(new Map([[provided, (world: string) => seen(`host ${world}`)]]));
  expect(parts.get(key, 'w')).toBe(parts.get(key, 'w'));
  parts.get(provided, 'w');
  expect(made).toEqual(['own w', 'host w']);
});

it('every part of a world is closed before an error of one of them is thrown', () => {
  const closed: string[] = [];
  const parts = createParts<string>();
  const part = (name: string, fails: boolean) => ({
    name,
    create: () => ({
      close() {
        closed.push(name);
        if (fails) throw new Error(`${name} failed`);
      },
    }),
  });
  for (const key of [part('a', true), part('b', true), part('c', false)]) parts.get(key, 'w');
  expect(() => parts.close()).toThrow('a failed');
  expect(closed).toEqual(['a', 'b', 'c']);
});
