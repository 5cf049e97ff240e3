// Small clients are judged rightly each time: no verdict depends on chance.

import { it } from 'vitest';
import { corpus, judge } from './corpus/judged.js';

const runs = 20;

it.each(corpus)(`${runs} times the verdicts are right on the client $name`, async (one) => {
  for (let n = 0; n < runs; n++) await judge(one);
});
