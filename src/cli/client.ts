// The typed client of the control plane, and how a verb finds its emulator.

import type { TestKey } from '../controls/keys.js';
import type { Health } from '../controls/info.js';
import { loadConfig } from '../config/load.js';
import { readRunFile, type RunInfo } from './run-file.js';

export interface TargetOptions {
  url?: string | undefined;
  dataDir?: string | undefined;
  token?: string | undefined;
}

export interface Target {
  url: string;
  /** Why it is this one, for messages. */
  from: string;
  run: RunInfo | undefined;
  token: string | undefined;
}

/** The emulator did not answer, or not as one. */
export class Unreachable extends Error {}

const defaultUrl = 'http://127.0.0.1:4747';

/** The emulator that is meant: --url, CLOUDEMU_URL, the data directory's run file, or port 4747. */
export function findTarget(options: TargetOptions): Target {
  const token = options.token ?? process.env.CLOUDEMU_CONTROL_TOKEN;
  const given = options.url ?? process.env.CLOUDEMU_URL;
  const run = readRunFile(options.dataDir ?? configuredDataDir());
  if (given !== undefined && given !== '') {
    const url = given.replace(/\/+$/, '');
    return { url, from: options.url === undefined ? 'CLOUDEMU_URL' : '--url', run: run?.url === url ? run : undefined, token };
  }
  if (run !== undefined) return { url: run.url, from: 'its run file', run, token };
  return { url: defaultUrl, from: 'the default port', run: undefined, token };
}

// A broken settings file must not keep `stop` from working.
function configuredDataDir(): string {
  try {
    return loadConfig({ env: process.env }).config.data.dir;
  } catch {
    return '.cloudemu';
  }
}

/** Calls of the control plane. */
export function createClient(target: Target) {
  async function get<T>(path: string): Promise<T> {
    const headers: Record<string, string> = target.token === undefined ? {} : { authorization: `Bearer ${target.token}` };
    let response: Response;
    try {
      response = await fetch(`${target.url}/_emulator${path}`, { headers, signal: AbortSignal.timeout(5_000) });
    } catch {
      throw new Unreachable(`No emulator answers at ${target.url} (found by ${target.from}). \`cloudemu start\` runs one.`);
    }
    const body = (await response.json().catch(() => ({}))) as T & { error?: { message?: string } | string };
    if (response.ok) return body;
    const message = typeof body.error === 'object' ? body.error.message : body.error;
    throw new Unreachable(message ?? `${target.url} answered ${response.status}: it is no cloudemu, or not yet ready.`);
  }
  return {
    health: () => get<Health>('/health'),
    keys: async (): Promise<TestKey[]> => (await get<{ keys: TestKey[] }>('/keys')).keys,
    config: () => get<{ env: { baseUrl: string[]; apiKey: string[] } }>('/config'),
  };
}

