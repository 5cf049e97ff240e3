// Writers of worlds on disk while their process is killed: each has a world of its own, and knows what it was told.

import { ask, type Place, Things, Value } from './kill-values.js';

/** The things that a writer works with. */
export interface Desk {
  /** The addresses at which the first emulator, and the other one to which worlds are moved, answer now. */
  urls(): { a: string; b: string };
  /** Hears of every answer. */
  onAnswer(): void;
  draw(below: number): number;
}

export interface Writer {
  /** Does one thing; throws Unanswered where no answer came. */
  step(): Promise<void>;
  /** Says what is not as it should be after a start. */
  check(): Promise<string[]>;
}

/** Numbers that never come twice. */
let made = 0;
export const fresh = (): number => ++made;

type Send = (method: string, path: string, body?: unknown) => Promise<any>;

/** A world of a writer's own at the first emulator, with its clock frozen: its key, and what sends requests to it. */
export async function ownWorld(desk: Desk, id: string): Promise<{ apiKey: string; send: Send }> {
  const at = (apiKey: string): Place => ({ url: desk.urls().a, apiKey });
  const { apiKey } = await ask(at(''), () => {}, 'PUT', `/w/${id}/_emulator/world`, { clock: { frozen: true } });
  return { apiKey, send: (method, path, body) => ask(at(apiKey), desk.onAnswer, method, `/w/${id}${path}`, body) };
}

/** The entries of a list, each with what is known of it. */
export function read<Item>(items: readonly Item[], name: (item: Item) => string, detail: (item: Item) => string) {
  return new Map(items.map((item) => [name(item), detail(item)]));
}

const agentsPath = '/api/my-agents/characters';
export const createAgent = '/api/v1/app/agents';

/** The names of all agents. */
export async function agentNames(send: Send): Promise<string[]> {
  const { data } = await send('GET', `${agentsPath}?limit=1000`);
  return data.characters.map(({ name }: { name: string }) => name).sort();
}

/** Containers, agents and keys, made and ended. */
export async function nounsWriter(desk: Desk): Promise<Writer> {
  const { send } = await ownWorld(desk, 'nouns');
  const [containers, agents, keys] = [new Things('container'), new Things('agent'), new Things('key')];
  const ids = new Map<string, string>();
  const containersPath = '/api/v1/containers';
  const kinds = [
    {
      things: containers,
      path: containersPath,
      body: (name: string) => ({ name, project_name: name, ecr_image_uri: `r.local/${name}:v1` }),
      id: (answer: any) => answer.data.id,
      detail: (name: string) => `r.local/${name}:v1`,
      items: containersPath,
    },
    {
      things: agents,
      path: createAgent,
      body: (name: string) => ({ name, bio: `I am ${name}` }),
      id: (answer: any) => answer.agent.id,
      detail: (name: string) => `I am ${name}`,
      items: agentsPath,
    },
    {
      things: keys,
      path: '/api/v1/api-keys',
      body: (name: string) => ({ name, permissions: ['agents:read'] }),
      id: (answer: any) => answer.apiKey.id,
      detail: () => 'agents:read',
      items: '/api/v1/api-keys',
    },
  ];
  return {
    async step() {
      const kind = kinds[desk.draw(kinds.length)] as (typeof kinds)[number];
      const gone = kind.things.names[desk.draw(30)];
      const id = ids.get(gone ?? '');
      if (gone !== undefined && id !== undefined) {
        await kind.things.end(gone, () => send('DELETE', `${kind.items}/${id}`));
        return;
      }
      const name = `n${fresh()}`;
      const answer = await kind.things.make(name, kind.detail(name), () => send('POST', kind.path, kind.body(name)));
      ids.set(name, kind.id(answer));
    },
    async check() {
      const { data } = await send('GET', containersPath);
      const { characters } = (await send('GET', `${agentsPath}?limit=1000`)).data;
      const listed = (await send('GET', '/api/v1/api-keys')).keys.filter(({ name }: any) => /^n\d/.test(name));
      const named = ({ name }: { name: string }): string => name;
      for (const { name, id } of [...data, ...characters, ...listed]) ids.set(name, id);
      return [
        ...containers.seen(read<any>(data, named, ({ ecr_image_uri: image }) => image)),
        ...agents.seen(read<any>(characters, named, ({ bio }) => bio[0])),
        ...keys.seen(read<any>(listed, named, ({ permissions }) => permissions.join())),
      ];
    },
  };
}

/** Credits and what the control operations set: the clock, its speed and skew, limits, balances, rules, replies. */
export async function controlWriter(desk: Desk): Promise<Writer> {
  const { send } = await ownWorld(desk, 'controls');
  const control = (method: string, path: string, body?: object) => send(method, `/_emulator${path}`, body);
  const address = `0x${'ab'.repeat(20)}`;
  const [organization] = (await control('GET', '/organizations')).organizations;
  const { now } = await control('GET', '/clock');
  let time = new Value<string>(now);
  const running = new Value<string>('frozen');
  const skew = new Value<number>(0);
  const limit = new Value<number | null>(null);
  const balance = new Value<number | null>(null);
  const credits = new Value<number>(organization.credits);
  const [rules, replies] = [new Things('fault rule'), new Things('reply')];
  // A clock that runs, or has run until somebody has frozen it, is only known not to go back.
  let ran = false;

  const acts: (() => Promise<unknown>)[] = [
    async () => {
      const [from = ''] = time.possible;
      const by = 1_000 * (1 + desk.draw(100_000));
      if (ran || time.possible.length > 1) return control('POST', '/clock/advance', { by });
      const next = new Date(Date.parse(from) + by).toISOString();
      return time.change([next], () => control('POST', '/clock/advance', { by }));
    },
    async () => {
      if (running.possible.some((state) => state !== 'frozen')) {
        await running.change(['frozen'], () => control('POST', '/clock/freeze'));
        return;
      }
      const speed = 1 + desk.draw(500);
      ran = true;
      await running.change([`${speed}`], () => control('POST', '/clock/resume', { speed }));
    },
    () => skew.change([0], () => control('POST', '/clock/skew', { to: null })),
    () => {
      const next = 1_000 + fresh();
      return limit.change([next], () => control('POST', '/limits', { operation: 'agents.create', limit: next }));
    },
    () => limit.change([null], () => control('DELETE', '/limits')),
    () => {
      const usdc = fresh();
      return balance.change([usdc], () => control('POST', '/payments/balances', { address, usdc }));
    },
    () => {
      const set = fresh();
      return credits.change([set], () => control('POST', `/organizations/${organization.id}/credits`, { set }));
    },
    async () => {
      const never = `${fresh()}`;
      const rule = { match: { headers: { 'x-never': never } }, effect: { status: 418 } };
      const { id } = await rules.make(never, '418', () => control('POST', '/faults', rule));
      if (desk.draw(2) === 0) await rules.end(never, () => control('DELETE', `/faults/${id}`));
    },
    async () => {
      const text = `reply ${fresh()}`;
      await replies.make(text, text, () => control('POST', '/replies', { text }));
    },
  ];
  return {
    async step() {
      await acts[desk.draw(acts.length)]?.();
    },
    async check() {
      const clock = await control('GET', '/clock');
      const { operations } = await control('GET', '/limits');
      const own = operations.find(({ name, from }: any) => name === 'agents.create' && from === 'control');
      const { balances } = await control('GET', '/payments/balances');
      const [{ credits: left }] = (await control('GET', '/organizations')).organizations;
      const wentBack = ran && time.possible.every((instant) => instant > clock.now);
      if (ran && clock.frozen) time = new Value<string>(clock.now);
      ran = !clock.frozen;
      return [
        ...(wentBack ? [`time went back to ${clock.now}`] : []),
        ...(ran ? [] : time.seen(clock.now, 'the time')),
        ...running.seen(clock.frozen ? 'frozen' : `${clock.speed}`, 'the speed'),
        ...limit.seen(own?.limit ?? null, 'the limit'),
        ...balance.seen(balances[0]?.usdc ?? null, 'the balance'),
        ...credits.seen(left, 'the credits'),
        ...rules.seen(
          read<any>(
            (await control('GET', '/faults')).faults,
            ({ match }) => match.headers['x-never'],
            () => '418',
          ),
        ),
        ...replies.seen(
          read<any>(
            (await control('GET', '/replies')).replies,
            ({ reply }) => reply.text,
            ({ reply }) => reply.text,
          ),
        ),
      ];
    },
  };
}

/** Snapshots that are taken, replaced, restored and deleted, while agents come. */
export async function snapshotsWriter(desk: Desk): Promise<Writer> {
  const { send } = await ownWorld(desk, 'snapshots');
  const agents = new Value<string>('');
  const snapshots = new Map(['s1', 's2', 's3'].map((name) => [name, new Value<string | null>(null)]));
  const path = (name: string, rest = ''): string => `/_emulator/snapshots/${name}${rest}`;
  return {
    async step() {
      const [name, snapshot] = [...snapshots][desk.draw(snapshots.size)] as [string, Value<string | null>];
      const kind = desk.draw(6);
      const isThere = !snapshot.possible.includes(null);
      if (kind < 2) {
        const agent = `a${fresh()}`;
        const next = agents.possible.map((names) => [...names.split(',').filter(Boolean), agent].sort().join());
        await agents.change(next, () => send('POST', createAgent, { name: agent }));
      } else if (kind < 4) {
        await snapshot.change(agents.possible, () => send('POST', '/_emulator/snapshots', { name }));
      } else if (isThere && kind === 4) {
        await agents.change(snapshot.possible as string[], () => send('POST', path(name, '/restore')));
      } else if (isThere) {
        await snapshot.change([null], () => send('DELETE', path(name)));
      }
    },
    async check() {
      const now = (await agentNames(send)).join();
      const problems = agents.seen(now, 'the world that is restored');
      const { snapshots: listed } = await send('GET', '/_emulator/snapshots');
      for (const [name, snapshot] of snapshots) {
        const one = listed.find((other: any) => other.name === name);
        if (one === undefined) problems.push(...snapshot.seen(null, `the snapshot ${name}`));
        else if (one.problem !== null) problems.push(`the snapshot ${name} is damaged: ${one.problem}`);
        else if (desk.draw(3) === 0) {
          // The restore of a snapshot alone shows what it holds.
          await agents.change(snapshot.possible as string[], () => send('POST', path(name, '/restore')));
          const held = (await agentNames(send)).join();
          problems.push(...snapshot.seen(held, `the snapshot ${name}`), ...agents.seen(held, 'what was restored'));
        }
      }
      return problems;
    },
  };
}
