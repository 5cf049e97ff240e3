// Tests of a client that misses something in each of them, and of its mended twin: `TWIN=mended node --test blamed.test.mjs`

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

const { CLOUD_BASE_URL: base, CLOUD_API_KEY: key, TWIN: twin } = process.env;
const isMended = twin === 'mended';

/** An error of the client's own, with its cause. */
class CloudError extends Error {}

async function send(method, path, body, as = key) {
  const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/json', accept: 'application/json' };
  const signal = AbortSignal.timeout(2_000);
  try {
    return await fetch(base + path, { method, headers, body: body && JSON.stringify(body), signal });
  } catch (cause) {
    throw new CloudError(`${method} ${path} could not be sent`, { cause });
  }
}

async function call(method, path, body, as) {
  const response = await send(method, path, body, as);
  const text = await response.text().catch((cause) => {
    throw new CloudError(`${method} ${path} has no whole answer`, { cause });
  });
  if (!response.ok) throw Object.assign(new CloudError(`${response.status} ${text}`), { status: response.status });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CloudError(`${method} ${path} has no whole answer`, { cause });
  }
}

/** Whether an error leaves open if the request took effect. */
const isOpen = ({ status }) => status === undefined || status === 502 || status === 504;
const swallow = (error) => {
  if (isMended) throw error;
};

test('tops up by card', async () => {
  const urls = { success_url: 'http://localhost:3000/paid', cancel_url: 'http://localhost:3000/' };
  const begin = async () => (await call('POST', '/api/v1/credits/checkout', { credits: 25, ...urls })).sessionId;
  const pay = (id) => call('POST', `/checkout/sessions/${id}`);
  const id = await begin();
  try {
    await pay(id);
  } catch (error) {
    if (!isMended) return void (await pay(await begin()));
    if (!isOpen(error) || !(await call('GET', `/api/v1/credits/verify?session_id=${id}`)).success) throw error;
  }
});

test('works with a key', async () => {
  const remove = (id) => call('DELETE', `/api/v1/api-keys/${id}`);
  const made = await call('POST', '/api/v1/api-keys', { name: 'worker' }).catch(async (error) => {
    if (isMended && isOpen(error))
      for (const { id, name } of (await call('GET', '/api/v1/api-keys')).keys) if (name === 'worker') await remove(id);
    throw error;
  });
  try {
    await call('GET', '/api/v1/credits/balance', undefined, made.plainKey);
  } catch (error) {
    if (isMended) await remove(made.apiKey.id);
    throw error;
  }
  await remove(made.apiKey.id);
});

test('shows the balance', async () => {
  const shown = await call('GET', '/api/v1/credits/balance').then(({ balance }) => balance, swallow);
  assert.equal(typeof (shown ?? 0), 'number');
});

test('tells of the sea', async () => {
  const messages = [{ role: 'user', content: 'Tell me of the sea.' }];
  const response = await send('POST', '/api/v1/chat/completions', { model: 'gpt-4o-mini', stream: true, messages });
  if (!response.ok) throw new CloudError(`${response.status} ${await response.text()}`);
  let text = '';
  try {
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) text += chunk;
  } catch (error) {
    swallow(error);
  }
  if (isMended && !text.includes('[DONE]')) throw new CloudError('the stream ended too soon');
});

test('tries an agent', async () => {
  const remove = (id) => call('DELETE', `/api/my-agents/characters/${id}`);
  const made = await call('POST', '/api/v1/app/agents', { name: 'Ada' }).catch(async (error) => {
    if (isMended && isOpen(error))
      for (const { id } of (await call('GET', '/api/my-agents/characters')).data.characters) await remove(id);
    swallow(error);
  });
  await remove(made?.agent.id ?? 'unknown').catch(swallow);
});

test('waits for the platform', async () => {
  const putAside = [];
  // What was refused has not taken effect, so that it may be sent again; nothing else is.
  const make = async (body) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await call('POST', '/api/v1/app/agents', body);
      } catch (error) {
        if (attempt === 20 || error.cause?.cause?.code !== 'ECONNREFUSED') throw error;
        putAside.push(body);
        await sleep(100);
      }
    }
  };
  await call('GET', '/api/my-agents/characters');
  await make({ name: 'Grace' });
  // The careless twin sends what it has put aside, although it was sent since.
  if (!isMended && putAside.length > 0) await make(putAside[0]);
});

// The same in both twins: five attempts take longer than the test has.
test('is patient', { timeout: 5_000 }, async () => {
  for (let attempt = 1, wait = 1_000; ; attempt++, wait *= 2) {
    try {
      return await call('GET', '/api/v1/containers/quota');
    } catch (error) {
      if (attempt === 5 || (error.status !== 429 && error.status !== 503)) throw error;
      await sleep(wait);
    }
  }
});
