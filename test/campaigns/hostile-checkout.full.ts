// Checkouts of strangers: each path that a command uses is replaced by a link to what is outside, by a device, a pipe, a file of
// 1 GB. Nothing outside changes, and the command ends soon, small, and says what was wrong.

import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { endCommands } from '../support/command.js';
import { isInShard } from '../support/shard.js';
import {
  commands,
  commandsWhileRunning,
  faultsOf,
  hostileCopy,
  makeCheckout,
  makeOutside,
  measured,
  pathsOf,
  stateOf,
  variants,
} from './support/hostile-checkouts.js';

let checkout: string;
let paths: Map<string, Set<string>>;
beforeAll(async () => {
  checkout = await makeCheckout();
  paths = await pathsOf(checkout);
}, 600_000);
afterAll(endCommands);

it('uses the paths that it is known to use', () => {
  expect([...paths.keys()]).toEqual(
    expect.arrayContaining([
      ...[
        'emulator.config.json',
        'package.json',
        'scenarios/own.json',
        'AGENTS.md',
        'explore.known.json',
        'out/report.xml',
      ],
      ...['', '/failed', '/registry', '/worlds', '/snapshots', '/receipt.json', '/run.json', '/world.db', '/lock'].map(
        (name) => `.cloudemu${name}`,
      ),
    ]),
  );
});

it.each(Object.keys({ ...commands, ...commandsWhileRunning }).filter((_, place) => isInShard(place)))(
  '`cloudemu %s` survives whatever is at a path',
  async (name) => {
    const wrong: string[] = [];
    const plain = await hostileCopy(checkout, name, 'none', () => {});
    const { code } = await measured(name, plain.copy);
    // How many faults explore tries in a second depends on the machine.
    const usual = name === 'explore' ? [1, 3] : [code];
    await plain.end();
    for (const [path, users] of paths) {
      if (!users.has(name)) continue;
      for (const [what, plant] of Object.entries(variants)) {
        const outside = makeOutside();
        const before = stateOf(outside);
        const { copy, end } = await hostileCopy(checkout, name, path, (at) => plant(at, outside));
        const outcome = await measured(name, copy);
        await end();
        const faults = faultsOf(outcome, { path, usual, isUnchanged: stateOf(outside) === before });
        wrong.push(...faults.map((fault) => `${path} is ${what}: ${fault}`));
        rmSync(outside, { recursive: true, force: true });
      }
    }
    expect(wrong).toEqual([]);
  },
  3_600_000,
);
