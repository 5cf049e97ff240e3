// An emulator in a process of its own, and the CPU time that it spends on a request: neither the client's work nor a busy
// machine is in it.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { fileURLToPath } from 'node:url';
import { connect } from '../../../src/client.js';
import type { Shot } from './hostile.js';
import { type Asked, type Reply, send } from './hostile-run.js';

const nodeOptions = [
  // Garbage is collected before each sample and not during it, since it comes in steps.
  '--expose-gc',
  '--single-threaded-gc',
  '--min-semi-space-size=512',
  '--max-semi-space-size=512',
  '--no-flush-bytecode',
  // Queries and headers may be longer than Node takes by itself, so that their share can be seen.
  '--max-http-header-size=2097152',
];

export interface MeasuredEmulator {
  /** Begins a world, which replaces the one before. */
  open(): Promise<Asked & { close(): Promise<void> }>;
  /** Collects all garbage, before a series of samples. */
  clean(): Promise<void>;
  /** Sends a request to the world, and tells the CPU milliseconds that it took. */
  time(asked: Asked, shot: Shot, path: string): Promise<{ ms: number; reply: Reply }>;
  close(): Promise<void>;
}

/** @param profileDir where Node writes a CPU profile when the emulator is closed */
export async function startMeasured(settings: object, profileDir?: string): Promise<MeasuredEmulator> {
  const profile = profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`];
  const program = fileURLToPath(new URL('measured-emulator.mjs', import.meta.url));
  const child = fork(program, [JSON.stringify(settings)], { execArgv: [...nodeOptions, ...profile] });
  const [port] = (await once(child, 'message')) as [number];
  const ask = async <Answer>(what: 'open' | 'clean' | 'before' | 'after' | 'end' | 'close'): Promise<Answer> => {
    const answer = once(child, 'message');
    child.send(what);
    return (await answer)[0] as Answer;
  };
  return {
    async open() {
      const world = await ask<{ url: string; apiKey: string; organizationId: string }>('open');
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      return {
        emulator: { ...world, port, controls: connect({ url: world.url }).controls },
        agent,
        sent: 0,
        async close() {
          agent.destroy();
          await ask('end');
        },
      };
    },
    async clean() {
      await ask('clean');
    },
    async time(asked, shot, path) {
      const before = await ask<number>('before');
      const reply = await send(asked, shot, path);
      return { ms: (await ask<number>('after')) - before, reply };
    },
    async close() {
      const ended = once(child, 'exit');
      await ask('close');
      await ended;
    },
  };
}
