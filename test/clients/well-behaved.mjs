// A client as the platform wishes it: it deploys a container, deploys it again if that failed, and watches it until it
// runs. It obeys Retry-After, backs off, polls as often as it is told, and looks before it creates anything again.

import { setTimeout as sleep } from 'node:timers/promises';

const { CLOUD_BASE_URL: baseUrl = '', CLOUD_API_KEY: apiKey = '' } = process.env;
const headers = { authorization: `Bearer ${apiKey}` };
const wanted = { name: 'Shop', project_name: 'shop', ecr_image_uri: 'registry.example.test/shop:v1' };

const deployments = 3;
const attempts = 8;

/** One attempt; undefined when there was no answer. */
async function attempt(method, path, body) {
  try {
    const response = await fetch(baseUrl + path, { method, headers, body: body && JSON.stringify(body) });
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.json() };
  } catch {
    return undefined;
  }
}

/** Reading may be tried again, later and later, or when the platform says. */
async function get(path) {
  for (let failures = 0; failures < attempts; failures++) {
    const answer = await attempt('GET', path);
    const isForNow = answer === undefined || answer.status === 429 || answer.status >= 500;
    if (!isForNow) return answer.body;
    const told = answer?.retryAfter ?? null;
    await sleep(told === null ? 250 * 2 ** failures : Number(told) * 1_000);
  }
  throw new Error(`${path} kept failing`);
}

/** Deploys; when the answer gets lost, what is there tells whether it has begun. */
async function deploy(known) {
  const answer = await attempt('POST', '/api/v1/containers', wanted);
  if (answer?.status === 202) return { id: answer.body.data.id, every: answer.body.polling.intervalMs };
  if (answer !== undefined) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
  const { data } = await get('/api/v1/containers');
  const found = data.find(({ project_name }) => project_name === wanted.project_name);
  const hasBegun = found !== undefined && found.status !== 'failed';
  return hasBegun ? { id: found.id, every: known?.every ?? 10_000 } : deploy(known);
}

async function end({ id, every }) {
  for (;;) {
    const { status, error_message } = (await get(`/api/v1/containers/${id}`)).data;
    if (status === 'running' || status === 'failed') return { status, error_message };
    await sleep(every);
  }
}

/** Reads what the container writes until something has come, and closes the stream. */
async function firstLine(id) {
  const stopping = new AbortController();
  const response = await fetch(`${baseUrl}/api/v1/containers/${id}/logs/stream`, { headers, signal: stopping.signal });
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes('data: ')) break;
  }
  stopping.abort();
}

let begun;
for (let n = 0; n < deployments; n++) {
  begun = await deploy(begun);
  const { status, error_message } = await end(begun);
  console.log(`deployment ${n + 1}: ${status}${error_message === null ? '' : ` (${error_message})`}`);
  if (status !== 'running') continue;
  await firstLine(begun.id);
  process.exit(0);
}
process.exit(1);
