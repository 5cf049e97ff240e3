// The user's own app behind a container: where it is, and whether its health path answers.

import type { ClientRequest, IncomingMessage } from 'node:http';
import { clientFor } from '../../kernel/http-client.js';
import type { World } from '../../worlds/world.js';
import type { ContainerState } from './lifecycle.js';
import type { ContainerRecord } from './store.js';

/** The URL that a container forwards to, or undefined where the emulator answers itself. */
export function upstreamOf({ config }: World, record: Pick<ContainerRecord, 'project_name'>): string | undefined {
  const { upstreams } = config.containers;
  const upstream = Object.hasOwn(upstreams, record.project_name) ? upstreams[record.project_name] : undefined;
  return typeof upstream === 'number' ? `http://127.0.0.1:${upstream}` : upstream;
}

/** What an upstream's health path answered: a status, or why there is none. */
export interface Probe {
  code: number | null;
  /** What is wrong with it, or null. */
  problem: string | null;
  /** Wall milliseconds. */
  ms: number;
}

const patienceMs = 2_000;

/** Asks the upstream of a container that serves for its health; undefined where there is nothing to ask. */
export async function probeUpstream(
  world: World,
  record: ContainerRecord,
  { serving }: ContainerState,
): Promise<Probe | undefined> {
  const upstream = upstreamOf(world, record);
  if (upstream === undefined || serving === undefined) return undefined;
  const path = serving.deployment.spec.health_check_path;
  const begun = performance.now();
  const { code, failure } = await ask(`${upstream.replace(/\/+$/, '')}${path.startsWith('/') ? '' : '/'}${path}`);
  const isHealthy = code !== null && code >= 200 && code < 400;
  const problem = isHealthy ? null : `GET ${path} on ${upstream} ${code === null ? failure : `answered ${code}`}`;
  return { code, problem, ms: Math.round(performance.now() - begun) };
}

function ask(url: string): Promise<{ code: number | null; failure: string }> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(patienceMs);
    const options = { signal, agent: false };
    const heard = (answer: IncomingMessage): void => {
      answer.destroy();
      resolve({ code: answer.statusCode ?? null, failure: '' });
    };
    let sent: ClientRequest;
    try {
      sent = clientFor(url).get(url, options, heard);
    } catch (error) {
      return resolve({ code: null, failure: `cannot be asked: ${(error as Error).message}` });
    }
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const failure = signal.aborted ? 'did not answer within 2 s' : `did not answer (${error.code ?? error.message})`;
      resolve({ code: null, failure });
    });
    sent.on('close', () => resolve({ code: null, failure: 'did not answer' }));
  });
}
