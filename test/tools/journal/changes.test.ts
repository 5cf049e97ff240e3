// Changes of a request: rows before and after, from the history of its world.

import { afterEach, describe, expect, it } from 'vitest';
import { call, closeEmulators, deploy, startEmulator } from '../../support/emulator.js';

afterEach(closeEmulators);

type Emulator = Awaited<ReturnType<typeof startEmulator>>;

/** The changes of the latest requests, the oldest first: rows as `table change name`. */
function changesOf(emulator: Emulator, count: number): (string[] | null)[] {
  const { requests } = emulator.controls;
  const latest = requests.list({ limit: count }).requests.reverse();
  return latest.map(
    ({ requestId }) =>
      requests
        .get(requestId)
        .changes?.flatMap(({ table, rows }) =>
          rows.map(({ change, name, key }) => `${table} ${change} ${name ?? key}`),
        ) ?? null,
  );
}

describe('the rows that a request changed', () => {
  it('are shown with their fields before and after', async () => {
    const emulator = await startEmulator();
    const { id } = await deploy(emulator, { name: 'shop', project_name: 'shop' });
    const [{ requestId } = { requestId: '' }] = emulator.controls.requests.list({ limit: 1 }).requests;
    const changes = emulator.controls.requests.get(requestId).changes ?? [];
    expect(changes.find(({ table }) => table === 'containers')).toMatchObject({ added: 1, removed: 0, changed: 0 });
    expect(changes.find(({ table }) => table === 'organizations')?.rows).toMatchObject([
      { change: 'changed', fields: [{ name: 'balance', before: '1000', after: '999.5' }] },
    ]);
    await call(emulator, 'DELETE', `/api/v1/containers/${id}`);
    const [removal] = changesOf(emulator, 1);
    expect(removal).toContain('containers removed shop');
  });

  it('are those of each request alone when several share a commit, and none of a failed one', async () => {
    const emulator = await startEmulator();
    const names = ['Ada', 'Bob', 'Cyd', 'Dan'];
    await Promise.all([
      ...names.map((name) => call(emulator, 'POST', '/api/v1/app/agents', { name })),
      call(emulator, 'POST', '/api/v1/app/agents', { name: '' }),
      call(emulator, 'GET', '/api/v1/containers'),
    ]);
    const found = changesOf(emulator, 6).map((rows) => (rows ?? ['unknown']).join('; '));
    expect(found.filter((rows) => rows === '')).toHaveLength(2);
    for (const name of names) expect(found.filter((rows) => rows.includes(name))).toHaveLength(1);
  });

  it('hold no secret', async () => {
    const emulator = await startEmulator();
    const { id } = await deploy(emulator, { environment_vars: { TOKEN: 'planted-1', PLAIN: 'planted-2' } });
    const { body } = await call(emulator, 'POST', '/api/v1/api-keys', { name: 'ci' });
    await call(emulator, 'PATCH', `/api/v1/containers/${id}`, { environment_vars: { TOKEN: 'planted-3' } });
    const { requests } = emulator.controls;
    const all = requests.list().requests.map(({ requestId }) => requests.get(requestId).changes);
    const secret = /"(?:plainKey|key)":"([^"]{20,})"/.exec(JSON.stringify(body))?.[1] ?? 'no key';
    expect(JSON.stringify(all)).toContain('api_keys');
    for (const text of ['planted', emulator.apiKey, secret]) expect(JSON.stringify(all)).not.toContain(text);
  });

  it('are known before and after a restore, and not without a history', async () => {
    const emulator = await startEmulator();
    const agent = (name: string): Promise<unknown> => call(emulator, 'POST', '/api/v1/app/agents', { name });
    emulator.controls.snapshots.take({ name: 'empty' });
    await agent('seen');
    await emulator.controls.snapshots.restore('empty');
    await agent('again');
    const found = changesOf(emulator, 2).map((rows) => rows?.[0] ?? null);
    expect(found).toEqual(['agents added seen', 'agents added again']);
    expect(emulator.controls.requests.list().requests.some((request) => 'changes' in request)).toBe(false);
    const without = await startEmulator({ data: { history: 'off' } });
    await call(without, 'POST', '/api/v1/app/agents', { name: 'unseen' });
    expect(changesOf(without, 1)).toEqual([null]);
  });
});
