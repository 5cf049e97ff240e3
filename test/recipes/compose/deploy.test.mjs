// Tests in a container of their own: `npm test` is `node --test`.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from 'cloudemu/client';

test('deploys a container that runs', async () => {
  const world = await connect().createWorld();
  const headers = { authorization: `Bearer ${world.apiKey}` };
  const body = JSON.stringify({ name: 'Shop', project_name: 'shop', ecr_image_uri: 'registry.local/shop:v1' });
  const created = await world.fetch('/api/v1/containers', { method: 'POST', headers, body });
  const { data } = await created.json();
  await world.controls.clock.advance('10m');
  const answer = await world.fetch(`/api/v1/containers/${data.id}`, { headers });
  assert.equal((await answer.json()).data.status, 'running');
  const { ok, text } = await world.report();
  await world.close();
  assert.ok(ok, text);
});
