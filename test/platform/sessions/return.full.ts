// A login may lead back nowhere but to the emulator and to listed origins.

import { describe, expect, it } from 'vitest';
import { startEmulator } from '../../support/emulator.js';
import { browse, form } from '../../support/sessions.js';

const listed = 'https://app.example.test';

describe.each([
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '\n//evil.example',
  ' //evil.example',
  'https:evil.example',
  'https:/evil.example',
  'http:\\\\evil.example',
  'https://evil.example',
  'https://evil.example#https://app.example.test',
  'https://app.example.test.evil.example',
  'https://app.example.test@evil.example',
  'https://user:pw@app.example.test/',
  'https://evil.example\\@app.example.test',
  'http://app.example.test',
  'https://app.example.test:8443',
  'http://127.0.0.1:1/',
  'http://0x7f000001:4747/',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'blob:https://app.example.test/1',
  'file:///etc/passwd',
  'about:blank',
  'http://',
  'http://[',
])('%j', (wanted) => {
  it('is refused as the way back: on the page, on signing in, on signing out', async () => {
    const emulator = await startEmulator({ server: { corsOrigins: [listed] } });
    const field = new URLSearchParams({ return_to: wanted }).toString();
    const answers = [
      await browse(emulator, 'GET', `/auth/login?${field}`),
      await browse(emulator, 'GET', `/auth/logout?${field}`),
      await browse(emulator, 'POST', '/auth/login', { headers: form, body: `email=owner@example.test&${field}` }),
      await browse(emulator, 'POST', '/auth/logout', { headers: form, body: field }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    for (const { headers } of answers) {
      expect(headers.location).toBeUndefined();
      expect(headers['set-cookie']).toBeUndefined();
    }
    expect(emulator.controls.sessions.list()).toEqual([]);
  });
});

it.each([
  ['', '/auth/login'],
  ['/dashboard?x=1#y', 'http://127.0.0.1:PORT/dashboard?x=1#y'],
  ['dashboard', 'http://127.0.0.1:PORT/dashboard'],
  ['http://127.0.0.1:PORT/a%20b', 'http://127.0.0.1:PORT/a%20b'],
  ['https://app.example.test', 'https://app.example.test/'],
  ['https://APP.example.test:443/dé\r\nX: 1', 'https://app.example.test/d%C3%A9X:%201'],
])('the way back %j leads to %s', async (wanted, expected) => {
  const emulator = await startEmulator({ server: { corsOrigins: [listed] } });
  const here = (text: string): string => text.replace('PORT', String(emulator.port));
  const fields = new URLSearchParams({ email: 'owner@example.test', return_to: here(wanted) });
  const answer = await browse(emulator, 'POST', '/auth/login', { headers: form, body: fields.toString() });
  expect([answer.status, answer.headers.location]).toEqual([303, here(expected)]);
  expect(answer.headers['set-cookie']).toHaveLength(1);
});

it('the login lets whoever is signed in go on', async () => {
  const emulator = await startEmulator({ server: { corsOrigins: [listed] } });
  const { cookie } = emulator.controls.sessions.create();
  const page = await browse(emulator, 'GET', `/auth/login?return_to=${listed}/after`, { headers: { cookie } });
  expect(page.text).toContain(
    `<a class="button" href="${listed}/after">Go on as Example Owner (owner@example.test)</a>`,
  );
});

it('the login page keeps the way back, and lets its form lead there', async () => {
  const emulator = await startEmulator({ server: { corsOrigins: [listed] } });
  const wanted = `${listed}/after?a=1&b="2"`;
  const page = await browse(emulator, 'GET', `/auth/login?${new URLSearchParams({ return_to: wanted })}`);
  expect(page.text).toContain('name="return_to" value="https://app.example.test/after?a=1&#38;b=%222%22"');
  expect(page.headers['content-security-policy']).toContain(`form-action 'self' ${listed};`);
});

it.each([
  ['/dashboard?x=1#y', '/w/x/dashboard?x=1#y'],
  ['dashboard', '/w/x/dashboard'],
  ['/w/x/dashboard', '/w/x/dashboard'],
  ['/w/xy', '/w/x/w/xy'],
  ['/', '/w/x/'],
  ['..', '/w/x/w/'],
])('the way back %j in a world leads to %s, inside of it', async (wanted, expected) => {
  const emulator = await startEmulator();
  await emulator.createWorld({ id: 'x' });
  const fields = new URLSearchParams({ email: 'owner@example.test', return_to: wanted });
  const answer = await browse(emulator, 'POST', '/w/x/auth/login', { headers: form, body: fields.toString() });
  expect([answer.status, answer.headers.location]).toEqual([303, `${emulator.url}${expected}`]);
});
