// Starting emulators in tests, and the few calls that most tests make.

import { type CreateEmulatorOptions, createEmulator, type Emulator, type EmulatorWorld } from '../../src/index.js';

const open: Emulator[] = [];
const worlds: EmulatorWorld[] = [];
/** Settings that no file of this repository decides, and responses as they are declared. */
const exact = { configFile: false, strict: { responses: true } } as const;
/** The emulators that the worlds of a file share, by their settings. */
const shared = new Map<string, Promise<Emulator>>();

/** Closes the emulators and worlds that a test has started. */
export async function closeEmulators(): Promise<void> {
  for (const world of worlds.splice(0)) world.close();
  await Promise.all(open.splice(0).map((emulator) => emulator.close()));
}

/** Closes the emulators that the worlds of a file have shared. */
export async function closeShared(): Promise<void> {
  const all = [...shared.values()];
  shared.clear();
  await Promise.all(all.map(async (emulator) => (await emulator).close()));
}

/** Settings as for an emulator; a world has no port, data directory or file of settings of its own. */
export interface WorldOptions extends Omit<CreateEmulatorOptions, 'clock' | 'port' | 'dataDir' | 'configFile'> {
  clock?: string | undefined;
}

/**
 * A world that ends after the test, with a frozen clock and a fixed seed unless told otherwise. The worlds of a file with
 * the same settings share an emulator: a world takes a millisecond, an emulator and its first request seven.
 */
export async function startWorld({
  seed = 'test',
  clock = '2026-01-01T00:00:00Z',
  frozen = true,
  ...settings
}: WorldOptions = {}): Promise<EmulatorWorld> {
  const key = JSON.stringify(settings);
  const emulator = shared.get(key) ?? createEmulator({ ...exact, frozen: true, ...settings });
  shared.set(key, emulator);
  const world = await (await emulator).createWorld({ seed, clock: { start: clock, frozen } });
  worlds.push(world);
  return world;
}

/** An emulator that is closed after the test: frozen clock, fixed seed, unless told otherwise. */
export async function startEmulator(options: CreateEmulatorOptions = {}): Promise<Emulator> {
  const emulator = await createEmulator({
    seed: 'test',
    clock: '2026-01-01T00:00:00Z',
    frozen: true,
    ...exact,
    ...options,
  });
  open.push(emulator);
  return emulator;
}

/** An emulator, or a world of one. */
export type Platform = Pick<Emulator, 'url' | 'fetch' | 'apiKey' | 'organizationId' | 'userId' | 'controls'>;

/** The target of requests. */
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
