// Tests in worlds of their own, without a test runner, of two clients: a careless one with a bug in each test, and its
// mended twin. `node careless.mjs careless|mended [names]`
import { setTimeout as sleep } from 'node:timers/promises';

const { CLOUDEMU_URL, CLOUDEMU_CONTROL } = process.env;

async function createWorld(id) {
  const made = await fetch(`${CLOUDEMU_CONTROL}/worlds`, {
    method: 'POST',
    body: JSON.stringify({ id, label: `careless.mjs > ${id.replaceAll('-', ' ')}` }),
  });
  const { baseUrl, apiKey } = await made.json();
  const send = async (method, path, body, key = apiKey) => {
    const response = await fetch(`${baseUrl}/api/${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(1_000),
    });
    const text = await response.text();
    if (!response.ok) throw Object.assign(new Error(`${response.status} ${text}`), { status: response.status });
    const answer = JSON.parse(text);
    // A refusal may come with 200.
    if (answer.success === false) throw Object.assign(new Error(`503 ${text}`), { status: 503 });
    return answer;
  };
  const stream = async (path, body) => {
    const response = await fetch(`${baseUrl}/api/${path}`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(1_000),
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return response.body.pipeThrough(new TextDecoderStream());
  };
  return { send, stream, drop: () => fetch(`${CLOUDEMU_URL}/_emulator/worlds/${id}`, { method: 'DELETE' }) };
}

const containers = 'v1/containers';
const app = (project) => ({ name: project, project_name: project, ecr_image_uri: `r.example/${project}:v1` });
/** Whether an error leaves open if the request took effect. */
const isOpen = ({ status }) => status === undefined || status === 502 || status === 504;

/** Sends a read again that failed. */
async function read(send, path) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send('GET', path);
    } catch (error) {
      if (attempt === 4 || error.status === 401 || error.status === 403) throw error;
      await sleep(error.status === 429 ? 1_000 : 50 * 2 ** attempt);
    }
  }
}

async function remove(send, id) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send('DELETE', `${containers}/${id}`);
    } catch (error) {
      if (error.status === 404) return undefined;
      if (attempt === 4 || error.status === 401 || error.status === 403) throw error;
      await sleep(error.status === 429 ? 1_000 : 50 * 2 ** attempt);
    }
  }
}

/** Deploys, and finds it by its name when the response was lost. */
async function deploy(send, project) {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await send('POST', containers, app(project))).data.id;
    } catch (error) {
      if (attempt === 4 || (error.status !== undefined && ![429, 502, 503, 504].includes(error.status))) throw error;
      const found = isOpen(error) && (await read(send, containers)).data.find((one) => one.project_name === project);
      if (found) return found.id;
      await sleep(error.status === 429 ? 1_000 : 50 * 2 ** attempt);
    }
  }
}

/** Reads with a key of its own. Where that is refused, `renew` gets another one. */
async function work(send, renew) {
  const state = { key: await createKey(send, 'worker') };
  for (const path of ['v1/credits/balance', 'v1/containers/quota', 'v1/user']) {
    try {
      await send('GET', path, undefined, state.key.value);
    } catch (error) {
      if (error.status !== 401) throw error;
      await send('GET', path, undefined, (await renew(state)).value);
    }
  }
}

async function createKey(send, name) {
  const { apiKey, plainKey } = await send('POST', 'v1/api-keys', { name });
  return { id: apiKey.id, value: plainKey };
}

const question = {
  model: 'gpt-4o-mini',
  stream: true,
  messages: [{ role: 'user', content: 'Tell me of the sea.' }],
};

const mended = {
  async 'tries-a-deployment'({ send }) {
    await remove(send, await deploy(send, 'trial'));
  },
  async 'runs-a-job'({ send }) {
    await remove(send, await deploy(send, 'job'));
  },
  async 'tidies-up'({ send }) {
    const { data } = await read(send, 'my-agents/characters');
    const owners = data.characters.map(({ name }) => name);
    for (const { id, project_name: project } of (await read(send, containers)).data)
      if (!owners.includes(project)) await remove(send, id);
  },
  async 'stores-a-note'({ send }) {
    const note = { content: 'Remember the milk.', filename: 'note.txt' };
    for (let attempt = 1; ; attempt++) {
      try {
        return await send('POST', 'v1/knowledge', note);
      } catch (error) {
        if (attempt === 3 || (error.status !== undefined && ![429, 502, 503, 504].includes(error.status))) throw error;
        const { documents } = await read(send, 'v1/knowledge');
        if (documents.some(({ filename }) => filename === note.filename)) return undefined;
        await sleep(error.status === 429 ? 1_000 : 50 * 2 ** attempt);
      }
    }
  },
  async 'tells-of-the-sea'({ stream }) {
    let text = '';
    for await (const chunk of await stream('v1/chat/completions', question)) text += chunk;
    if (!text.includes('[DONE]')) throw new Error('the stream was terminated');
  },
  async 'fails-tidily'({ send }) {
    const id = await deploy(send, 'shop');
    try {
      await send('GET', `${containers}/${id}`);
    } catch (error) {
      await remove(send, id);
      throw error;
    }
    await remove(send, id);
  },
  async 'works-with-a-key'({ send }) {
    await work(send, async (state) => {
      await send('DELETE', `v1/api-keys/${state.key.id}`);
      state.key = await createKey(send, 'worker');
      return state.key;
    });
  },
  async 'takes-a-nickname'({ send }) {
    await send('PATCH', 'v1/user', { nickname: 'Bee' });
  },
};

const careless = {
  ...mended,
  // It deploys again what may be there.
  async 'tries-a-deployment'({ send }) {
    const again = async (attempt) => {
      try {
        return (await send('POST', containers, app('trial'))).data.id;
      } catch (error) {
        if (attempt === 3 || !isOpen(error)) throw error;
        return again(attempt + 1);
      }
    };
    await remove(send, await again(1));
  },
  // It takes the newest container for its own.
  async 'runs-a-job'({ send }) {
    const id = await send('POST', containers, app('job')).then(
      ({ data }) => data.id,
      async () => (await read(send, containers)).data[0].id,
    );
    await remove(send, id);
  },
  // It takes an error for an empty list.
  async 'tidies-up'({ send }) {
    const list = await send('GET', 'my-agents/characters').catch(() => ({ data: { characters: [] } }));
    const owners = list.data.characters.map(({ name }) => name);
    for (const { id, project_name: project } of (await read(send, containers)).data)
      if (!owners.includes(project)) await remove(send, id);
  },
  // It does not look at what came of it.
  async 'stores-a-note'({ send }) {
    await send('POST', 'v1/knowledge', { content: 'Remember the milk.', filename: 'note.txt' }).catch(() => {});
  },
  // It takes what came for the whole.
  async 'tells-of-the-sea'({ stream }) {
    const chunks = await stream('v1/chat/completions', question);
    let text = '';
    try {
      for await (const chunk of chunks) text += chunk;
    } catch {
      // There is some text at least.
    }
    if (text === '') throw new Error('no text');
  },
  // It does not delete what it has made where something else fails.
  async 'fails-tidily'({ send }) {
    const id = await deploy(send, 'shop');
    await send('GET', `${containers}/${id}`);
    await remove(send, id);
  },
  // It forgets the key that it gets, and leaves the old one.
  async 'works-with-a-key'({ send }) {
    await work(send, () => createKey(send, 'worker, again'));
  },
  // It does not look at whether it has come true.
  async 'takes-a-nickname'({ send }) {
    await send('PATCH', 'v1/user', { nickname: 'Bee' }).catch(() => {});
  },
};

const [, , client, names] = process.argv;
const tests = client === 'mended' ? mended : careless;
await Promise.all(
  (names?.split(',') ?? Object.keys(tests)).map(async (name) => {
    const world = await createWorld(name);
    try {
      await tests[name](world);
    } catch (error) {
      process.exitCode = 1;
      console.log(`FAIL ${name}\n${error.stack}\n${error.cause?.stack ?? ''}`);
    } finally {
      await world.drop();
    }
  }),
);
