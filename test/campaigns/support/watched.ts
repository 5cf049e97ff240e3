// An emulator in a process of its own whose event loop and memory are watched while requests are sent to it.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { fileURLToPath } from 'node:url';
import { connect } from '../../../src/client.js';
import type { Asked } from './hostile-run.js';

const patienceMs = 60_000;

/** The longest turn of the event loop, and the most memory, while something was done. */
export interface Watched {
  blockedMs: number;
  rssMb: number;
}

export interface WatchedEmulator {
  asked: Asked;
  watch(act: () => Promise<unknown>): Promise<Watched>;
  close(): Promise<void>;
}

export async function startWatched(settings: object): Promise<WatchedEmulator> {
  const program = fileURLToPath(new URL('watched-emulator.mjs', import.meta.url));
  const child = fork(program, [JSON.stringify(settings)]);
  const [identity] = (await once(child, 'message')) as [Omit<Asked['emulator'], 'controls'>];
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  // The answer to what was asked last, or the end of the process.
  let settle: ((message: unknown) => void) | undefined;
  child.on('message', (message) => settle?.(message));
  child.on('exit', () => settle?.(undefined));
  const ask = async <Answer>(message: 'begin' | 'end' | 'close'): Promise<Answer> => {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('the emulator has ended');
    const answer = new Promise<unknown>((resolve) => {
      settle = resolve;
    });
    child.send(message);
    // Work without an end would keep the test waiting for ever.
    const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
    const arrived = await answer.finally(() => clearTimeout(timer));
    if (arrived === undefined) throw new Error(`the emulator has ended, or was busy for ${patienceMs} ms`);
    return arrived as Answer;
  };
  return {
    asked: { emulator: { ...identity, controls: connect({ url: identity.url }).controls }, agent, sent: 0 },
    async watch(act) {
      await ask('begin');
      await act();
      return ask<Watched>('end');
    },
    async close() {
      agent.destroy();
      if (child.exitCode === null && child.signalCode === null) await ask('close');
    },
  };
}
