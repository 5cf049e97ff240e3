// The journal as HAR: what it says, and that it can be read back.

import { expect, it } from 'vitest';
import { readHar } from '../../../src/tools/incidents/har.js';
import { call, deploy, startWorld } from '../../support/emulator.js';

const list = '/api/v1/containers';

it('an exported journal has each request with its response, in virtual time and without secrets', async () => {
  const world = await startWorld();
  await deploy(world, { environment_vars: { API_TOKEN: 'hidden-value-of-mine' } });
  await world.controls.clock.advance('1m');
  await call(world, 'GET', `${list}?limit=5`);
  const { log } = world.controls.requests.export({ har: true });
  expect(log).toMatchObject({ version: '1.2', creator: { name: 'cloudemu' } });
  expect(log.entries).toMatchObject([
    {
      startedDateTime: '2026-01-01T00:00:00.000Z',
      request: { method: 'POST', postData: { text: expect.stringContaining('project_name') } },
    },
    {
      startedDateTime: '2026-01-01T00:01:00.000Z',
      request: { method: 'GET', queryString: [{ name: 'limit', value: '5' }], bodySize: 0 },
      response: { status: 200, content: { text: expect.stringContaining('"success":true') } },
    },
  ]);
  const date = log.entries[1]?.response.headers.find(({ name }) => name === 'date');
  expect(date?.value).toBe('Thu, 01 Jan 2026 00:01:00 GMT');
  const text = JSON.stringify(log);
  expect(text).not.toMatch(new RegExp(`${world.apiKey}|hidden-value|x-emulator`));
  expect(world.controls.requests.export({ operation: 'containers.list', limit: 1 }).log.entries).toHaveLength(1);
});

it('a lost response is one that did not come, and a body that the journal has cut is unknown', async () => {
  const world = await startWorld();
  world.controls.faults.add({ when: { times: 1 }, phase: 'after', effect: { network: 'reset' } });
  await call(world, 'GET', list).catch(() => {});
  world.controls.faults.add({ effect: { status: 502, body: 'x'.repeat(20_000) } });
  await call(world, 'GET', list);
  const har = world.controls.requests.export();
  const [lost, long] = har.log.entries;
  expect(lost?.response).toMatchObject({ status: -1, headers: [], _failureText: 'net::ERR_CONNECTION_RESET' });
  expect(long?.response.content).toMatchObject({ comment: 'The journal does not hold it in full' });
  expect(readHar(har as never)).toMatchObject({
    format: expect.stringMatching(/^HAR of cloudemu /),
    exchanges: [
      { status: 0, failure: 'net::ERR_CONNECTION_RESET' },
      { status: 502, text: null },
    ],
  });
});
