// Which operations give others their turn: those that read all of the journal, or all containers.

import { expect, it } from 'vitest';

import { controlOperations } from '../../src/controls.js';

it('reads all of the journal, and all containers, in slices', () => {
  const sliced = controlOperations.filter(({ isSliced }) => isSliced);
  expect(sliced.map(({ id }) => id).sort()).toEqual([
    'control.assumptions',
    'control.containers.list',
    'control.coverage',
    'control.expectations',
    'control.requests.get',
    'control.requests.list',
    'control.timeline',
    'control.verdicts',
  ]);
});
