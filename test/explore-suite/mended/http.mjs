// One request with what the network and the platform may do to it: refusals are waited for, and reads are repeated.

import { setTimeout as sleep } from 'node:timers/promises';

export const headersOf = ({ key }) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' });

/** The platform's act in the place of what it was asked. `refused`: it did nothing; else nobody knows. */
export class PlatformError extends Error {
  name = 'PlatformError';

  constructor(message, { status = 0, cause } = {}) {
    super(message, { cause });
    this.status = status;
    this.refused = status === 503 || (status > 0 && status < 500);
  }
}

const attempts = 4;
const patienceMs = 2_000;

/** Sends a request; `read` takes what is in the response. Only what surely did nothing, or may be repeated, is sent again. */
export async function send(cloud, method, path, body, read = (response) => response.json()) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await sendOnce(cloud, method, path, body, read);
    } catch (error) {
      const isBusy = error.status === 429 || error.status === 503;
      const isRepeatable = isBusy || (method === 'GET' && !error.refused);
      if (!(error instanceof PlatformError) || !isRepeatable || attempt === attempts) throw error;
      await sleep(error.retryAfterMs ?? 50 * 2 ** attempt);
    }
  }
}

// A refusal may come with 200.
function asked(answer, what) {
  if (answer?.success !== false) return answer;
  throw new PlatformError(`${what} was refused: ${JSON.stringify(answer).slice(0, 200)}`, { status: 503 });
}

async function sendOnce(cloud, method, path, body, read) {
  const what = `${method} ${path}`;
  const init = { method, headers: headersOf(cloud), signal: AbortSignal.timeout(patienceMs) };
  try {
    const response = await fetch(cloud.url + path, { ...init, ...(body && { body: JSON.stringify(body) }) });
    if (response.ok) return asked(await read(response), what);
    const text = await response.text();
    const error = new PlatformError(`${what} gave ${response.status}: ${text.slice(0, 200)}`, response);
    const seconds = response.headers.get('retry-after');
    if (seconds !== null) error.retryAfterMs = seconds * 1_000;
    throw error;
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    throw new PlatformError(`${what} had no usable answer: ${error.message}`, { cause: error });
  }
}
