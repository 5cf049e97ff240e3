// Making keys in tests, and calling with them.

import { type Answer, call, type Platform } from './emulator.js';

export const keysPath = '/api/v1/api-keys';

export interface Minted {
  id: string;
  value: string;
  record: any;
}

/** Makes a key through the platform's API. */
export async function mint(emulator: Platform, fields: Record<string, unknown> = {}): Promise<Minted> {
  const answer = await call(emulator, 'POST', keysPath, { name: 'Worker', ...fields });
  if (answer.status !== 201) throw new Error(`minting answered ${answer.status}: ${answer.text}`);
  return { id: answer.body.apiKey.id, value: answer.body.plainKey, record: answer.body.apiKey };
}

/** A request with another key than the seeded one. */
export function callWith(
  emulator: Platform,
  key: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  return call(emulator, method, path, body, { authorization: `Bearer ${key}` });
}
