// Worlds that are created, reached and ended by a name that a proxy can read: in the path, the Host or a header.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type ClientRequest, request } from 'node:http';
import { expect, it } from 'vitest';
import { connect } from '../../../src/client.js';
import { startEmulator } from '../../support/emulator.js';

interface Asked {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: object;
}

/** A request whose Host header can be chosen, which fetch does not allow. */
function ask(
  port: number,
  { method = 'GET', path, headers = {}, body }: Asked,
): Promise<{ status: number; body: any }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, async (answer) => {
      let text = '';
      for await (const piece of answer) text += piece;
      resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) });
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const world = (id: string) => `/w/${id}/_emulator/world`;

it('a named world is created once for requests of the same moment', async () => {
  const { worlds } = (await startEmulator()).controls;
  const all = await Promise.all(Array.from({ length: 5 }, () => worlds.open('blue', { port: 0 })));
  expect(all.map(({ created }) => created)).toEqual([true, false, false, false, false]);
  expect(new Set(all.map(({ port }) => port)).size).toBe(1);
});

it('a named world is created once for equal requests, and the response names the differences of another request', async () => {
  const { port } = await startEmulator();
  const put = (body?: object) => ask(port, { method: 'PUT', path: world('blue'), ...(body && { body }) });
  const all = await Promise.all(
    Array.from({ length: 20 }, () => put({ seed: 7, clock: '2030-01-01T00:00:00Z', port: 0 })),
  );
  expect(new Set(all.map(({ status, body }) => `${status} ${body.apiKey} ${body.port}`)).size).toBe(1);
  expect(all.filter(({ body }) => body.created)).toHaveLength(1);
  expect((await put({ ttl: '60m', seed: '7', clock: { start: '2030-01-01T00:00:00Z' }, port: 0 })).body.created).toBe(
    false,
  );
  const other = await put({ seed: 8, clock: '2030-01-01T00:00:00Z', port: 0 });
  expect(other).toMatchObject({
    status: 409,
    body: { error: { message: expect.stringContaining('"blue" that was created otherwise (seed)') } },
  });
  expect(other.body.error.details).toEqual([
    { path: 'seed', message: 'is "7" in the world that exists', received: '"8"' },
  ]);
});

it('a named world is deleted by its own path, after which it is 404', async () => {
  const { port, controls } = await startEmulator();
  await controls.worlds.open('blue');
  const end = () => ask(port, { method: 'DELETE', path: world('blue') });
  expect(await end()).toMatchObject({ status: 200, body: { dropped: 'blue' } });
  expect((await end()).status).toBe(404);
  expect((await ask(port, { method: 'DELETE', path: world('default') })).status).toBe(409);
});

it('a named world is found by the label of the Host or by a header where the path names none', async () => {
  const { port } = await startEmulator({ server: { worldDomain: 'emulator.example' } });
  const byLabel = { host: 'blue.emulator.example' };
  const byHeader = { 'x-emulator-world': 'blue' };
  // Beyond loopback the control plane needs its token, whatever the name.
  expect((await ask(port, { method: 'PUT', path: '/_emulator/world', headers: byLabel })).status).toBe(403);
  const made = await ask(port, { method: 'PUT', path: '/_emulator/world', headers: byHeader });
  expect(made.body).toMatchObject({ id: 'blue', created: true, baseUrl: `http://127.0.0.1:${port}/w/blue` });
  const authorization = `Bearer ${made.body.apiKey}`;
  const list = (headers: Record<string, string>, path = '/api/v1/containers') =>
    ask(port, { path, headers: { authorization, ...headers } });
  for (const headers of [byLabel, byHeader, { ...byLabel, ...byHeader }])
    expect(await list(headers)).toMatchObject({ status: 200, body: { data: [] } });
  expect((await list({})).status).toBe(401);
  expect((await list({ host: 'red.emulator.example' })).body.error.message).toContain('no world "red"');
  expect((await list({ host: 'a.blue.emulator.example' })).status).toBe(403);
  const both = await list({ 'x-emulator-world': 'red' }, '/w/blue/api/v1/containers');
  expect(both.body.error.details[0]).toMatchObject({ path: 'x-emulator-world', received: '"red"' });
});

it('the client creates and deletes named worlds, so that each of its requests names the world', async () => {
  const seen: string[] = [];
  const { url } = await startEmulator();
  const note = (message: unknown): void => {
    const { method, path } = (message as { request: ClientRequest }).request;
    seen.push(`${method} ${path}`);
  };
  subscribe('http.client.request.start', note);
  try {
    const made = await connect({ url }).createWorld({ id: 'mine' });
    await expect(connect({ url }).createWorld({ id: 'mine' })).rejects.toThrow('There is a world "mine" already');
    await made.controls.clock.get();
    await made.close();
  } finally {
    unsubscribe('http.client.request.start', note);
  }
  expect(seen).toEqual([
    'PUT /w/mine/_emulator/world',
    'PUT /w/mine/_emulator/world',
    'GET /w/mine/_emulator/clock',
    'DELETE /w/mine/_emulator/world',
  ]);
});
