// Which operations give others their turn: those that read all of the journal, all containers, or a whole image.

import { expect, it } from 'vitest';

import { controlOperations } from '../../src/controls.js';

it('reads all of the journal, all containers and whole images in slices', () => {
  const sliced = controlOperations.filter(({ isSliced }) => isSliced);
  expect(sliced.map(({ id }) => id).sort()).toEqual([
    'control.assumptions',
    'control.containers.list',
    'control.coverage',
    'control.expectations',
    'control.requests.get',
    'control.requests.list',
    'control.snapshots.export',
    'control.snapshots.take',
    'control.timeline',
    'control.verdicts',
  ]);
});
