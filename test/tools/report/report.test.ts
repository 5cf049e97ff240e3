// The report on a world of a failed test: what a person needs to see why, in one text for every language.

import { expect, it } from 'vitest';
import { runHere } from '../../support/command-here.js';
import { startEmulator } from '../../support/emulator.js';

const body = JSON.stringify({ name: 'Shop', project_name: 'shop', ecr_image_uri: 'registry.local/shop:v1' });

it('says why requests were refused, what comes next, and what is armed', async () => {
  const emulator = await startEmulator({ clock: '2030-01-01T00:00:00.000Z', frozen: true, timing: 'fast' });
  const world = await emulator.createWorld({ id: 'blue', clock: { start: '2030-01-01T00:00:00.000Z', frozen: true } });
  const send = (path: string, init: RequestInit = {}) =>
    world.fetch(path, { ...init, headers: { authorization: `Bearer ${world.apiKey}` } });
  await send('/api/v1/containers', { method: 'POST', body });
  await world.controls.clock.advance('3s');
  await send('/api/v1/containers', { method: 'POST', body: '{"name": 1}' });
  await send('/api/v1/containers/none');
  const { id: fault } = world.controls.faults.add({
    match: { operation: 'containers.list' },
    effect: { status: 503 },
  });
  const { id } = world.controls.containers.get('shop');
  const { ok, failed, text, url } = world.controls.report();
  expect([ok, failed]).toEqual([false, ['verdict faults-all-fired']]);
  expect(url).toBe(`${emulator.url}/w/blue/_emulator/`);
  const lines = text.split('\n');
  const from = lines.indexOf('3 requests:');
  expect(lines.slice(0, from)).toEqual([
    'Not as expected:',
    '  verdict faults-all-fired: fail, expected pass or not-exercised',
    '    1 of 1 fault never fired: check what it matches, or remove it.',
    `    fault ${fault} (containers.list: 503) never fired`,
  ]);
  expect(lines.slice(from + 1)).toEqual([
    '  00:00:00.000  POST /api/v1/containers  202',
    expect.stringMatching(/^ {2}00:00:03\.000 {2}POST \/api\/v1\/containers {2}400 VALIDATION_ERROR: \S/),
    '  00:00:03.000  GET /api/v1/containers/none  404 NOT_FOUND: Container not found',
    expect.stringMatching(
      /^Why GET \/api\/v1\/containers\/none got 404: `.*cloudemu why --request req_\w+ --world blue` names/,
    ),
    'Clock: 2030-01-01T00:00:03.000Z, frozen',
    'Containers:',
    expect.stringMatching(new RegExp(`^ {2}shop \\(${id}\\): building, deploying in \\ds$`)),
    'Armed faults:',
    `  ${fault}: containers.list, before: {"status":503}; has not acted`,
    'Settings: profile spec (no file)',
    `Dashboard: ${url}`,
  ]);
});

it('is the same over HTTP and on the command line, with text of clients on lines of its own', async () => {
  const { url, apiKey } = await startEmulator({ frozen: true });
  await fetch(`${url}/api/v1/containers?a=%0A%1b[31m`, { headers: { authorization: `Bearer ${apiKey}` } });
  const { text } = (await (await fetch(`${url}/_emulator/report`)).json()) as { text: string };
  const { stdout, code } = await runHere(['report', '--url', url]);
  expect([stdout, code]).toEqual([`${text}\n`, 0]);
  expect(text).toContain('1 request:\n');
  const json = JSON.parse((await runHere(['report', '--url', url, '--json'])).stdout);
  expect(json).toMatchObject({ untrusted: true, text });
});

it('shows ten faults of many', async () => {
  const { controls } = await startEmulator();
  for (let number = 1; number <= 12; number++)
    controls.faults.add({ match: { operation: 'keys.list' }, effect: { status: 503 } });
  const { text } = controls.report();
  expect(text).toMatch(/Armed faults:\n( {2}fault_\d+: .*\n){10} {2}and 2 more\n/);
});
