// Three tests in worlds of their own, without a test runner: one repeats four times after half a second and pays twice, one
// takes a lost answer for none, one is right.
import { setTimeout as sleep } from 'node:timers/promises';

const { CLOUDEMU_URL, CLOUDEMU_CONTROL } = process.env;

async function createWorld(id) {
  const made = await fetch(`${CLOUDEMU_CONTROL}/worlds`, { method: 'POST', body: JSON.stringify({ id }) });
  const { baseUrl, apiKey } = await made.json();
  const send = (method, path, body) =>
    fetch(baseUrl + path, {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(1_000),
    });
  return { send, drop: () => fetch(`${CLOUDEMU_URL}/_emulator/worlds/${id}`, { method: 'DELETE' }) };
}

async function ok(response) {
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response.json();
}

const tests = {
  async 'deploys-naively'({ send }) {
    const body = { name: 'web', project_name: 'web', ecr_image_uri: 'r.example/web:v1' };
    for (let attempt = 1; ; attempt++) {
      try {
        return await ok(await send('POST', '/api/v1/containers', body));
      } catch (error) {
        if (attempt === 5) throw error;
        await sleep(500);
      }
    }
  },
  async 'lists-blindly'({ send }) {
    const response = await send('GET', '/api/v1/containers');
    const body = await response.json().catch(() => null);
    if (body.data.length !== 0) throw new Error('there are containers');
  },
  async 'lists-well'({ send }) {
    await ok(await send('GET', '/api/v1/containers'));
  },
};

const only = process.argv[2]?.split(',') ?? Object.keys(tests);
await Promise.all(
  only.map(async (name) => {
    const world = await createWorld(name);
    try {
      await tests[name](world);
    } catch (error) {
      process.exitCode = 1;
      console.log(`FAIL ${name}\n${error.stack}\n${error.cause ?? ''}`);
    } finally {
      await world.drop();
    }
  }),
);
