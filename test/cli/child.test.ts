// A child that a command runs, and the time that it gets.

import { expect, it } from 'vitest';
import { runChild } from '../../src/cli/child.js';

it('a child is killed at its limit only when it no longer gets on', async () => {
  const asked: number[] = [];
  let ends = 0;
  const code = await runChild([process.execPath, '-e', 'setInterval(() => {}, 1_000)'], {
    env: process.env,
    aside: true,
    graceMs: 100,
    onOutput: () => {},
    limitMs: 20,
    moreMs: () => (asked.push(asked.length) < 4 ? 5 : 0),
    onLimit: () => ends++,
  });
  expect({ asked: asked.length, ends, code }).toEqual({ asked: 4, ends: 1, code: 137 });
});
