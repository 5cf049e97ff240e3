// Drawn clients are judged as their parameters say.

import { expect, it } from 'vitest';
import { drawsOf } from '../../support/draws.js';
import { models, verdictOn } from './drawn.js';

it.each(models)('$rule.id is right on forty drawn clients', ({ rule, draw }) => {
  const draws = drawsOf(rule.id);
  for (let n = 0; n < 40; n++) {
    const client = draw(draws);
    expect([...client.right, ...(client.isRandom ? ['fail'] : [])], client.about).toContain(verdictOn(rule, client));
  }
});
