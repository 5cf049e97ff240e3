// Two clients that do the same job against the platform: deploy one container and watch it, then list agents. One behaves
// well; the other tries again at once, polls each 100 ms and creates twice.

import { image, type Platform } from './emulator.js';

export type SampleClient = (emulator: Platform) => Promise<{ status: string; agents: number }>;

interface Answer {
  status: number;
  headers: Headers;
  body: any;
}

const wanted = { name: 'Sample', project_name: 'sample', ecr_image_uri: image };

/** One attempt; undefined when there was no answer. */
async function attempt(
  { fetch, apiKey }: Platform,
  method: string,
  path: string,
  body?: object,
): Promise<Answer | undefined> {
  try {
    const response = await fetch(path, {
      method,
      headers: { authorization: `Bearer ${apiKey}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  } catch {
    return undefined;
  }
}

/** Obeys Retry-After, backs off, polls as advised, looks before it creates again. */
export const wellBehaved: SampleClient = async (emulator) => {
  const sleep = (ms: number): Promise<unknown> => emulator.controls.clock.advance(ms);

  async function get(path: string): Promise<Answer> {
    for (let failures = 0; failures < 8; failures++) {
      const answer = await attempt(emulator, 'GET', path);
      if (answer !== undefined && answer.status < 500 && answer.status !== 429) return answer;
      const told = Number(answer?.headers.get('retry-after') ?? Number.NaN);
      await sleep(Number.isNaN(told) ? 500 * 2 ** failures : told * 1_000);
    }
    throw new Error(`${path} keeps failing`);
  }
  async function create(): Promise<any> {
    for (;;) {
      const answer = await attempt(emulator, 'POST', '/api/v1/containers', wanted);
      if (answer?.status === 202) return { id: answer.body.data.id, every: answer.body.polling.intervalMs };
      const { body } = await get('/api/v1/containers');
      const found = body.data.find((container: any) => container.project_name === wanted.project_name);
      if (found !== undefined) return { id: found.id, every: 10_000 };
    }
  }
  const { id, every } = await create();
  for (;;) {
    const { status } = (await get(`/api/v1/containers/${id}`)).body.data;
    if (status === 'running' || status === 'failed') {
      return { status, agents: (await get('/api/my-agents/characters')).body.data.characters.length };
    }
    await sleep(every);
  }
};

/** Tries again at once, polls each 100 ms, creates again without looking. */
export const naive: SampleClient = async (emulator) => {
  async function insist(method: string, path: string, body?: object): Promise<any> {
    for (;;) {
      const answer = await attempt(emulator, method, path, body);
      if (answer !== undefined && answer.status < 400) return answer.body;
    }
  }
  const { data } = await insist('POST', '/api/v1/containers', wanted);
  for (;;) {
    const { status } = (await insist('GET', `/api/v1/containers/${data.id}`)).data;
    if (status === 'running' || status === 'failed') {
      return { status, agents: (await insist('GET', '/api/my-agents/characters')).data.characters.length };
    }
    await emulator.controls.clock.advance(100);
  }
};
