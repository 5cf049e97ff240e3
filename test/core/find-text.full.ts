// Finding texts: as the engine's own search does, and never in more than a few steps a character.

import * as fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { indexOfText } from '../../src/core/find-text.js';

it('findText finds what the engine finds', () => {
  // Few characters, so that much of one text is in the other.
  const text = (maxLength: number) =>
    fc.array(fc.constantFrom('a', 'a', 'b', '😀'), { maxLength }).map((all) => all.join(''));
  fc.assert(
    fc.property(text(200), text(40), text(10), (before, wanted, after) => {
      expect(indexOfText(before + after, wanted)).toBe((before + after).indexOf(wanted));
      expect(indexOfText(before + wanted + after, wanted)).toBe((before + wanted + after).indexOf(wanted));
    }),
    { numRuns: 2_000 },
  );
});

it.each([
  ['almost matches everywhere', 'a', `b${'a'.repeat(999)}`],
  ['almost ends everywhere', 'a', `${'a'.repeat(999)}b`],
  ['is like its own beginning', 'ab', `${'ab'.repeat(499)}aa`],
])('findText takes a few steps for each character of a text in which it %s', (_, unit, wanted) => {
  const text = unit.repeat(200_000 / unit.length);
  const steps = vi.spyOn(String.prototype, 'charCodeAt');
  const found = indexOfText(text, wanted);
  const count = steps.mock.calls.length;
  steps.mockRestore();
  expect(found).toBe(-1);
  // Both searches that went wrong took millions; a spy counts none of an engine's own.
  expect(count).toBeGreaterThan(text.length);
  expect(count).toBeLessThan(8 * (text.length + wanted.length));
});
