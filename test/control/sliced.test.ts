// The operations that give others their turn: those that read all of the journal, all containers, the ledger,
// all scenarios, or a whole image.

import { expect, it } from 'vitest';

import { controlOperations } from '../../src/app/controls.js';

it('the control plane reads all of the journal, all containers, the ledger, all scenarios and whole images in slices', () => {
  const sliced = controlOperations.filter(({ runs }) => runs === 'sliced');
  expect(sliced.map(({ id }) => id).sort()).toEqual([
    'control.assumptions',
    'control.containers.list',
    'control.coverage',
    'control.expectations',
    'control.history.list',
    'control.history.show',
    'control.hostedAgents',
    'control.images.get',
    'control.images.list',
    'control.images.make',
    'control.keep',
    'control.ledger',
    'control.report',
    'control.requests.clear',
    'control.requests.get',
    'control.requests.list',
    'control.requests.stream',
    'control.scenarios.list',
    'control.scenarios.save',
    'control.snapshots.export',
    'control.snapshots.take',
    'control.timeline',
    'control.verdicts',
  ]);
});
