// `cloudemu drift run --level 2` and `--level 3`: what they find, what they spend, and that nothing is left behind.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CreateEmulatorOptions, Emulator } from '../../src/index.js';
import { type Outcome, spawnCommand, tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';
import { broken, closeStands, type Reply, type Request, type Stand, standIn, startPlatform } from '../support/drift.js';
import { call, closeEmulators } from '../support/emulator.js';

let cwd: string;
beforeEach(() => {
  cwd = tempDir();
  writeFileSync(join(cwd, 'package.json'), '{}');
});
afterEach(async () => {
  closeStands();
  await closeEmulators();
});

const json = (status: number, body: object): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const isContainer = (url: string): boolean => /^\/api\/v1\/containers\/[0-9a-f-]{36}$/.test(url);
const isNowhere = (url: string): boolean => url.includes('d21f7000');

/** A platform on which a look at something that begins lasts two seconds, but no time here. */
function timed(platform: Emulator, { before, change }: Stand, stepMs = 2_000): Stand {
  return {
    async before(req) {
      if (req.method === 'GET' && /^\/api\/v1\/(containers|voice)\/[0-9a-f-]{36}$/.test(req.url) && !isNowhere(req.url))
        await platform.controls.clock.advance(stepMs);
      return before?.(req);
    },
    async change(answer, req) {
      answer.body = answer.body
        .replace(/"intervalMs":\d+/, '"intervalMs":1')
        .replace(/"expectedDurationMs":\d+/, '"expectedDurationMs":30');
      await change?.(answer, req);
    },
  };
}

const run = (words: string, platform: Emulator): Promise<Outcome> =>
  runHere(words.split(' '), { cwd, env: { PLATFORM_KEY: platform.apiKey } });

function against(
  platform: Emulator,
  url: string,
  more = '--level 3 --budget 1 --yes',
  profile = 'spec',
): Promise<Outcome> {
  platform.controls.limits.release();
  return run(`drift run --against ${url} --key-from PLATFORM_KEY --profile ${profile} ${more} --json`, platform);
}

const lists = [
  '/api/v1/containers',
  '/api/v1/api-keys',
  '/api/my-agents/characters?limit=100',
  '/api/v1/documents',
  '/api/v1/voice/list',
];

/** The ids of everything that the account shows. */
async function inventory(platform: Emulator): Promise<string[]> {
  const ids = await Promise.all(
    lists.map(async (path) => {
      const { text } = await call(platform, 'GET', path);
      return [...text.matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id ?? '');
    }),
  );
  return ids.flat().sort();
}

const balance = async (platform: Emulator): Promise<number> =>
  (await call(platform, 'GET', '/api/v1/credits/balance')).body.balance;

const written = (): string =>
  existsSync(join(cwd, 'drift'))
    ? readdirSync(join(cwd, 'drift'))
        .map((name) => readFileSync(join(cwd, 'drift', name), 'utf8'))
        .join('\n')
    : '';

const start = (profile = 'spec', options: CreateEmulatorOptions = {}): Promise<Emulator> =>
  startPlatform(profile, true, 'platform', options);

const sides = ['spec', 'elizacloud', 'elizacloud-v1'].flatMap((profile) =>
  ['--level 2', '--level 3 --budget 1', '--level 3 --budget 30'].map((level) => [profile, level] as const),
);

// `npm test` runs level 3, which asks what level 2 asks, too, by what it finds, below.
it.each(sides)('finds nothing where both are the same (%s, %s)', async (profile, level) => {
  const platform = await start(profile);
  const before = await inventory(platform);
  const credits = await balance(platform);
  const { code, stdout } = await against(
    platform,
    await standIn(platform, timed(platform, {})),
    `${level} --yes`,
    profile,
  );
  const { findings, couldNotAsk, left } = JSON.parse(stdout);
  expect([findings, left]).toEqual([[], []]);
  expect([
    code,
    couldNotAsk.filter(({ why }: any) => !/not asked: it costs|rate limit of its operation/.test(why)),
  ]).toEqual([0, []]);
  expect(await inventory(platform)).toEqual(before);
  expect(credits - (await balance(platform))).toBeLessThanOrEqual(Number(/budget (\d+)/.exec(level)?.[1] ?? 0));
  expect(`${stdout}${written()}`).not.toContain(platform.apiKey);
  expect(readdirSync(join(cwd, 'drift')).sort()).toEqual(['ledger.json', 'observed.json']);
});

interface Behaviour {
  options?: CreateEmulatorOptions;
  stand?: (platform: Emulator) => Stand;
  stepMs?: number;
  finding: string;
  assumption: string;
  /** All that the platform is said to say; by default that is not looked at. */
  platform?: string;
}

const isCreate = ({ method, url }: Request): boolean => method === 'POST' && url === '/api/v1/containers';
const isFailing = ({ body }: Request): boolean => body.includes('fail-image-not-found');

/** What level 3 must find; each is planted alone. */
const behaviours: Record<string, Behaviour> = {
  'another price': {
    options: { prices: { deploy: 0.6 } },
    finding: 'containers.create price',
    assumption: 'containers.price',
  },
  'another price where one that fails is paid back at once': {
    options: { prices: { deploy: 0.7 }, timing: 'instant' },
    finding: 'containers.create price',
    assumption: 'containers.price',
    platform: '=0.7',
  },
  'a refund that is withheld': {
    stand: (platform) => {
      let isTaken = false;
      return {
        async change(answer) {
          if (isTaken || !answer.body.includes('"status":"failed"')) return;
          isTaken = true;
          await platform.controls.organizations.credits(platform.organizationId, {
            set: (await balance(platform)) - 0.5,
          });
        },
      };
    },
    finding: 'containers.create refund',
    assumption: 'containers.price',
  },
  'a 409 for the same create': {
    stand: () => {
      let created = 0;
      return {
        before: (req) =>
          isCreate(req) && !isFailing(req) && req.body.includes('memory') && ++created % 2 === 0
            ? json(409, { success: false, error: { code: 'CONFLICT', message: 'It is there' } })
            : undefined,
      };
    },
    finding: 'containers.create idempotency',
    assumption: 'containers.create',
  },
  'a 410 for the deleted': {
    stand: () => ({
      change(answer, { method, url }) {
        if (method === 'GET' && isContainer(url) && !isNowhere(url) && answer.status === 404) answer.status = 410;
      },
    }),
    finding: 'containers.delete deletion',
    assumption: 'containers.delete',
  },
  'a smaller window': {
    stand: () => ({
      before: ({ url, body }) =>
        url === '/api/v1/api-keys' && body.includes('"rateLimit":5')
          ? { body: Buffer.from(String(body).replace('"rateLimit":5', '"rateLimit":3')) }
          : undefined,
    }),
    finding: 'account.balance window',
    assumption: 'limits.bucket',
  },
  'a slow stage': { stepMs: 300, finding: 'containers.create stages', assumption: 'containers.timing' },
};

it.each(Object.entries(behaviours))('finds %s, for one credit at most', async (_, behaviour) => {
  const { options, stand, stepMs, finding, assumption, platform: says } = behaviour;
  const platform = await start('spec', options);
  const url = await standIn(platform, timed(platform, stand?.(platform) ?? {}, stepMs));
  const before = await inventory(platform);
  const credits = await balance(platform);
  const { stdout } = await against(platform, url);
  const found = JSON.parse(stdout).findings;
  expect(found.map((one: any) => one.finding)).toContain(finding);
  expect(found.find((one: any) => one.finding === finding).assumption).toBe(assumption);
  if (says !== undefined) expect(found.map((one: any) => one.platform)).toEqual([says]);
  expect(credits - (await balance(platform))).toBeLessThanOrEqual(1);
  expect(await inventory(platform)).toEqual(before);
});

const creates: Record<string, object> = {
  '/api/v1/containers': { name: 'lax', project_name: 'lax', ecr_image_uri: 'ghcr.io/acme/web:v1' },
  '/api/v1/api-keys': { name: 'lax' },
  '/api/v1/app/agents': { name: 'lax' },
  '/api/v1/documents': { content: 'lax' },
};

/** Makes something of whatever it is sent. */
const lax = (platform: Emulator, saysId: boolean): Stand => ({
  async change(answer, { method, url, number, authorization }) {
    const good = creates[url];
    if (method !== 'POST' || good === undefined || answer.status !== 400 || authorization === undefined) return;
    const named = Object.fromEntries(
      Object.entries(good).map(([field, value]) => [field, /name/.test(field) ? `${value}-${number}` : value]),
    );
    const made = await call(platform, 'POST', url, named);
    Object.assign(answer, json(made.status, saysId ? made.body : { success: true }));
  },
});

const every = (reply: Reply, from: number): Stand => ({ before: ({ number }) => (number >= from ? reply : undefined) });

const damages: Record<string, (platform: Emulator) => Stand> = {
  'accepts everything': (platform) => lax(platform, true),
  'accepts everything, and says nothing of it': (platform) => lax(platform, false),
  'refuses deletes': () => ({
    before: ({ method }) => (method === 'DELETE' ? json(403, { success: false, error: 'Forbidden' }) : undefined),
  }),
  'only says that it deletes': () => ({
    before: ({ method }) => (method === 'DELETE' ? json(200, { success: true }) : undefined),
  }),
  redirects: () => every({ status: 307, headers: { location: 'http://127.0.0.1:9/' }, body: '' }, 1),
  'answers 429 from the fifth request on': () => every(json(429, { success: false }), 5),
};

const deaths = Array.from({ length: 12 }, (_, index): (typeof cases)[number] => {
  const number = 90 + 12 * index;
  return [`dies at request ${number}`, () => every(broken, number)];
});
const cases = Object.entries(damages);

it.each([...cases, ...deaths])('a platform that %s: nothing is left, or it is named', async (name, stand) => {
  const platform = await start();
  const before = await inventory(platform);
  const credits = await balance(platform);
  const url = await standIn(platform, timed(platform, stand(platform)));
  const { code, stdout, stderr } = await against(platform, url, '--level 3 --budget 1 --yes');
  const { left } = JSON.parse(stdout);
  const more = (await inventory(platform)).filter((id) => !before.includes(id));
  if (code !== 4) expect(more).toEqual([]);
  for (const id of more) expect(left.join()).toMatch(new RegExp(`${id}|drift-|cannot be read`));
  expect(credits - (await balance(platform))).toBeLessThanOrEqual(1);
  expect(`${stdout}${stderr}${written()}`).not.toContain(platform.apiKey);
  // What the run has made, it can remove as soon as the platform lets it.
  platform.controls.limits.release();
  const cleaned = await run(`drift clean --against ${await move(platform, url)} --key-from PLATFORM_KEY`, platform);
  const rest = (await inventory(platform)).filter((id) => !before.includes(id));
  if (!name.startsWith('accepts')) expect([cleaned.code, rest]).toEqual([0, []]);
});

/** The platform as it is, at the address that was written down. */
async function move(platform: Emulator, from: string): Promise<string> {
  const url = await standIn(platform);
  for (const name of readdirSync(join(cwd, 'drift')).filter((one) => one.startsWith('undo-'))) {
    const file = join(cwd, 'drift', name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(from, url));
  }
  return url;
}

it('asks nothing that costs more than the budget', async () => {
  const platform = await start();
  const sent: string[] = [];
  const url = await standIn(
    platform,
    timed(platform, { before: (req) => void (req.method === 'POST' && isCreate(req) && sent.push(String(req.body))) }),
  );
  const credits = await balance(platform);
  const { code, stdout } = await against(platform, url, '--level 3 --budget 0.5 --yes');
  const { couldNotAsk, findings } = JSON.parse(stdout);
  expect([code, findings]).toEqual([3, []]);
  expect(couldNotAsk).toContainEqual({
    question: 'containers: create one',
    why: 'not asked: it costs at worst 1 credit, and 0.5 of the budget are left',
  });
  // Refusals are asked, as one of them would cost half a credit.
  expect(sent.filter((body) => /eliza:latest|fail-image/.test(body))).toEqual([]);
  expect(await balance(platform)).toBe(credits);
});

it('lets one run at a time begin, and none on what another one has left', async () => {
  const platform = await start();
  const url = await standIn(platform, timed(platform, {}));
  await against(platform, url, '--level 0 --max-requests 5');
  writeFileSync(join(cwd, 'drift/run.lock'), `${process.pid}\n`);
  const held = await against(platform, url);
  expect([held.code, held.stdout]).toEqual([1, expect.stringMatching(/Another run of drift is under way/)]);
  // Its process is gone.
  writeFileSync(join(cwd, 'drift/run.lock'), '999999999\n');
  await call(platform, 'POST', '/api/v1/app/agents', { name: 'drift-0123abcd' });
  const { code, stdout } = await against(platform, url);
  expect([code, JSON.parse(stdout).left]).toEqual([4, [expect.stringMatching(/drift-0123abcd.*of another run/)]]);
});

it('removes after a kill what the killed run has made', async () => {
  const platform = await start();
  const before = await inventory(platform);
  const stand: Stand = {
    before: (req) => {
      if (isCreate(req) && isFailing(req)) child.kill('SIGKILL');
      return undefined;
    },
  };
  const url = await standIn(platform, timed(platform, stand));
  const args = `drift run --against ${url} --key-from PLATFORM_KEY --level 3 --budget 1 --yes`.split(' ');
  const { child, ended } = spawnCommand(args, { cwd, env: { PLATFORM_KEY: platform.apiKey } });
  await ended;
  await expect.poll(() => inventory(platform)).not.toEqual(before);
  platform.controls.limits.release();
  expect(written()).not.toContain(platform.apiKey);
  const again = await against(platform, url);
  expect([again.code, again.stdout]).toEqual([1, expect.stringMatching(/drift clean/)]);
  const { code, stdout } = await run(`drift clean --against ${url} --key-from PLATFORM_KEY --json`, platform);
  expect([code, JSON.parse(stdout)]).toEqual([0, { runs: 1, left: [] }]);
  expect(await inventory(platform)).toEqual(before);
});

it('removes nothing of the user that a file names', async () => {
  const platform = await start();
  const url = await standIn(platform);
  const [agent] = (await call(platform, 'GET', '/api/my-agents/characters')).body.data.characters;
  mkdirSync(join(cwd, 'drift'));
  const made = [{ noun: 'agents', id: agent.id, name: 'drift-0123abcd' }];
  const journal = { against: url, profile: 'spec', name: 'drift-0123abcd', made };
  writeFileSync(join(cwd, 'drift/undo-0123abcd.json'), JSON.stringify(journal));
  const before = await inventory(platform);
  const { code } = await run(`drift clean --against ${url} --key-from PLATFORM_KEY --json`, platform);
  expect([code, await inventory(platform)]).toEqual([4, before]);
});

it('plans with the worst prices', async () => {
  const platform = await start();
  const { stdout } = await run('drift plan --level 3 --json', platform);
  const { lives, questions } = JSON.parse(stdout);
  expect(lives).toEqual(
    expect.arrayContaining([
      { noun: 'containers', price: 1 },
      { noun: 'keys', price: 0 },
    ]),
  );
  expect(questions.length).toBeGreaterThan(200);
  expect((await run('drift plan --level 3', platform)).stdout).toMatch(/containers: create one, at worst 0\.5 credits/);
});
