// The user's own app behind a container: its address, and whether its health path responds.

import type { ClientRequest, IncomingMessage } from 'node:http';
import { afterWall } from '../../../core/clock.js';
import { elapsed } from '../../../core/real-time.js';
import { clientFor } from '../../../http/forward.js';
import type { World } from '../../../world/world.js';
import type { ContainerState } from '../lifecycle/lifecycle.js';
import { processesOf } from '../processes.js';
import type { ContainerRecord } from '../store.js';

/** The URL to which the settings forward a container, or undefined where they name none. */
export function upstreamOf({ config }: World, record: Pick<ContainerRecord, 'project_name'>): string | undefined {
  const { upstreams } = config.containers;
  const upstream = Object.hasOwn(upstreams, record.project_name) ? upstreams[record.project_name] : undefined;
  return typeof upstream === 'number' ? `http://127.0.0.1:${upstream}` : upstream;
}

// How long a request waits for a process that is being started.
const startPatienceMs = 10_000;

/**
 * The URL to which a container forwards now: the configured one, or its own process, for whose start it waits a while.
 *
 * @returns undefined where the emulator itself serves, null while the process does not listen yet
 */
export async function reachUpstream(world: World, record: ContainerRecord): Promise<string | undefined | null> {
  const process = upstreamOf(world, record) === undefined ? processesOf(world)?.find(world, record.id) : undefined;
  if (process === undefined) return upstreamOf(world, record);
  if (process.url === undefined) {
    let cancel = (): void => {};
    const patience = new Promise<void>((resolve) => {
      cancel = afterWall(startPatienceMs, resolve);
    });
    await Promise.race([process.settled, patience]);
    cancel();
  }
  const current = processesOf(world)?.find(world, record.id);
  return current === undefined ? undefined : (current.url ?? null);
}

/** The result of an upstream's health path: a status, or why there is none. */
export interface Probe {
  code: number | null;
  /** The problem of the upstream, or null. */
  problem: string | null;
  /** Wall milliseconds. */
  ms: number;
}

const patienceMs = 2_000;

/** Probes the health of a serving container's upstream; undefined where there is none. */
export async function probeUpstream(
  world: World,
  record: ContainerRecord,
  { serving }: ContainerState,
): Promise<Probe | undefined> {
  if (serving === undefined) return undefined;
  const process = processesOf(world)?.find(world, record.id);
  const upstream = upstreamOf(world, record) ?? process?.url;
  if (upstream === undefined)
    return process === undefined ? undefined : { code: null, problem: 'its process is being started', ms: 0 };
  const path = serving.deployment.spec.health_check_path;
  const begun = elapsed();
  const { code, failure } = await askHealth(`${upstream.replace(/\/+$/, '')}${path.startsWith('/') ? '' : '/'}${path}`);
  const isHealthy = code !== null && code >= 200 && code < 400;
  const problem = isHealthy ? null : `GET ${path} on ${upstream} ${code === null ? failure : `answered ${code}`}`;
  return { code, problem, ms: Math.round(elapsed() - begun) };
}

/** Requests a URL: the status of the response, or why there is none. */
export function askHealth(url: string): Promise<{ code: number | null; failure: string }> {
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
