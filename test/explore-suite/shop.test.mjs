// The tests of a small shop that runs on the platform. All pass, with the client of `client/`, while nothing goes wrong.

import assert from 'node:assert/strict';
import { balance, usage, userName } from './client/account.mjs';
import { createAgent, ensureAgents } from './client/agents.mjs';
import { reply } from './client/chat.mjs';
import { deploy, deployMissing, deployWithCare, runJob, waitUntilRunning } from './client/deploy.mjs';
import { rotateKey } from './client/keys.mjs';
import { cleanUp, removeContainer } from './client/remove.mjs';
import { narrate } from './client/speech.mjs';
import { suite, test } from './world.mjs';

const idOf = async ({ world }, project) => (await world.controls.containers.get(project)).id;

suite('the shop', () => {
  test('deploys a shop', async (cloud) => {
    assert.match(await deploy(cloud, 'shop'), /^[0-9a-f-]{36}$/);
  });

  test('deploys with care', async (cloud) => {
    assert.match(await deployWithCare(cloud, 'shop'), /^[0-9a-f-]{36}$/);
  });

  test('deploys only what is missing', async (cloud) => {
    await deployMissing(cloud, ['blog', 'shop']);
    const projects = (await cloud.world.controls.containers.list()).map(({ project_name }) => project_name);
    assert.ok(projects.includes('blog') && projects.includes('shop'));
  });

  test('waits until a deployment runs', async (cloud) => {
    assert.equal(await waitUntilRunning(cloud, await deployWithCare(cloud, 'shop')), 'running');
  });

  test('runs a job in a container of its own', async (cloud) => {
    assert.equal(await runJob(cloud, 'nightly'), 'done');
  });

  test('removes a container', async (cloud) => {
    await removeContainer(cloud, await idOf(cloud, 'job'));
  });

  test('cleans up behind itself', async (cloud) => {
    await cleanUp(cloud, 'job');
  });

  test('creates an agent', async (cloud) => {
    assert.equal((await createAgent(cloud, 'Fermat')).name, 'Fermat');
  });

  test('completes the agents', async (cloud) => {
    await ensureAgents(cloud, ['Ada', 'Bell', 'Curie', 'Darwin', 'Euler', 'Fermat']);
  });

  test('reads a streamed reply', async (cloud) => {
    assert.match(await reply(cloud, 'ping'), /pong/);
  });

  test('narrates a text', async (cloud) => {
    const spoken = await narrate(cloud, ['Welcome to the shop.', 'It opens at nine.']);
    assert.ok(spoken.every(({ byteLength }) => byteLength > 1_000));
  });

  test('shows whose account it is', async (cloud) => {
    assert.equal(typeof (await userName(cloud)), 'string');
  });

  test('shows what is left', async (cloud) => {
    assert.equal(await balance(cloud), 50);
  });

  test('shows what it has used', async (cloud) => {
    assert.equal(typeof (await usage(cloud)), 'number');
  });

  test('rotates its key', async (cloud) => {
    assert.notEqual(await rotateKey(cloud), cloud.key);
  });
});
