// Answers in corners that clients reach: names, stacks, parts of files, states that do not allow what is asked.

import { expect, it } from 'vitest';
import { call, deploy, getContainer, image, startEmulator } from '../support/emulator.js';
import { clone, hear, sample } from '../support/voice.js';

const blanks = ['   ', '\t\n', '\u00a0', '\u200b\u200d'];

it.each(blanks)('the blank name %j is refused for every noun', async (blank) => {
  const emulator = await startEmulator();
  const container = { name: 'web', project_name: 'web', ecr_image_uri: image };
  const tries: [method: string, path: string, body: unknown][] = [
    ['POST', '/api/v1/containers', { ...container, name: blank }],
    ['POST', '/api/v1/containers', { ...container, project_name: blank }],
    ['POST', '/api/v1/app/agents', { name: blank }],
    ['POST', '/api/v1/api-keys', { name: blank }],
    ['PATCH', '/api/v1/user', { name: blank }],
    ['POST', '/api/v1/knowledge', { content: 'something', filename: blank }],
    ['POST', '/_emulator/organizations', { name: blank }],
  ];
  for (const [method, path, body] of tries) {
    const answer = await call(emulator, method, path, body);
    expect([path, body, answer.status]).toEqual([path, body, 400]);
  }
  expect((await clone(emulator, { name: blank })).status).toBe(400);
});

it('each container of an organization has a stack of its own', async () => {
  const emulator = await startEmulator();
  const long = 'a-project-whose-name-is-longer-than-a-stack';
  const names = ['My App', 'my-app', 'my_app', `${long}-1`, `${long}-2`];
  const made = [];
  for (const name of names) made.push(await deploy(emulator, { name, project_name: name }));
  const stacks = made.map(({ stackName }) => stackName);
  expect(new Set(stacks).size).toBe(names.length);
  expect(stacks[1]).toBe(`${stacks[0]}-2`);
  expect(stacks[2]).toBe(`${stacks[0]}-3`);
  expect(stacks[4]).toBe(`${stacks[3]}-2`);
  await call(emulator, 'DELETE', `/api/v1/containers/${made[1].id}`);
  expect((await getContainer(emulator, made[2].id)).stackName).toBe(stacks[2]);
  expect((await deploy(emulator, { name: 'my app!', project_name: 'my app!' })).stackName).toBe(stacks[1]);
});

it('a response holds paths with the prefix of the world', async () => {
  const emulator = await startEmulator();
  const world = await emulator.createWorld({ id: 'x' });
  const body = { name: 'web', project_name: 'web', ecr_image_uri: image };
  const created = await call(world, 'POST', '/api/v1/containers', body);
  expect(created.body.message).toContain(`/w/x/api/v1/containers/${created.body.data.id} `);
  const speech = await call(world, 'POST', '/api/v1/voice/tts', { text: 'Hello', voiceId: 'nobody' });
  expect(speech.text).toContain('GET /w/x/api/v1/voice/list');
});

it('the summary of an organization counts its agents', async () => {
  const emulator = await startEmulator();
  for (const name of ['a', 'b']) await call(emulator, 'POST', '/api/v1/app/agents', { name });
  expect((await call(emulator, 'GET', '/api/v1/credits/summary')).body.agentsSummary).toEqual({ total: 2 });
});

it('a voice that is still being cloned is not switched on', async () => {
  const emulator = await startEmulator();
  const { id } = (await clone(emulator)).body;
  const change = (body: object) => call(emulator, 'PATCH', `/api/v1/voice/${id}`, body);
  expect((await change({ isActive: true })).body.error.code).toBe('CONFLICT');
  expect((await change({ name: 'Renamed' })).status).toBe(200);
  await emulator.controls.clock.advance('1m');
  expect((await change({ isActive: true })).body.voice.isActive).toBe(true);
});

it('equal bytes are transcribed equally, whatever the name of the file', async () => {
  const emulator = await startEmulator();
  const texts = [];
  for (const name of ['a.wav', 'b.wav', 'voice.mp3'])
    texts.push((await hear(emulator, sample(), name)).body.transcript);
  expect(new Set(texts).size).toBe(1);
});

it('a GET of a video returns the requested range', async () => {
  const emulator = await startEmulator();
  const { video } = (await call(emulator, 'POST', '/api/v1/generate-video', { prompt: 'Waves' })).body;
  const whole = Buffer.from(await (await fetch(video.url)).arrayBuffer());
  const size = whole.length;
  const ask = async (range: string, more = {}) => {
    const response = await fetch(video.url, { headers: { range, ...more } });
    const content = Buffer.from(await response.arrayBuffer());
    return [response.status, response.headers.get('content-range'), content] as const;
  };
  expect(await ask('bytes=0-9')).toEqual([206, `bytes 0-9/${size}`, whole.subarray(0, 10)]);
  expect(await ask('bytes=100-')).toEqual([206, `bytes 100-${size - 1}/${size}`, whole.subarray(100)]);
  expect(await ask('bytes=-5')).toEqual([206, `bytes ${size - 5}-${size - 1}/${size}`, whole.subarray(-5)]);
  expect(await ask(`bytes=0-${size * 2}`)).toEqual([206, `bytes 0-${size - 1}/${size}`, whole]);
  for (const nonsense of ['bytes=9-3', 'lines=1-2', 'bytes=-', 'bytes=0-1,5-6'])
    expect(await ask(nonsense)).toEqual([200, null, whole]);
  // The part is of what the client has: no validator is sent, so none of its own can be that of this file.
  expect(await ask('bytes=0-9', { 'if-range': '"another"' })).toEqual([200, null, whole]);
  const [status, range] = await ask(`bytes=${size}-`);
  expect([status, range]).toEqual([416, `bytes */${size}`]);
  expect((await fetch(video.url, { method: 'HEAD' })).headers.get('accept-ranges')).toBe('bytes');
});

it('a container is presented by the current settings', async () => {
  const emulator = await startEmulator({ containers: { timing: 'instant' } });
  const { id } = await deploy(emulator);
  expect((await getContainer(emulator, id)).stackName).toMatch(/^example-/);
  await emulator.controls.scenarios.apply({ settings: { service: { slug: 'acme' } } }, { merge: true });
  const { stackName, deployment_log } = await getContainer(emulator, id);
  expect(stackName).toMatch(/^acme-/);
  expect(deployment_log).not.toContain('example-');
});
