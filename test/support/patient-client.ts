// A client that bears what goes wrong: it waits as it is told, or longer and longer, by moving the clock.

import type { Platform } from './emulator.js';

export interface Reply {
  /** 0: there was no answer, or not all of it. */
  status: number;
  body: any;
  headers: Headers;
  ms: number;
}

export interface PatientClient {
  /** One attempt. */
  once(method: string, path: string, body?: object): Promise<Reply>;
  /** Attempts until there is an answer that is not "later". */
  patiently(method: string, path: string, body?: object): Promise<Reply>;
  /** Looks at a container as often as advised until it has one of the statuses. */
  until(id: string, wanted: readonly string[], every: number): Promise<string>;
}

const attempts = 10;

export function patientClient(emulator: Platform): PatientClient {
  const pass = (ms: number): Promise<unknown> => emulator.controls.clock.advance(ms);

  async function once(method: string, path: string, body?: object): Promise<Reply> {
    const startedAt = performance.now();
    const ms = (): number => performance.now() - startedAt;
    try {
      const response = await emulator.fetch(path, {
        method,
        headers: { authorization: `Bearer ${emulator.apiKey}` },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const content = await response.json();
      return { status: response.status, body: content, headers: response.headers, ms: ms() };
    } catch {
      return { status: 0, body: undefined, headers: new Headers(), ms: ms() };
    }
  }
  async function patiently(method: string, path: string, body?: object): Promise<Reply> {
    for (let failures = 0; failures < attempts; failures++) {
      const reply = await once(method, path, body);
      if (reply.status !== 0 && reply.status !== 429 && reply.status < 500) return reply;
      const told = reply.headers.get('retry-after');
      await pass(told === null ? 200 * 2 ** failures : Number(told) * 1_000);
    }
    throw new Error(`${method} ${path} failed ${attempts} times`);
  }
  return {
    once,
    patiently,
    async until(id, wanted, every) {
      for (let looks = 0; looks < 500; looks++) {
        const { status } = (await patiently('GET', `/api/v1/containers/${id}`)).body.data;
        if (wanted.includes(status)) return status;
        await pass(every);
      }
      throw new Error(`it never was ${wanted.join(' or ')}`);
    },
  };
}
