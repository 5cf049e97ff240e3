// Several things that happen to a container at one instant: each line and status is delivered once, in the order in which
// they happened, to streams that are open and to those that resume.

import { describe, expect, it } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import { call, deploy, getContainer, startWorld } from '../../support/emulator.js';
import { openStream } from '../../support/sse.js';

const path = '/api/v1/containers';

const steps: Record<string, (world: EmulatorWorld, id: string) => unknown> = {
  update: (world) => deploy(world),
  change: (world, id) => call(world, 'PATCH', `${path}/${id}`, { cpu: 512 }),
  crash: ({ controls }, id) => controls.containers.crash(id),
  stop: ({ controls }, id) => controls.containers.stop(id),
  recover: ({ controls }, id) => controls.containers.recover(id),
  skip: ({ controls }, id) => controls.containers.skip(id),
  request: async (world, id) => fetch((await getContainer(world, id)).url),
};

const sequences = [
  ['update', 'stop', 'recover'],
  ['request', 'stop', 'recover', 'request', 'change', 'skip', 'skip', 'skip', 'crash', 'recover'],
];

describe.each(sequences.map((names) => [names.join(', '), names] as const))('%s', (_, names) => {
  it('reaches open and resumed log streams once and in order, though all happens at one instant', async () => {
    const world = await startWorld();
    const { id } = await deploy(world);
    await world.controls.clock.advance('30s');
    const url = `${world.url}${path}/${id}/logs/stream?tail=1`;
    const headers = { authorization: `Bearer ${world.apiKey}` };
    const open = await openStream(url, headers);
    let resumed = await openStream(url, headers);
    const pieces: string[] = [];
    const before = await logsOf(world, id);
    await open.until(1);
    for (const name of names) {
      await steps[name]?.(world, id);
      const logs = await logsOf(world, id);
      const statuses = (await getContainer(world, id)).statusHistory.length;
      // Every line and status so far is there before the next step.
      const expected = 1 + logs.length - before.length + statuses - 4;
      const seen = await open.until(expected);
      pieces.push(...(await resumed.until(expected - pieces.length)).map(({ id: key }) => key ?? ''));
      resumed.close();
      resumed = await openStream(url, { ...headers, 'last-event-id': pieces.at(-1) ?? '' });
      expect(pieces).toEqual(seen.map(({ id: key }) => key));
      expect(pieces).toEqual([...new Set(pieces)]);
      const told = seen.filter(({ data }) => data.type === 'log').map(({ data }) => data.data);
      expect(told).toEqual(logs.slice(-told.length));
    }
    open.close();
    resumed.close();
  });
});

async function logsOf(world: EmulatorWorld, id: string) {
  return (await call(world, 'GET', `${path}/${id}/logs?tail=10000`)).body.logs;
}
