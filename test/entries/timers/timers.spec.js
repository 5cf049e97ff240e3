// Fake timers of Jest and of Sinon around an emulator in the same process: bodies, forms, streams, jumps and the end.
const { createEmulator } = require('cloudemu');
const http = require('node:http');
const { mkdtempSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const sinon = require('@sinonjs/fake-timers');

const container = { name: 'web', project_name: 'web', ecr_image_uri: '127.0.0.1:4747/acme/web:v1' };

function post({ url, apiKey }, path, body) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const sent = http.request(url + path, { method: 'POST', headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => (text += part));
      answer.on('end', () => resolve({ status: answer.statusCode, text }));
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

const kinds = {
  modern: () => jest.useFakeTimers(),
  'modern, of a past time': () => jest.useFakeTimers({ now: new Date('2001-01-01T00:00:00Z') }),
  legacy: () => jest.useFakeTimers({ legacyFakeTimers: true }),
};
// They take what Jest has faked for all tests for the real ones.
if (process.env.FAKED_FOR_ALL === undefined)
  kinds['of Sinon'] = () => {
    const clock = sinon.install({ now: new Date('2001-01-01T00:00:00Z') });
    unfake = () => clock.uninstall();
  };
let unfake = () => {};

afterEach(() => {
  unfake();
  unfake = () => {};
  jest.useRealTimers();
});

for (const [name, fake] of Object.entries(kinds)) {
  for (const when of ['before', 'after']) {
    test(`${name}, ${when} the emulator starts`, async () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'timers-'));
      if (when === 'before') fake();
      const emulator = await createEmulator({ seed: 'test', frozen: true, dataDir, worlds: { persist: true } });
      if (when === 'after') fake();
      expect((await post(emulator, '/api/v1/containers', container)).status).toBe(202);
      const listed = await emulator.fetch('/api/v1/containers', {
        headers: { authorization: `Bearer ${emulator.apiKey}` },
      });
      expect((await listed.json()).data).toHaveLength(1);
      await emulator.controls.clock.advance('10m');
      expect(emulator.controls.containers.list()[0].status).toBe('running');
      const world = await emulator.createWorld({ id: 'blue' });
      const form = new FormData();
      form.append('file', new Blob(['a text']), 'a.txt');
      const headers = { authorization: `Bearer ${world.apiKey}` };
      const sent = await world.fetch('/api/v1/knowledge/upload-file', { method: 'POST', headers, body: form });
      expect(sent.status).toBe(201);
      world.controls.snapshots.take({ name: 'then' });
      await world.controls.snapshots.restore('then');
      world.close();
      emulator.controls.clock.resume({ speed: 60 });
      emulator.controls.clock.freeze();
      const chat = { model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'hello' }] };
      expect((await post(emulator, '/api/v1/chat/completions', chat)).text).toContain('[DONE]');
      await emulator.close();
    }, 20_000);
  }
}
