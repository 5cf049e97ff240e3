// Both sides of `drift` in tests: the platform is another emulator, with another seed and other data.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { askEmulator, askSide, recorded, stateIn, wrongOf } from '../../src/cli/drift/emulator-side.js';
import { Line } from '../../src/cli/drift/line.js';
import { loadConfig } from '../../src/config/load.js';
import type { CreateEmulatorOptions, Emulator } from '../../src/index.js';
import { surfaceOf } from '../../src/platform/surface.js';
import type { Documented } from '../../src/tools/drift/compare.js';
import { addFacts, type DriftAnswer, type Facts } from '../../src/tools/drift/facts.js';
import type { Said } from '../../src/tools/drift/judge.js';
import { nounsOf } from '../../src/tools/drift/nouns.js';
import { type Question, questionsOf } from '../../src/tools/drift/questions.js';
import type { RecordedExchange } from '../../src/tools/incidents/exchange.js';
import { tempDir } from './command.js';
import { call, deploy, startEmulator } from './emulator.js';

export interface BothSides {
  questions: Question[];
  ours: Said;
  theirs: Map<string, Facts>;
  /** The answers of the platform to each question that its key asked. */
  answers: Map<string, DriftAnswer>;
  documented: Documented;
}

/** An emulator that plays the platform, with a few things in it. */
export async function startPlatform(
  profile: string,
  filled: boolean,
  seed = 'platform',
  options: CreateEmulatorOptions = {},
): Promise<Emulator> {
  const emulator = await startEmulator({ seed, profile: profile as 'spec', ...options });
  if (!filled) return emulator;
  await call(emulator, 'POST', '/api/v1/app/agents', { name: 'Ada', bio: 'lorem' });
  await call(emulator, 'POST', '/api/v1/app/agents', { name: 'Grace' });
  await call(emulator, 'POST', '/api/v1/eliza/agents', { agentName: 'Host' });
  if (profile !== 'elizacloud') {
    await call(emulator, 'POST', '/api/v1/eliza/agents', { agentName: 'Own', alwaysOn: true, forceCreate: true });
    await deploy(emulator, { name: 'shop', project_name: 'shop' });
    await emulator.controls.clock.advance('20m');
    await deploy(emulator, { name: 'web', project_name: 'web' });
  }
  return emulator;
}

/** Asks both sides. */
export async function askBoth(platform: Emulator, profile: string): Promise<BothSides> {
  const { config } = loadConfig({
    cwd: tempDir(),
    env: {},
    file: null,
    flags: { profile, port: 0, ephemeral: true, quiet: true },
  });
  const surface = surfaceOf(config);
  const plan = { config, surface, nouns: nounsOf(config), questions: questionsOf(config, '1'), lives: [] };
  const answers = new Map<string, DriftAnswer>();
  const read: RecordedExchange[] = [];
  const line = new Line({
    base: platform.url,
    key: platform.apiKey,
    wrongKey: wrongOf(platform.apiKey),
    name: 'drift-11111111',
    pauseMs: 0,
    most: Infinity,
    wait: async () => {},
  });
  const { facts: theirs } = await askSide(plan, line, {
    hears(question, path, answer) {
      const { text: _, ...kept } = answer;
      answers.set(question.id, kept);
      read.push(recorded(read.length, question, platform.url + path, answer));
    },
  });
  const { asked, documented } = await askEmulator(plan, stateIn(read, surface, profile));
  return { questions: plan.questions, ours: asked, theirs, answers, documented };
}

/** What the platform would have said with another answer to one question. */
export const saidWith = (theirs: ReadonlyMap<string, Facts>, id: string, answer: DriftAnswer): Map<string, Facts> =>
  new Map([...theirs, [id, addFacts({}, answer)]]);

export type Reply = { status: number; headers: Record<string, string>; body: string };

export interface Stand {
  /** What is sent on in the place of a request; an answer: nothing is. */
  before?: (req: Request) => Partial<Request> | Reply | undefined | Promise<Partial<Request> | Reply | undefined>;
  change?: (answer: Reply, req: Request) => unknown;
}

export interface Request {
  method: string;
  url: string;
  body: Buffer;
  authorization: string | undefined;
  /** From 1 on. */
  number: number;
}

/** A reply that is none: the connection breaks. */
export const broken: Reply = { status: 0, headers: {}, body: '' };

const servers: Server[] = [];

export function closeStands(): void {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
}

/** A platform behind a proxy that plants differences; `undefined` of `before` sends a request on as it is. */
export async function standIn(platform: Emulator, { before, change }: Stand = {}): Promise<string> {
  let number = 0;
  const server = createServer(async (req, res) => {
    const pieces: Buffer[] = [];
    for await (const piece of req) pieces.push(piece as Buffer);
    const { authorization } = req.headers;
    const asked = { method: req.method ?? 'GET', url: req.url ?? '', body: Buffer.concat(pieces), authorization };
    const request: Request = { ...asked, number: ++number };
    const other = await before?.(request);
    if (other !== undefined && 'status' in other) {
      if (other.status === 0) return void res.destroy();
      return void res.writeHead(other.status, other.headers).end(other.body);
    }
    const sent = { ...request, ...other };
    const type = req.headers['content-type'];
    const headers = {
      ...(type !== undefined && { 'content-type': type }),
      ...(authorization !== undefined && { authorization }),
    };
    const body = sent.body.length > 0 ? { body: new Uint8Array(sent.body) } : {};
    const answer = await fetch(platform.url + sent.url, { method: sent.method, headers, ...body });
    const said = { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
    await change?.(said, request);
    for (const name of ['content-length', 'connection', 'keep-alive', 'transfer-encoding']) delete said.headers[name];
    res.writeHead(said.status, said.headers).end(said.body);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
