// Worlds beside each other: made, used, told apart, dropped.

import { describe, expect, it } from 'vitest';
import { call, image, startEmulator } from '../../support/emulator.js';

async function ask(url: string, key: string, path: string, body?: unknown): Promise<any> {
  const answer = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

describe('worlds', () => {
  it('share neither data nor clock', async () => {
    const emulator = await startEmulator();
    const a = await emulator.controls.worlds.create({ id: 'a' });
    const b = await emulator.controls.worlds.create({
      id: 'b',
      clock: { start: '2030-01-01T00:00:00Z', frozen: true },
    });
    expect(a.apiKey).not.toBe(b.apiKey);
    const made = await ask(a.baseUrl, a.apiKey, '/api/v1/containers', {
      name: 'x',
      project_name: 'x',
      ecr_image_uri: image,
    });
    expect(made.status).toBe(202);
    expect((await ask(a.baseUrl, a.apiKey, '/api/v1/containers')).body.data).toHaveLength(1);
    expect((await ask(b.baseUrl, b.apiKey, '/api/v1/containers')).body.data).toHaveLength(0);
    expect((await call(emulator, 'GET', '/api/v1/containers')).body.data).toHaveLength(0);
    const advanced = await fetch(`${b.baseUrl}/_emulator/clock/advance`, { method: 'POST', body: '{"by":"1h"}' });
    expect(await advanced.json()).toMatchObject({ now: '2030-01-01T01:00:00.000Z' });
    expect(emulator.controls.clock.get().now).toBe('2026-01-01T00:00:00.000Z');
    expect(made.headers.get('x-emulator-world')).toBe('a');
  });

  it('refuse a key of another world and name it', async () => {
    const emulator = await startEmulator();
    const a = await emulator.controls.worlds.create({ id: 'a' });
    const wrong = await ask(emulator.url, a.apiKey, '/api/v1/containers');
    expect(wrong.status).toBe(401);
    expect(wrong.body.error.message).toContain(`the world "a", at ${emulator.url}/w/a`);
    const other = await ask(a.baseUrl, emulator.apiKey, '/api/v1/containers');
    expect(other.status).toBe(401);
    expect(other.body.error.message).toContain('the world "default"');
  });

  it('get seeds derived from their ids, so that two emulators create equal worlds', async () => {
    const [one, two] = [await startEmulator(), await startEmulator()];
    const keys = await Promise.all([one, two].map(async (of) => (await of.controls.worlds.create({ id: 'x' })).apiKey));
    expect(keys[0]).toBe(keys[1]);
    expect(keys[0]).not.toBe(one.apiKey);
  });

  it('that are created at the same time get different ids, and one id is used once', async () => {
    const { controls, fetch: local } = await startEmulator();
    const made = await Promise.all(Array.from({ length: 20 }, () => controls.worlds.create()));
    expect(new Set(made.map(({ id }) => id)).size).toBe(20);
    for (const request of [{ id: 'same' }, { id: 'ported', port: 0 }]) {
      const asked = Array.from({ length: 10 }, () =>
        local('/_emulator/worlds', { method: 'POST', body: JSON.stringify(request) }),
      );
      const statuses = (await Promise.all(asked)).map(({ status }) => status).sort();
      expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    }
    const { port } = controls.worlds.list().find(({ id }) => id === 'ported') ?? {};
    await expect(controls.worlds.create({ id: 'late', port: port ?? 0 })).rejects.toThrow(/cannot be listened on/);
    expect(controls.worlds.list().map(({ id }) => id)).not.toContain('late');
  });

  it('that are dropped while they are made leave nothing behind, and do not affect a new world of the same id', async () => {
    const { controls, port } = await startEmulator();
    const dropped = controls.worlds.create({ id: 'a', port: 0 });
    controls.worlds.drop('a');
    await expect(dropped).rejects.toThrow(/was dropped while/);
    expect((await controls.worlds.create({ id: 'a' })).port).toBeNull();
    const refused = expect(controls.worlds.create({ id: 'b', port })).rejects.toThrow(/was dropped while/);
    controls.worlds.drop('b');
    await controls.worlds.create({ id: 'b' });
    await refused;
    expect(controls.worlds.list().map(({ id }) => id)).toEqual(['default', 'a', 'b']);
    expect(controls.worlds.list({ after: '' })).toHaveLength(3);
  });

  it('on a port of their own return URLs of other worlds that work', async () => {
    const { controls, url } = await startEmulator();
    const { port } = await controls.worlds.create({ id: 'ported', port: 0 });
    const other = await controls.worlds.create({ id: 'other' });
    const { worlds } = (await (await fetch(`http://127.0.0.1:${port}/_emulator/worlds`)).json()) as any;
    expect(worlds.map(({ baseUrl }: any) => baseUrl)).toEqual([url, other.baseUrl, `${url}/w/ported`]);
    expect((await ask(other.baseUrl, other.apiKey, '/api/v1/containers')).status).toBe(200);
  });

  it('stay while a request to them is open', async () => {
    const { controls } = await startEmulator();
    const { baseUrl } = await controls.worlds.create({ id: 'busy', ttl: '2s' });
    const awaited = await fetch(`${baseUrl}/_emulator/await`, {
      method: 'POST',
      body: JSON.stringify({ operation: 'containers.get', count: 1, timeout: '2500ms' }),
    });
    expect(awaited.status).toBe(408);
    expect(controls.worlds.list().map(({ id }) => id)).toContain('busy');
  });

  it('end when dropped', async () => {
    const emulator = await startEmulator();
    const { baseUrl, apiKey } = await emulator.controls.worlds.create({ id: 'gone' });
    await fetch(`${emulator.url}/_emulator/worlds/gone`, { method: 'DELETE' });
    const after = await ask(baseUrl, apiKey, '/api/v1/containers');
    expect(after.status).toBe(404);
    expect(() => emulator.controls.worlds.drop('default')).toThrow(/stays/);
    expect(() => emulator.controls.worlds.drop('gone')).toThrow(/no world/);
  });

  it('end by themselves after their ttl without a request', async () => {
    const emulator = await startEmulator();
    await emulator.controls.worlds.create({ id: 'brief', ttl: 1_000 });
    expect(emulator.controls.worlds.list()).toHaveLength(2);
    await expect.poll(() => emulator.controls.worlds.list().length, { timeout: 15_000 }).toBe(1);
  });

  it('can have a port of their own', async () => {
    const emulator = await startEmulator();
    const { port, apiKey } = await emulator.controls.worlds.create({ id: 'own', port: 0 });
    expect(port).toBeGreaterThan(0);
    const answer = await ask(`http://127.0.0.1:${port}`, apiKey, '/api/v1/containers');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-emulator-world')).toBe('own');
  });

  it('may be closed again, and so may their emulator', async () => {
    const emulator = await startEmulator();
    const [one, two] = [await emulator.createWorld(), await emulator.createWorld()];
    one.close();
    one.close();
    await Promise.all([emulator.close(), emulator.close()]);
    await emulator.close();
    two.close();
    await two[Symbol.asyncDispose]();
  });

  it('refuse invalid requests and give the reason', async () => {
    const { controls } = await startEmulator();
    await expect(controls.worlds.create({ id: 'Bad Id' })).rejects.toThrow(/id must be 1 to 63/);
    await expect(controls.worlds.create({ ttl: 'soon' })).rejects.toThrow(/ttl/);
    await expect(controls.worlds.create({ clock: 'yesterday' })).rejects.toThrow(/clock/);
    await controls.worlds.create({ id: 'twice' });
    await expect(controls.worlds.create({ id: 'twice' })).rejects.toThrow(/already: drop it, or choose another id/);
    // The default world cannot be dropped.
    await expect(controls.worlds.create({ id: 'default' })).rejects.toThrow(/already: choose another id/);
  });

  it('put their prefix into every URL that they return', async () => {
    const emulator = await startEmulator({ containers: { urlStyle: 'path' } });
    const { baseUrl, apiKey, id } = await emulator.controls.worlds.create({ id: 'a' });
    const made = await ask(baseUrl, apiKey, '/api/v1/containers', {
      name: 'x',
      project_name: 'x',
      ecr_image_uri: image,
    });
    await fetch(`${baseUrl}/_emulator/clock/advance`, { method: 'POST', body: '{"by":"1h"}' });
    const container = await ask(baseUrl, apiKey, `/api/v1/containers/${made.body.data.id}`);
    expect(container.body.data.url).toContain(`/w/${id}/_containers/`);
    expect((await fetch(`${container.body.data.url}/health`)).status).toBe(200);
  });
});

describe('a label', () => {
  it('gives a world its id and seed, the same in every emulator, and is shown', async () => {
    const label = 'deploy.spec.ts > the shop > is deployed (ein Täßchen)';
    const made = await Promise.all(
      ['1', '2'].map(async (seed) => {
        const { controls } = await startEmulator({ seed });
        const world = await controls.worlds.create({ label });
        expect(controls.worlds.list()).toMatchObject([{ label: null }, { id: world.id, label }]);
        return world;
      }),
    );
    expect(made[0]).toMatchObject({ label, id: expect.stringMatching(/^is-deployed-ein-t-chen-[0-9a-f]{8}$/) });
    expect([made[1]?.id, made[1]?.apiKey]).toEqual([made[0]?.id, made[0]?.apiKey]);
  });

  it('gets another id while a world of the same label exists', async () => {
    const { controls } = await startEmulator();
    const [one, two] = [await controls.worlds.create({ label: 'x' }), await controls.worlds.create({ label: 'x' })];
    expect([two.id, two.apiKey]).toEqual([`${one.id}-2`, one.apiKey]);
    controls.worlds.drop(one.id);
    expect((await controls.worlds.create({ label: 'x', seed: 3 })).id).toBe(one.id);
  });

  it('is checked, and its control characters are not printed', async () => {
    const { controls } = await startEmulator();
    await expect(controls.worlds.create({ label: ' ' })).rejects.toThrow('label must not be blank');
    await expect(controls.worlds.create({ label: 'x'.repeat(1_001) })).rejects.toThrow('label must have at most 1000');
    expect((await controls.worlds.create({ label: '日本' })).id).toMatch(/^[0-9a-f]{8}$/);
  });
});
