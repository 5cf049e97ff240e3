// A world with something of everything in it, for tests that try every method.

import type { Emulator } from '../../src/index.js';
import { call, deploy } from './emulator.js';
import { clone } from './voice.js';

/** Two containers, requests, a fault rule, a snapshot, a scenario, a cloning job, a session, and a world: `web`, `stopped`, `fault_1`, `before`, `mine`, `blue`. */
export async function prepareGround(emulator: Emulator): Promise<void> {
  const { controls } = emulator;
  await deploy(emulator);
  await deploy(emulator, { name: 'stopped', project_name: 'stopped' });
  await controls.clock.advance('1m');
  controls.containers.stop('stopped');
  await call(emulator, 'GET', '/api/v1/containers/none');
  controls.faults.add({ match: { operation: 'keys.*' }, effect: { status: 503 } });
  controls.images.make({ repository: 'web', tag: 'v1' });
  controls.replies.add({ text: 'Hello' });
  controls.snapshots.take({ name: 'before' });
  controls.scenarios.save({ name: 'mine' });
  await controls.worlds.create({ id: 'blue', seed: 1, clock: { start: '2026-01-01T00:00:00Z', frozen: true } });
  await clone(emulator);
  controls.sessions.create({ expiresIn: '1h' });
}
