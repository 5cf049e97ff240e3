// The texts that a text contains are those that the engine finds one by one.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { textsFinder } from '../../src/core/find-texts.js';

it('many texts are found in one pass as they are one by one', () => {
  const letters = fc.stringMatching(/^[ab ]{1,6}$/);
  fc.assert(
    fc.property(fc.uniqueArray(letters, { maxLength: 12 }), fc.stringMatching(/^[abc ]{0,60}$/), (wanted, text) => {
      const found = [...textsFinder(wanted)(text)].sort((a, b) => a - b);
      expect(found).toEqual(wanted.flatMap((one, place) => (text.includes(one) ? [place] : [])));
    }),
    { numRuns: 300 },
  );
});
