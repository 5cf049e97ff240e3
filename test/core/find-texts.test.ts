// The texts that a text contains are those that the engine finds one by one.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { textsFinder } from '../../src/core/find-texts.js';
import { finish } from '../../src/core/slices.js';

it('many texts are found in one pass as they are one by one', () => {
  const letters = fc.stringMatching(/^[ab ]{1,6}$/);
  fc.assert(
    fc.property(fc.uniqueArray(letters, { maxLength: 12 }), fc.stringMatching(/^[abc ]{0,60}$/), (wanted, text) => {
      const found = [...finish(textsFinder(wanted)(text))].sort((a, b) => a - b);
      expect(found).toEqual(wanted.flatMap((one, place) => (text.includes(one) ? [place] : [])));
    }),
    { numRuns: 300 },
  );
});

it('a search takes steps with the text only, whatever the texts are', () => {
  // Each of these nearly matches at every place: one by one they would take 5,000 × 400,000 steps.
  const wanted = Array.from({ length: 100 }, (_, n) => `${'a'.repeat(50 + n)}b`);
  const text = 'a'.repeat(400_000);
  let slices = 0;
  for (const work = textsFinder(wanted)(text); work.next().done !== true; ) slices++;
  expect(slices).toBe(8);
});
