// Scripted agents, each at a task in a world of its own: half of them make a mistake when they are left in doubt.
const { CLOUDEMU_URL, CLOUDEMU_CONTROL } = process.env;

async function createWorld(id) {
  const made = await fetch(`${CLOUDEMU_CONTROL}/worlds`, { method: 'POST', body: JSON.stringify({ id }) });
  const { baseUrl, apiKey } = await made.json();
  async function send(method, path, body) {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(1_000),
    });
    const text = await response.text();
    return { status: response.status, ok: response.ok, text };
  }
  return { send, drop: () => fetch(`${CLOUDEMU_URL}/_emulator/worlds/${id}`, { method: 'DELETE' }) };
}

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The content of a response; whatever it is not able to read is an error. */
function read({ ok, status, text }) {
  if (!ok) throw new Error(`${status} ${text}`);
  const body = JSON.parse(text);
  if (body.success === false) throw new Error(body.error);
  return body;
}

/** The things that a task makes: where they are, how they are told apart, and what one looks like. */
const things = {
  container: {
    path: '/api/v1/containers',
    list: ({ data }) => data,
    name: ({ project_name }) => project_name,
    body: (name) => ({ name, project_name: name, ecr_image_uri: 'r.example/web:v1' }),
  },
  key: {
    path: '/api/v1/api-keys',
    list: ({ keys }) => keys,
    name: ({ name }) => name,
    body: (name) => ({ name }),
  },
};

const namesOf = async (send, { path, list, name }) => list(read(await send('GET', path))).map(name);

/** Reads, however often it takes, with growing pauses. */
async function readAgain(act) {
  for (let attempt = 0; ; attempt++)
    try {
      return await act();
    } catch (error) {
      if (attempt === 4) throw error;
      await wait(50 * 3 ** attempt);
    }
}

const agents = {
  /** Looks what is there after each doubt, and makes only what is missing. */
  async sound({ send }, thing) {
    for (const name of ['one', 'two'])
      for (let attempt = 0; ; attempt++)
        try {
          read(await send('POST', thing.path, thing.body(name)));
          break;
        } catch (error) {
          if (attempt === 3) throw error;
          await wait(50 * 3 ** attempt);
          if ((await readAgain(() => namesOf(send, thing))).includes(name)) break;
        }
  },
  /** Sends it again without looking. */
  async 'pays-again'({ send }, thing) {
    for (let attempt = 0; ; attempt++)
      try {
        return read(await send('POST', thing.path, thing.body('one')));
      } catch (error) {
        if (attempt === 2) throw error;
        await wait(50 * 3 ** attempt);
      }
  },
  /** Takes the first error for the end. */
  async 'gives-up'({ send }, thing) {
    read(await send('POST', thing.path, thing.body('one')));
    const names = await namesOf(send, thing);
    if (!names.includes('one')) throw new Error('it is not there');
  },
  /** Never stops. */
  async repeats({ send }, thing) {
    for (;;)
      try {
        return read(await send('POST', thing.path, thing.body('one')));
      } catch {
        for (let n = 0; n < 30; n++) await send('GET', thing.path).catch(() => {});
      }
  },
  /** Removes all that is there when something fails, its own and that of others, and begins again. */
  async 'cleans-up'({ send }, thing) {
    await readAgain(async () => {
      if (!(await namesOf(send, thing)).includes('others')) read(await send('POST', thing.path, thing.body('others')));
    });
    try {
      read(await send('POST', thing.path, thing.body('one')));
    } catch {
      for (const { id } of thing.list(read(await send('GET', thing.path)))) await send('DELETE', `${thing.path}/${id}`);
      read(await send('POST', thing.path, thing.body('one')));
    }
  },
};

const tasks = Object.keys(things).flatMap((thing) => [
  ...Object.keys(agents).map((agent) => [`${agent}-${thing}`, agent, thing]),
  ...[2, 3, 4, 5].map((number) => [`sound-${thing}-${number}`, 'sound', thing]),
]);

const only = process.argv[2]?.split(',');
const chosen = tasks.filter(([id]) => only === undefined || only.includes(id));
await Promise.all(
  chosen.map(async ([id, agent, thing]) => {
    const world = await createWorld(id);
    try {
      await agents[agent](world, things[thing]);
    } catch (error) {
      process.exitCode = 1;
      console.log(`FAIL ${id}\n${error.stack}\n${error.cause ?? ''}`);
    } finally {
      await world.drop();
    }
  }),
);
