// A browser that names no origin still says that another site has sent the request.

import { expect, it } from 'vitest';
import { call, startWorld } from '../../support/emulator.js';
import { form } from '../../support/sessions.js';

it.each(['cross-site', 'same-site'])('the login page refuses a POST that is %s and names no origin', async (site) => {
  const emulator = await startWorld();
  const post = (headers: Record<string, string>) =>
    call(emulator, 'POST', '/auth/login', `userId=${emulator.userId}`, { ...form, authorization: '', ...headers });
  const refused = await post({ 'sec-fetch-site': site });
  expect([refused.status, refused.headers.get('set-cookie')]).toEqual([403, null]);
  expect((await post({ 'sec-fetch-site': 'same-origin' })).status).toBeLessThan(400);
});

it('a session’s cookie changes nothing in a cross-site request that names no origin', async () => {
  const emulator = await startWorld();
  const { cookie } = emulator.controls.sessions.create();
  const create = (site: string) =>
    call(emulator, 'POST', '/api/v1/api-keys', { name: 'mine' }, { authorization: '', cookie, 'sec-fetch-site': site });
  expect((await create('cross-site')).status).toBe(403);
  expect((await create('same-origin')).status).toBe(201);
});
