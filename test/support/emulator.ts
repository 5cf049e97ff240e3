// Starting emulators in tests, and the few calls that most tests make.

import { type CreateEmulatorOptions, createEmulator, type Emulator } from '../../src/index.js';

const open: Emulator[] = [];

/** Closes the emulators that a test has started. */
export async function closeEmulators(): Promise<void> {
  await Promise.all(open.splice(0).map((emulator) => emulator.close()));
}

/** An emulator that is closed after the test: frozen clock, fixed seed, unless told otherwise. */
export async function startEmulator(options: CreateEmulatorOptions = {}): Promise<Emulator> {
  const emulator = await createEmulator({
    seed: 'test',
    clock: '2026-01-01T00:00:00Z',
    frozen: true,
    strict: { responses: true },
    ...options,
  });
  open.push(emulator);
  return emulator;
}

/** What requests go to: an emulator, or a world of one. */
export type Client = Pick<Emulator, 'fetch' | 'apiKey'>;

export interface Answer<Body = any> {
  status: number;
  headers: Headers;
  body: Body;
  text: string;
}

/** A body as fetch takes it: forms and texts as they are, everything else as JSON. */
export function asSent(body: unknown): string | FormData {
  return typeof body === 'string' || body instanceof FormData ? body : JSON.stringify(body);
}

/** A request with the seeded key; objects are sent as JSON, forms as forms. */
export async function call(
  emulator: Client,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await emulator.fetch(path, {
    method,
    headers: { authorization: `Bearer ${emulator.apiKey}`, ...headers },
    ...(body !== undefined && { body: asSent(body) }),
  });
  const text = await response.text();
  let parsed: unknown = text;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Not every answer is JSON.
  }
  return { status: response.status, headers: response.headers, body: parsed, text };
}

export const image = '127.0.0.1:4747/acme/web:v1';

/** Creates a container and returns its data. */
export async function deploy(
  emulator: Client,
  fields: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<any> {
  const answer = await call(
    emulator,
    'POST',
    '/api/v1/containers',
    { name: 'web', project_name: 'web', ecr_image_uri: image, ...fields },
    headers,
  );
  if (answer.status !== 202) throw new Error(`deploy answered ${answer.status}: ${answer.text}`);
  return answer.body.data;
}

export async function getContainer(emulator: Client, id: string): Promise<any> {
  return (await call(emulator, 'GET', `/api/v1/containers/${id}`)).body.data;
}
