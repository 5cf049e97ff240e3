// 2,000 drawn clients are judged as their parameters say: no false alarm, and at least 99 of 100 agree for each rule.

import { expect, it } from 'vitest';
import { drawsOf } from '../../support/draws.js';
import { models, verdictOn } from './drawn.js';

const clients = 2_000 / models.length;

it.each(models)(`$rule.id agrees on ${clients} drawn clients`, ({ rule, draw }) => {
  const draws = drawsOf(`${rule.id} of many`);
  const unlike: string[] = [];
  const alarms: string[] = [];
  let byChance = 0;
  for (let n = 0; n < clients; n++) {
    const client = draw(draws);
    const verdict = verdictOn(rule, client);
    if (client.right.includes(verdict)) continue;
    if (client.isRandom) byChance++;
    else (verdict === 'fail' ? alarms : unlike).push(`${verdict}: ${client.about}`);
  }
  expect(alarms).toEqual([]);
  expect(unlike.length, unlike.join('\n')).toBeLessThanOrEqual(clients / 100);
  expect(byChance).toBeLessThanOrEqual(clients / 100);
});
