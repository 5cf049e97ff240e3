/* global world */

const create = (project, tag = 'v1') =>
  world.fetch('/api/v1/containers', {
    method: 'POST',
    headers: { authorization: `Bearer ${world.apiKey}` },
    body: JSON.stringify({ name: project, project_name: project, ecr_image_uri: `registry.local/shop:${tag}` }),
  });

test('deploys a container that runs', async () => {
  expect((await create('shop')).status).toBe(202);
  await world.controls.clock.advance('10m');
  expect(await world.controls.containers.get('shop')).toMatchObject({ status: 'running' });
});

test('is told why a container fails', async () => {
  await create('shop', 'fail-exec-format');
  const { error } = await world.controls.await({ container: 'shop', status: 'failed', advance: true });
  expect(error).toContain('exec format error');
});

test('begins with nothing', async () => {
  expect(await world.controls.containers.list()).toEqual([]);
});
