// The emulator of a random history: in this process, or a program that can be killed.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '../../src/client.js';
import { type CreateEmulatorOptions, createEmulator, type Emulator } from '../../src/index.js';
import { type RunningCommand, startCommand, tempDir } from './command.js';
import type { Client } from './emulator.js';

type Awaitable<Controls> = {
  [Name in keyof Controls]: Controls[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Result | Promise<Awaited<Result>>
    : Awaitable<Controls[Name]>;
};

export interface PlayedEmulator {
  client: Client;
  controls: Awaitable<Pick<Emulator['controls'], 'clock' | 'containers' | 'organizations'>>;
  /** Ends it and starts it again with the same data: `kill` gives it no time to store anything. */
  again(kill: boolean): Promise<void>;
  end(): Promise<void>;
}

const clock = '2026-01-01T06:00:00Z';

/** Starts an emulator with a frozen clock. */
export async function playedEmulator(
  seed: string,
  settings: CreateEmulatorOptions,
  where: 'memory' | 'directory' | 'program',
): Promise<PlayedEmulator> {
  return where === 'program' ? program(seed, settings) : inProcess(seed, settings, where === 'directory');
}

async function inProcess(seed: string, settings: CreateEmulatorOptions, stored: boolean): Promise<PlayedEmulator> {
  const dataDir = stored ? tempDir() : undefined;
  const options = { seed, clock, frozen: true, ...settings, ...(dataDir !== undefined && { dataDir }) };
  let emulator = await createEmulator(options);
  return {
    get client() {
      return emulator;
    },
    get controls() {
      return emulator.controls;
    },
    async again() {
      await emulator.close();
      emulator = await createEmulator(options);
    },
    async end() {
      await emulator.close();
      if (dataDir !== undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function program(seed: string, settings: CreateEmulatorOptions): Promise<PlayedEmulator> {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'emulator.config.json'), JSON.stringify(settings));
  const start = (): Promise<RunningCommand> =>
    startCommand(['--quiet', '--frozen', '--seed', seed, '--clock', clock, '--data-dir', 'data'], { cwd });
  const parts = (running: RunningCommand) => {
    const { fetch, controls } = connect({ url: running.url });
    return { running, client: { fetch, apiKey: running.apiKey }, controls };
  };
  let now = parts(await start());
  return {
    get client() {
      return now.client;
    },
    get controls() {
      return now.controls as PlayedEmulator['controls'];
    },
    async again(kill) {
      await now.running.end(kill ? 'SIGKILL' : 'SIGTERM');
      now = parts(await start());
    },
    async end() {
      await now.running.end('SIGKILL');
      rmSync(cwd, { recursive: true, force: true });
    },
  };
}
