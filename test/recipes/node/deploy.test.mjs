// A recipe for node:test: one emulator for the file, a world for each test, and what its client did is judged.

import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { createEmulator } from 'cloudemu';
import { connect } from 'cloudemu/client';

// A running emulator where CLOUDEMU_URL names one; otherwise one of this file.
const emulator =
  process.env.CLOUDEMU_URL === undefined ? await createEmulator({ receipt: '.cloudemu/receipt.json' }) : undefined;
const worlds = connect(emulator && { url: emulator.url });
after(() => emulator?.close());

let world;
beforeEach(async ({ name }) => {
  world = await worlds.createWorld({ label: `deploy.test.mjs > ${name}` });
});
afterEach(async () => {
  const { ok, text } = await world.finish(); // a world in which the client did wrong is kept
  assert.ok(ok, text);
});

// Your client, which sends the requests.
const deploy = (project, tag = 'v1') =>
  world.fetch('/api/v1/containers', {
    method: 'POST',
    headers: { authorization: `Bearer ${world.apiKey}` },
    body: JSON.stringify({ name: project, project_name: project, ecr_image_uri: `registry.local/${project}:${tag}` }),
  });

test('deploys a container that runs', async () => {
  assert.equal((await deploy('shop')).status, 202);
  const { status } = await world.controls.await({ container: 'shop', status: 'running', advance: true });
  assert.equal(status, 'running');
});

test('sees a deployment fail', async () => {
  await deploy('shop', 'fail-exec-format');
  const { status } = await world.controls.await({ container: 'shop', status: 'failed', advance: true });
  assert.equal(status, 'failed');
});
