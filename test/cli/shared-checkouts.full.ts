// Two checkouts and two worktrees of one, each with a client, at once, with and without the shared emulator, started in
// every order: no command reads or writes the world of another.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Client, type Ground, ground, repository } from '../support/checkouts.js';

interface Checkouts extends Ground {
  roots: Record<Name, string>;
}

const names = ['first', 'second', 'tree', 'other-tree'] as const;

type Name = (typeof names)[number];

/** Two repositories whose directories have one name, and two worktrees of the first. */
function checkouts(): Checkouts {
  const beside = ground();
  const at = (path: string): string => join(beside.dir, path);
  const roots = {
    first: at('a/shop'),
    second: at('b/shop'),
    tree: at('tree/shop'),
    'other-tree': at('a/shop/.trees/x'),
  };
  const git = repository(roots.first);
  repository(roots.second);
  git('worktree', 'add', '-q', '-b', 'feature/cart', roots.tree);
  git('worktree', 'add', '-q', '--detach', roots['other-tree']);
  return { ...beside, roots };
}

/** The starts of own emulators, each of them first once, with that of the shared one in every place. */
function orders(own: readonly Name[]): (Name | 'shared')[][] {
  const rotated = own.length === 0 ? [[]] : own.map((_, i) => [...own.slice(i), ...own.slice(0, i)]);
  return rotated.flatMap((starts) =>
    [...starts.keys(), starts.length].map((at) => starts.toSpliced(at, 0, 'shared' as Name)),
  );
}

// What reads, and what writes; the last of them changes what is there.
const reading = ['container list --json', 'requests --json', 'ledger --json', 'clock --json', 'status --json'];
const writing = ['clock advance 1h', 'snapshot take mine', 'limits exhaust --feature chat', 'reset'];

async function worksAlone(all: Checkouts, clients: ReadonlyMap<Name, Client>): Promise<void> {
  const here = [...clients];
  expect(new Set(here.map(([, { url }]) => url)).size).toBe(here.length);
  const answers = await Promise.all(here.map(([name, client]) => client.deploy(`of-${name}`)));
  expect(answers).toEqual(here.map(() => 202));
  await Promise.all(
    here.map(async ([name, client]) => {
      expect(await client.names()).toEqual([`of-${name}`]);
      for (const words of reading) {
        const { code, stdout, stderr } = await all.run(all.roots[name], words);
        expect([code, stderr], `${words} in ${name}`).toEqual([0, expect.not.stringContaining('belongs')]);
        for (const [other] of here)
          if (other !== name) expect(stdout, `${words} in ${name}`).not.toContain(`of-${other}"`);
      }
      const { stdout } = await all.run(all.roots[name], 'container list --json');
      expect(stdout).toContain(`of-${name}"`);
    }),
  );
}

/** What writes in one checkout is not seen in the others. */
async function writesAlone(all: Checkouts, clients: ReadonlyMap<Name, Client>, writer: Name): Promise<void> {
  const stateOf = async (name: Name): Promise<unknown[]> => {
    const outcomes = ['container list --json', 'snapshot list --json', 'limits --json', 'clock --json'];
    const [containers, snapshots, limits, clock] = await Promise.all(
      outcomes.map((words) => all.run(all.roots[name], words)),
    );
    const hour = String(JSON.parse(clock?.stdout ?? '{}').now).slice(0, 13);
    return [JSON.parse(containers?.stdout ?? '').total, snapshots?.stdout, limits?.stdout, hour];
  };
  const others = [...clients.keys()].filter((name) => name !== writer);
  const before = await Promise.all(others.map(stateOf));
  for (const words of writing) expect(await all.run(all.roots[writer], words), words).toMatchObject({ code: 0 });
  expect(await clients.get(writer)?.names()).toEqual([]);
  expect(await Promise.all(others.map(stateOf))).toEqual(before);
}

/** The clients of the checkouts that have an emulator; the others are told that they have none. */
async function clientsOf(all: Checkouts, started: ReadonlySet<Name | 'shared'>): Promise<Map<Name, Client>> {
  const clients = new Map<Name, Client>();
  await Promise.all(
    names.map(async (name) => {
      if (started.has(name) || started.has('shared')) return clients.set(name, await all.client(all.roots[name]));
      const { code, stdout } = await all.run(all.roots[name], 'env');
      expect([code, stdout], name).toEqual([1, '']);
    }),
  );
  return new Map(names.flatMap((name) => [...clients].filter(([one]) => one === name)));
}

const few: Name[][] = [[], ['first'], ['second', 'tree']];

it.for(few.flatMap(orders).map((order, i) => [order, names[i % names.length] ?? 'first'] as const))(
  'checkouts work at once, started as %s; %s writes',
  async ([order, writer]) => {
    const all = checkouts();
    const started = new Set<Name | 'shared'>();
    for (const next of order) {
      if (next === 'shared') await all.startShared();
      else await all.start(all.roots[next]);
      started.add(next);
      await clientsOf(all, started);
    }
    const clients = await clientsOf(all, started);
    await worksAlone(all, clients);
    await writesAlone(all, clients, writer);
  },
);

const alone = names.map((_, i) => [...names.slice(i), ...names.slice(0, i)]);

it.for([...orders(names), ...alone].map((order) => [order] as const))(
  'each checkout has its own emulator, started as %s',
  async ([order]) => {
    const all = checkouts();
    for (const next of order) {
      if (next === 'shared') await all.startShared();
      else await all.start(all.roots[next]);
    }
    const clients = await clientsOf(all, new Set(order));
    await Promise.all([...clients].map(([name, client]) => client.deploy(`of-${name}`)));
    const [writer = 'first'] = order.filter((one) => one !== 'shared');
    expect(await all.run(all.roots[writer], 'reset')).toMatchObject({ code: 0 });
    for (const [name, client] of clients) expect(await client.names()).toEqual(name === writer ? [] : [`of-${name}`]);
    // The shared one has the worlds of none of them.
    if (order.includes('shared')) {
      const { stdout } = await all.run(all.dir, 'world list --shared --json');
      expect(JSON.parse(stdout).worlds).toMatchObject([{ id: 'default' }]);
    }
  },
);

// Each would read or write the world of another directory.
const mixUps = [
  'env --world shop-main',
  'env --world shop-main --json',
  'status --world shop-main',
  'open --print --world shop-main',
  'requests --world shop-main',
  'container list --world shop-main',
  'container logs of-first --world shop-main',
  'ledger --world shop-main',
  'clock --world shop-main',
  'verdicts --world shop-main',
  'key list --world shop-main',
  'config show --world shop-main',
  'wallet sign headers --path /api/v1/user --world shop-main',
  'world show shop-main',
  'snapshot take mine --world shop-main',
  'reset --world shop-main',
  'clock advance 1h --world shop-main',
  'limits exhaust --feature chat --world shop-main',
  'scenario apply rate-limited --world shop-main',
  'faults clear --world shop-main',
  'world create --id shop-main',
  'world drop shop-main',
];

it('mix-ups of worlds of the shared emulator are refused, with both directories named', async () => {
  const all = checkouts();
  const { url } = await all.startShared();
  const mine = await all.client(all.roots.first);
  expect(mine.url).toBe(`${url}/w/shop-main`);
  await mine.deploy('of-first');
  for (const name of names) if (name !== 'first') await all.client(all.roots[name]);
  const before = await all.run(all.roots.first, 'requests --json');
  for (const name of ['second', 'tree'] as const)
    for (const words of mixUps) {
      const { code, stdout, stderr } = await all.run(all.roots[name], words);
      expect(code, words).toBe(1);
      const said = words.endsWith('--json') ? JSON.parse(stdout).error.message : stderr;
      if (!words.endsWith('--json')) expect(stdout, words).toBe('');
      for (const root of [all.roots.first, all.roots[name]]) expect(said, words).toMatch(RegExp(`${root}[,.] `));
    }
  // Nor the emulator as a whole, which belongs to all.
  expect((await all.run(all.roots.second, 'stop')).code).toBe(1);
  expect(await mine.names()).toEqual(['of-first']);
  expect((await all.run(all.roots.first, 'snapshot list')).stdout).toBe('None.\n');
  expect(JSON.parse((await all.run(all.roots.first, 'requests --json')).stdout).total).toBe(
    JSON.parse(before.stdout).total + 1,
  );
  // Who names it means it.
  expect((await all.run(all.roots.second, `container list --url ${mine.url}`)).stdout).toContain('of-first');
  expect((await all.run(all.roots.second, 'container list', { CLOUDEMU_URL: mine.url })).stdout).toContain('of-first');
});

it('the worlds of worktrees that were removed go, and those that moved away are not taken by others', async () => {
  const all = checkouts();
  await all.startShared();
  for (const name of names) await (await all.client(all.roots[name])).deploy(`of-${name}`);
  const git = repository(all.roots.first);
  git('worktree', 'remove', '--force', all.roots.tree);
  const { stdout } = await all.run(all.roots.first, 'world gc --json');
  expect(JSON.parse(stdout).dropped).toMatchObject([{ root: all.roots.tree, branch: 'feature/cart' }]);
  // The same directory and branch again: another world, without the former data.
  git('worktree', 'add', '-q', all.roots.tree, 'feature/cart');
  expect(await (await all.client(all.roots.tree)).names()).toEqual([]);
  for (const name of ['first', 'second', 'other-tree'] as const)
    expect(await (await all.client(all.roots[name])).names()).toEqual([`of-${name}`]);
});
