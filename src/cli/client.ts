// The typed client of the control plane, and how a verb finds its emulator.

import { resolve } from 'node:path';
import { ConfigError } from '../config/error.js';
import { loadConfig } from '../config/load.js';
import type { Health } from '../controls/info.js';
import type { TestKey } from '../controls/keys.js';
import type { FieldProblem } from '../kernel/errors.js';
import { type RunFile, readRunFile } from './run-file.js';

export interface TargetOptions {
  url?: string | undefined;
  dataDir?: string | undefined;
  token?: string | undefined;
}

export interface Target {
  /** What clients are told. */
  url: string;
  /** Where the verbs reach it. */
  local: string;
  /** How it was found, for messages. */
  from: string;
  run: RunFile | undefined;
  token: string | undefined;
}

/** There is no emulator, or it did not answer as one; the message is for the person. */
export class Unreachable extends Error {}

/** It answered, but does not let this caller control it. */
export class Refused extends Unreachable {}

/** It understood the call and does not do it: 2 when it was asked wrongly, 1 when it cannot. */
export class Declined extends Error {
  constructor(
    message: string,
    readonly exitCode: 1 | 2,
  ) {
    super(message);
  }
}

const defaultUrl = 'http://127.0.0.1:4747';

/**
 * The emulator that is meant: --url, --data-dir, CLOUDEMU_URL, the data directory's run file, or port 4747.
 *
 * @throws Unreachable when the named data directory has no running emulator; ConfigError when the URL is none
 */
export function findTarget(options: TargetOptions): Target {
  const settings = readSettings();
  const token = options.token ?? settings.token;
  if (options.url !== undefined) return byUrl(options.url, '--url', settings.dataDir, token);
  if (options.dataDir !== undefined) {
    const run = readRunFile(options.dataDir);
    if (run === undefined)
      throw new Unreachable(
        `No emulator runs on ${resolve(options.dataDir)}. \`cloudemu start --data-dir ${options.dataDir}\` runs one.`,
      );
    return byRunFile(run, options.dataDir, token);
  }
  const fromEnvironment = process.env.CLOUDEMU_URL ?? '';
  if (fromEnvironment !== '') return byUrl(fromEnvironment, 'CLOUDEMU_URL', settings.dataDir, token);
  const run = readRunFile(settings.dataDir);
  if (run !== undefined) return byRunFile(run, settings.dataDir, token);
  return {
    url: defaultUrl,
    local: defaultUrl,
    from: 'the default; no running emulator has its run file here',
    run: undefined,
    token,
  };
}

function byRunFile(run: RunFile, dataDir: string, token: string | undefined): Target {
  return { url: run.url, local: run.local, from: `the run file in ${dataDir}`, run, token };
}

function byUrl(given: string, from: string, dataDir: string, token: string | undefined): Target {
  const url = given.replace(/\/+$/, '');
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    const hint = URL.canParse(`http://${url}`) ? `; did you mean "http://${url}"?` : '';
    throw new ConfigError([`${from} must be a URL that begins with http:// or https://, got "${given}"${hint}`]);
  }
  const run = readRunFile(dataDir);
  const isIt = run !== undefined && [run.url, run.local].map(plainOrigin).includes(plainOrigin(url));
  return { url, local: url, from, run: isIt ? run : undefined, token };
}

// localhost, 127.0.0.1 and [::1] are one.
function plainOrigin(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  return `${protocol}//${/^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname) ? 'loopback' : hostname}:${port}`;
}

// A broken settings file must not keep `stop` from working.
function readSettings(): { dataDir: string; token: string | undefined } {
  try {
    const { data, server } = loadConfig({ env: process.env }).config;
    return { dataDir: data.dir, token: server.controlToken ?? undefined };
  } catch {
    return { dataDir: '.cloudemu', token: undefined };
  }
}

/** Calls of the control plane. */
export function createClient(target: Target, timeoutMs = 5_000) {
  async function send<T>(method: string, path: string, content: unknown, key: keyof T): Promise<T> {
    const { local, from, token } = target;
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const body = content === undefined ? undefined : JSON.stringify(content);
    let response: Response;
    try {
      response = await fetch(`${local}/_emulator${path}`, {
        method,
        headers,
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(timeoutMs),
      });
    } catch {
      throw new Unreachable(`No emulator answers at ${local} (${from}). \`cloudemu start\` runs one.`);
    }
    const answer = (await response.json().catch(() => null)) as (T & ErrorBody) | null;
    if (response.ok && answer?.[key] !== undefined) return answer;
    throw failureOf(response.status, answer, target, path);
  }
  /** Reads a door; `key` is a field that its answer has. */
  const get = <T>(path: string, key: keyof T): Promise<T> => send('GET', path, undefined, key);
  return {
    get,
    /** Acts through a door; `key` is a field that its answer has. */
    post: <T>(path: string, key: keyof T, body?: unknown): Promise<T> => send('POST', path, body, key),
    health: () => get<Health>('/health', 'version'),
    keys: async (): Promise<TestKey[]> => (await get<{ keys: TestKey[] }>('/keys', 'keys')).keys,
    config: () => get<{ env: { baseUrl: string[]; apiKey: string[] } }>('/config', 'env'),
  };
}

/**
 * A query string of what is given.
 *
 * @example queryOf({ since: '10m', limit: undefined }) // '?since=10m'
 */
export function queryOf(values: Record<string, string | undefined>): string {
  const given = Object.entries(values).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

interface ErrorBody {
  error?: { message?: string; requestId?: string; details?: unknown } | string;
  requestId?: string;
  details?: unknown;
}

function failureOf(status: number, body: ErrorBody | null, { local, from }: Target, path: string): Error {
  const { message, requestId, details } =
    typeof body?.error === 'object' ? body.error : { ...body, message: body?.error };
  if (status === 401)
    return new Refused(
      `${message ?? `${local} wants its control token`}. Name it with --token or CLOUDEMU_CONTROL_TOKEN.`,
    );
  if (status === 403) return new Refused(message ?? `${local} refused the request (403)`);
  // What the control plane answers bears this in place of a request's id.
  if (requestId === 'control')
    return new Declined(problemIn(details) ?? message ?? `${path} gave ${status}`, status === 400 ? 2 : 1);
  return new Unreachable(`What answers at ${local} (${from}) is no cloudemu: ${path} gave ${status}.`);
}

function problemIn(details: unknown): string | undefined {
  const [problem] = Array.isArray(details) ? (details as Partial<FieldProblem>[]) : [];
  if (problem?.path === undefined || problem.message === undefined) return undefined;
  const { path, message, received, suggestion } = problem;
  const got = received === undefined ? '' : `, got ${received}`;
  return `${path} ${message}${got}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`;
}
