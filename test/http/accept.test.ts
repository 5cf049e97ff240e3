// The types that clients accept, and where they may return to.

import { expect, it } from 'vitest';
import { wantsPage, wantsText } from '../../src/http/accept.js';
import { call, deploy, startWorld } from '../support/emulator.js';

it.each([
  ['text/plain', true],
  ['text/plain, */*', true],
  ['text/plain;q=0.9, application/json;q=0.5', true],
  ['text/plain;q=0', false],
  ['TEXT/PLAIN; q=0.0, */*', false],
  ['text/plain;q=0.5, application/json', false],
  ['application/json, text/plain, */*', false],
  ['text/plainer', false],
  ['*/*', false],
  ['', false],
])('an Accept of %s asks for plain text: %s', (accept, isWanted) => {
  expect(wantsText(accept)).toBe(isWanted);
});

it.each([
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
  ['application/json, text/html', true],
  ['text/html;q=0', false],
  ['application/json, text/html;q=0.5', false],
  ['*/*', false],
])('an Accept of %s asks for a page: %s', (accept, isWanted) => {
  expect(wantsPage(accept)).toBe(isWanted);
});

it('a client that refuses text and pages gets JSON', async () => {
  const emulator = await startWorld();
  const { id } = await deploy(emulator);
  const typeOf = async (path: string, accept: string) =>
    (await call(emulator, 'GET', path, undefined, { accept })).headers.get('content-type')?.split(';')[0];
  expect(await typeOf(`/api/v1/containers/${id}/logs`, 'text/plain')).toBe('text/plain');
  expect(await typeOf(`/api/v1/containers/${id}/logs`, 'text/plain;q=0')).toBe('application/json');
  expect(await typeOf('/', 'text/html;q=0')).toBe('application/json');
});

it.each(['http:host', 'http:/path', 'http:host/auth/login'])('a login refuses to return to %s', async (target) => {
  const emulator = await startWorld();
  const { status, body } = await call(
    emulator,
    'GET',
    `/auth/login?return_to=${encodeURIComponent(target)}`,
    undefined,
    {
      accept: 'application/json',
    },
  );
  expect([status, body.error?.details?.[0]?.path]).toEqual([400, 'query.return_to']);
});
