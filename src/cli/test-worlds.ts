// A world for each test of node:test, pytest and unittest, without a fixture: files that these runners load say which test
// begins, and the URL that the process has been given leads to the world of that test from then on.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import type { ControlPlane } from '../app/control-plane.js';
import type { RunningEmulator } from '../app/emulator.js';
import type { Config } from '../config/schema.js';
import { fixturePath, readText } from '../core/files.js';
import { freshSecret } from '../core/random.js';
import { numberedIdOf } from '../tools/worlds/label.js';

interface TestWorldsOptions {
  /** The variables that tell the command where the platform is. */
  baseUrl: string[];
  /** That of each world, and of the default one: the key in the command's environment is one of each. */
  seed: string;
  /** The command's environment without them. */
  env: Record<string, string | undefined>;
}

const nodeFile = 'node.mjs';
const pythonFiles = ['sitecustomize.py', 'cloudemu_test_worlds.py'];
const plugin = 'cloudemu_test_worlds';

const longestLabel = 1_000;

const began = z.object({ process: z.string(), label: z.string(), isAtOnce: z.boolean() });

/** Waits for the runners of a command. */
export async function openTestWorlds(
  emulator: Pick<RunningEmulator, 'entrance' | 'url'>,
  plane: ControlPlane,
  { baseUrl, seed, env }: TestWorldsOptions,
) {
  const { worlds } = plane.controlsOf('default');
  const present = new Map<string, string>();
  const ids: string[] = [];
  const times = new Map<string, number>();
  let isMixed = false;

  const admit = async (): Promise<object> => {
    const id = String(present.size + 1);
    present.set(id, 'default');
    const { port } = await emulator.entrance(() => present.get(id) ?? 'default');
    const url = Object.assign(new URL(emulator.url), { port: String(port) }).origin;
    return { id, env: variablesOf(url, { baseUrl, apiKey: [] }) };
  };
  const begin = async (given: unknown): Promise<object> => {
    const { process, label, isAtOnce } = began.parse(given);
    // A name made from data may be of any length.
    const name = label.slice(0, longestLabel);
    isMixed ||= isAtOnce;
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    // Another id than that of the label: a world that the test makes itself has its name for a label, too, and its id must
    // be the same whether or not there is this world beside it.
    const { id } = await worlds.create({ id: numberedIdOf(`test > ${name}`, time), label: name, seed });
    ids.push(id);
    present.set(process, id);
    return { world: id };
  };
  const server = await openHelperServer(async (path, body, res) => {
    res.end(JSON.stringify(await (path === '/test' ? begin(body) : admit())));
  });
  const directory = writeFiles();
  return {
    /** What the command's environment has so that runners load the files. */
    env: {
      CLOUDEMU_TEST_WORLDS: server.url,
      NODE_OPTIONS: `${env.NODE_OPTIONS ?? ''} --import=${pathToFileURL(join(directory, nodeFile)).href}`.trim(),
      PYTHONPATH: [directory, ...(env.PYTHONPATH ?? '').split(delimiter)].filter((part) => part !== '').join(delimiter),
      PYTEST_PLUGINS: [...(env.PYTEST_PLUGINS ?? '').split(','), plugin].filter((part) => part !== '').join(','),
    },
    /** The worlds that were made, one for each test that has begun. */
    ids: ids as readonly string[],
    /** Those of the tests that have begun last, one in each process: the others have ended. */
    get current(): ReadonlySet<string> {
      return new Set(present.values());
    },
    /** Tests of one process ran at the same time: their requests cannot be told apart. */
    get isMixed() {
      return isMixed;
    },
    close() {
      server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The variables that tell a command where the emulator is, and with a key which one to use. */
export function variablesOf(url: string, { baseUrl, apiKey }: Config['env'], key = ''): Record<string, string> {
  return {
    CLOUDEMU_URL: url,
    CLOUDEMU_CONTROL: `${url}/_emulator`,
    ...Object.fromEntries([...baseUrl.map((name) => [name, url]), ...apiKey.map((name) => [name, key])]),
  };
}

// The executable contains them, where no runner finds them.
function writeFiles(): string {
  const directory = mkdtempSync(join(tmpdir(), 'cloudemu-test-worlds-'));
  for (const name of [nodeFile, ...pythonFiles])
    writeFileSync(join(directory, name), readText(fixturePath('test-worlds', name)));
  return directory;
}

// A server on this machine for the processes of a command that runs: only who was given its URL is heard. Any page can send
// requests to a port of this machine.

const mostBytes = 64 * 1_024;

/**
 * Listens on a free port.
 *
 * @param answer answers the JSON that was sent to a path below the URL, such as `/test`; what it throws is a 400
 */
export async function openHelperServer(
  answer: (path: string, body: unknown, res: ServerResponse) => void | Promise<void>,
) {
  const secret = `/${freshSecret()}`;
  let host = '';
  const server = createServer((req, res) => {
    const { url = '', method, headers } = req;
    if (method !== 'POST' || headers.host !== host || headers.origin !== undefined || !isBelow(url, secret))
      return void res.writeHead(403, { connection: 'close' }).end();
    hear(req)
      .then((body) => answer(url.slice(secret.length), body, res))
      .catch((error: unknown) =>
        res.writeHead(400, { connection: 'close' }).end(JSON.stringify({ error: String(error) })),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    /** Its address, with the secret in its path. */
    url: `http://${host}${secret}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const isBelow = (url: string, path: string): boolean => url === path || url.startsWith(`${path}/`);

async function hear(req: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of req as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > mostBytes) throw new Error(`the body is larger than ${mostBytes} bytes`);
    pieces.push(piece);
  }
  return JSON.parse(Buffer.concat(pieces).toString());
}
