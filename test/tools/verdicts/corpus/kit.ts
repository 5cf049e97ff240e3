// The parts of the corpus's clients: transports, waits in virtual time, and how a case is written down.

import http from 'node:http';
import type { CreateEmulatorOptions, Emulator } from '../../../../src/index.js';
import { image } from '../../../support/emulator.js';

export type Outcome = 'pass' | 'fail' | 'unclear' | 'not-exercised';

/** A small client, and how it is to be judged. */
export interface Case {
  name: string;
  /** Why these are the right verdicts. */
  why: string;
  /** The verdicts of the rules that it is about; every other one passes or is not exercised. */
  verdicts: Record<string, Outcome | readonly Outcome[]>;
  settings?: CreateEmulatorOptions;
  client: (kit: Kit) => Promise<unknown>;
}

export interface Reply {
  /** 0: there was no answer. */
  status: number;
  headers: Record<string, string>;
  body: any;
}

/** Sends one request with the key of the emulator. */
export type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>;

export interface Kit {
  emulator: Emulator;
  /** Node's fetch, with its own pool. */
  fetch: Send;
  /** Node's fetch, whose answers nobody reads. */
  careless: Send;
  /** A client of node:http with an agent of its own. */
  agent: (options?: http.AgentOptions) => Send;
  /** Waits, by moving the clock. */
  wait: (ms: number) => Promise<unknown>;
  /** Does each thing at its instant, in milliseconds from now; those of one instant at once. */
  schedule: (plan: readonly [ms: number, act: () => Promise<unknown>][]) => Promise<void>;
  /** Lets an operation fail so many times. */
  fail: (operation: string, times: number, effect?: object, phase?: 'before' | 'after') => void;
}

export function kitFor(emulator: Emulator): Kit & { close: () => void } {
  const agents: http.Agent[] = [];
  const authorization = `Bearer ${emulator.apiKey}`;
  const wait = (ms: number): Promise<unknown> => emulator.controls.clock.advance(Math.round(ms));
  return {
    emulator,
    wait,
    fetch: async (method, path, body, headers = {}) => {
      try {
        const response = await emulator.fetch(path, request(method, body, { authorization, ...headers }));
        const text = await response.text();
        return { status: response.status, headers: Object.fromEntries(response.headers), body: parsed(text) };
      } catch {
        return { status: 0, headers: {}, body: undefined };
      }
    },
    careless: async (method, path, body, headers = {}) => {
      const response = await emulator.fetch(path, request(method, body, { authorization, ...headers }));
      return { status: response.status, headers: Object.fromEntries(response.headers), body: undefined };
    },
    agent(options = { keepAlive: true, maxSockets: 1 }) {
      const agent = new http.Agent(options);
      agents.push(agent);
      return (method, path, body, headers = {}) =>
        sendBy(agent, emulator.url + path, { method, headers: { authorization, ...headers } }, body);
    },
    async schedule(plan) {
      const instants = [...new Set(plan.map(([ms]) => ms))].sort((a, b) => a - b);
      let now = 0;
      for (const instant of instants) {
        if (instant > now) await wait(instant - now);
        now = instant;
        await Promise.all(plan.filter(([ms]) => ms === instant).map(([, act]) => act()));
      }
    },
    fail: (operation, times, effect = { error: 'SERVICE_UNAVAILABLE' }, phase = 'before') =>
      void emulator.controls.faults.add({ match: { operation }, when: { times }, phase, effect }),
    close: () => {
      for (const agent of agents) agent.destroy();
    },
  };
}

function request(method: string, body: unknown, headers: Record<string, string>): RequestInit {
  if (body instanceof FormData) return { method, headers, body };
  return { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
}

async function sendBy(agent: http.Agent, url: string, options: http.RequestOptions, body: unknown): Promise<Reply> {
  const form = body instanceof FormData ? new Response(body) : undefined;
  const content = form === undefined ? body && JSON.stringify(body) : Buffer.from(await form.arrayBuffer());
  const headers = {
    ...options.headers,
    ...(form !== undefined && { 'content-type': form.headers.get('content-type') }),
  };
  return new Promise((resolve) => {
    const lost = (): void => resolve({ status: 0, headers: {}, body: undefined });
    const sent = http.request(url, { ...options, headers, agent } as http.RequestOptions, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('error', lost).on('end', () => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers: headers as Record<string, string>, body: parsed(text) });
      });
    });
    sent.on('error', lost);
    sent.end(content);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export const containers = '/api/v1/containers';
export const agents = '/api/my-agents/characters';
export const wanted = { name: 'Shop', project_name: 'shop', ecr_image_uri: image };

/** A 429 that tells to wait half a minute. */
export const refusal = { error: 'RATE_LIMITED', retryAfter: 30 };

/** So many of something. */
export function times<Made>(count: number, make: (index: number) => Made): Made[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Tries until it works, waiting as it is told to by `waits`. */
export async function retrying(send: () => Promise<Reply>, waits: readonly number[], kit: Kit): Promise<Reply> {
  let reply = await send();
  for (const ms of waits) {
    if (reply.status !== 0 && reply.status !== 429 && reply.status < 500) return reply;
    if (ms > 0) await kit.wait(ms);
    reply = await send();
  }
  return reply;
}
