// One run of the test command against an emulator of its own, with faults in its worlds, and what its worlds showed.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Controls } from '../../app/controls.js';
import { runEmulator } from '../../app/emulator.js';
import type { Config } from '../../config/schema.js';
import { type SeenWorld, seenWorld } from '../../modules/explore/seen.js';
import { runChild } from '../child.js';
import type { DirectCommand } from './direct.js';

export interface OnceOptions {
  config: Config;
  command: DirectCommand;
  /** The document of the scenario, with additions to worlds. */
  scenario: object;
  limitMs?: number;
  /** Ends it. */
  interrupted: AbortSignal;
}

export interface Once {
  exitCode: number;
  isTimeout: boolean;
  output: string;
  seconds: number;
  /** The machine kept even this process waiting: what takes time may have taken too long because of that. */
  isBusy: boolean;
  /** By their ids. */
  worlds: Map<string, SeenWorld>;
  /** Worlds that nobody had dropped when the command ended. */
  open: Set<string>;
}

/** The number of characters of the output that are kept. */
const keptOutput = 2_000_000;
const mostRequests = 10_000;
const settlingMs = 30;
const busyMs = 100;

/**
 * @returns undefined where it was interrupted: what its worlds show then is no effect of faults
 * @throws NotStarted, ConfigError (scenario)
 */
export async function runOnce({ config, scenario, ...how }: OnceOptions): Promise<Once | undefined> {
  const directory = mkdtempSync(join(tmpdir(), 'cloudemu-explore-'));
  try {
    const file = join(directory, 'scenario.json');
    writeFileSync(file, JSON.stringify(scenario));
    const once = await runWith({ ...config, scenario: file }, how);
    return how.interrupted.aborted ? undefined : once;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function runWith(
  config: Config,
  { command: { command, env }, limitMs, interrupted }: Omit<OnceOptions, 'config' | 'scenario'>,
): Promise<Once | undefined> {
  const worlds = new Map<string, SeenWorld>();
  const open = new Set<string>();
  let output = '';
  let isTimeout = false;
  const look = (id: string): void => {
    // If a test is tried again, its first attempt counts.
    if (!worlds.has(id)) worlds.set(id, lookAt(id, plane.controlsOf(id)));
  };
  const emulator = await runEmulator({ config, onWorldEnd: look });
  const plane = await emulator.controlPlane();
  const { url, apiKey } = emulator;
  const listed = (): string[] =>
    plane
      .controlsOf('default')
      .worlds.list()
      .map(({ id }) => id);
  const told: Record<string, string> = { CLOUDEMU_URL: url, CLOUDEMU_CONTROL: `${url}/_emulator` };
  for (const name of config.env.baseUrl) told[name] = url;
  for (const name of config.env.apiKey) told[name] = apiKey;
  const delay = monitorEventLoopDelay();
  delay.enable();
  const begun = performance.now();
  try {
    if (interrupted.aborted) return undefined;
    const exitCode = await runChild(command, {
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, ...env, ...told },
      aside: true,
      graceMs: 1_000,
      onOutput(text) {
        if (output.length < keptOutput) output += text;
      },
      ...(limitMs !== undefined && { limitMs }),
      onLimit() {
        isTimeout = true;
        for (const id of listed()) open.add(id);
      },
    });
    const seconds = (performance.now() - begun) / 1_000;
    await sleep(settlingMs);
    for (const id of listed()) look(id);
    // The default world is there in every run: it counts where it was used.
    if (worlds.get('default')?.total === 0) worlds.delete('default');
    return { exitCode, isTimeout, output, seconds, isBusy: delay.max > busyMs * 1e6, worlds, open };
  } finally {
    delay.disable();
    await emulator.close();
  }
}

function lookAt(id: string, controls: Controls): SeenWorld {
  const { requests, total } = controls.requests.list({ limit: mostRequests });
  return seenWorld(id, {
    requests,
    streams: controls.streams.list(),
    total,
    // The content of the scenario was not bought by the client: expectations do not count it either.
    ledger: controls.ledger().filter(({ type, requestId }) => type !== 'charge' || requestId !== 'scenario'),
    payments: controls.payments.list(),
    containers: controls.containers.list(),
    verdicts: controls.verdicts().verdicts,
    expectations: controls.scenarios.expectations().expectations,
    faults: controls.faults.list(),
    operations: controls.coverage().operations,
  });
}
