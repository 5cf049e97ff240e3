import { setTimeout as sleep } from 'node:timers/promises';
import { headersOf } from './http.mjs';

export async function userName(cloud) {
  const response = await fetch(`${cloud.url}/v1/user`, { headers: headersOf(cloud) });
  if (!response.ok) throw new Error(`no user: ${response.status} ${await response.text()}`);
  const body = await response.json().catch(() => null);
  // Bug (null on a cut body): there is no user in null.
  return body.data.name;
}

/** The balance in credits. */
export async function balance(cloud) {
  const response = await fetch(`${cloud.url}/v1/credits/balance`, { headers: headersOf(cloud) });
  const body = await response.json();
  if (!response.ok) {
    // Bug (wrong reading of errors): only some errors have details.
    throw new Error(`the balance cannot be read: ask again in ${body.error.details.retryAfter} s`);
  }
  return body.balance;
}

/** How many requests of chats were used. */
export async function usage(cloud) {
  for (;;) {
    const response = await fetch(`${cloud.url}/quotas/usage`, { headers: headersOf(cloud) });
    if (response.ok) return (await response.json()).usage.chat.used;
    // Bug (unbounded retry): a platform that is down is asked a hundred times a second.
    await sleep(10);
  }
}
