// A part of what hostile-checkout.full.ts tries: the files that every command looks at.

import { afterAll, expect, it } from 'vitest';
import { sampleOf } from '../support/campaign.js';
import { endCommands } from '../support/command.js';
import {
  faultsOf,
  hostileCopy,
  makeCheckout,
  makeOutside,
  measured,
  stateOf,
  variants,
} from './support/hostile-checkouts.js';

afterAll(endCommands);

it('a command survives whatever a checkout has for its settings and its manifest', async () => {
  const checkout = await makeCheckout();
  const cases = ['emulator.config.json', 'package.json'].flatMap((path) =>
    Object.entries(variants).map(([what, plant]) => ({ path, what, plant })),
  );
  const tried = sampleOf(cases, 4).map(async ({ path, what, plant }): Promise<string[]> => {
    const outside = makeOutside();
    const before = stateOf(outside);
    const { copy, end } = await hostileCopy(checkout, 'config check', path, (at) => plant(at, outside));
    const outcome = await measured('config check', copy);
    await end();
    const isUnchanged = stateOf(outside) === before;
    return faultsOf(outcome, { path, usual: [0], isUnchanged }).map((fault) => `${path} is ${what}: ${fault}`);
  });
  expect((await Promise.all(tried)).flat()).toEqual([]);
});
