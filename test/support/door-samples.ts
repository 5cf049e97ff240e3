// For each door of the control plane the same act three times: in process, over HTTP, on the command line.

import type { Controls } from '../../src/controls/controls.js';
import type { Emulator } from '../../src/index.js';
import { call, deploy } from './emulator.js';

/** What an emulator holds before each act; equal seeds make it equal. */
export interface Ground {
  emulator: Emulator;
  organizationId: string;
  requestId: string;
  /** What was exported of the snapshot `before`. */
  snapshot: Parameters<Controls['snapshots']['import']>[0];
}

export interface Sample {
  /** The act in process. */
  call: (controls: Controls, ground: Ground) => unknown;
  /** What the door is sent. */
  params?: (ground: Ground) => Record<string, string>;
  query?: Record<string, string | number | boolean>;
  body?: unknown;
  /** The command line that is the same, without --json. */
  line: (string | ((ground: Ground) => string))[];
}

/** A world with a container, a fault rule, a limit, a snapshot, and another world beside it. */
export async function prepareGround(emulator: Emulator): Promise<Ground> {
  const { controls, organizationId } = emulator;
  await deploy(emulator);
  await controls.clock.advance('1m');
  await call(emulator, 'GET', '/api/v1/containers/none');
  controls.faults.add({ match: { operation: 'keys.*' }, effect: { status: 503 } });
  controls.snapshots.take({ name: 'before' });
  controls.scenarios.save({ name: 'mine' });
  await controls.worlds.create({ id: 'blue', seed: 1, clock: { start: '2026-01-01T00:00:00Z', frozen: true } });
  const requestId = controls.requests.list().requests[0]?.requestId ?? '';
  return { emulator, organizationId, requestId, snapshot: controls.snapshots.export('before') };
}

const words = (text: string): string[] => text.split(' ');
const noContainer = { params: () => ({ id: 'web' }) };
const document = { clock: { start: '2026-03-01T00:00:00Z' }, limits: [{ operation: 'containers.create', limit: 3 }] };
const usdc = { address: `0x${'ab'.repeat(20)}`, usdc: 2.5 };

/** By the id of the door; several where it does several things. */
export const samples: Record<string, Sample | Sample[]> = {
  'control.health': { call: (controls) => controls.health(), line: words('status') },
  'control.assumptions': { call: (controls) => controls.assumptions(), line: words('assumptions') },
  'control.config': { call: (controls) => controls.config(), line: words('config show') },
  'control.clock.get': { call: (controls) => controls.clock.get(), line: words('clock get') },
  'control.clock.advance': [
    { call: (controls) => controls.clock.advance('10m'), body: { by: '10m' }, line: words('clock advance 10m') },
    {
      call: (controls) => controls.clock.advance({ to: '2026-02-01T00:00:00Z' }),
      body: { to: '2026-02-01T00:00:00Z' },
      line: words('clock advance --to 2026-02-01T00:00:00Z'),
    },
  ],
  'control.clock.freeze': { call: (controls) => controls.clock.freeze(), line: words('clock freeze') },
  'control.clock.resume': {
    // So slow that nothing happens meanwhile.
    call: (controls) => controls.clock.resume({ speed: 0.000001 }),
    body: { speed: 0.000001 },
    line: words('clock resume --speed 0.000001'),
  },
  'control.clock.skew': { call: (controls) => controls.clock.skew({ to: null }), body: { to: null }, line: words('clock skew --to null') },
  'control.containers.list': { call: (controls) => controls.containers.list(), line: words('container list') },
  'control.containers.get': { call: (controls) => controls.containers.get('web'), ...noContainer, line: words('container show web') },
  'control.containers.fail': {
    call: (controls) => controls.containers.fail('web', { mode: 'oom-later' }),
    ...noContainer,
    body: { mode: 'oom-later' },
    line: words('container fail web --mode oom-later'),
  },
  'control.containers.crash': { call: (controls) => controls.containers.crash('web'), ...noContainer, line: words('container crash web') },
  'control.containers.stop': { call: (controls) => controls.containers.stop('web'), ...noContainer, line: words('container stop web') },
  'control.failures': { call: (controls) => controls.failures(), line: words('failures') },
};
