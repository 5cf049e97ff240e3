import { expect, test } from './world.js';

const shop = { name: 'Shop', project_name: 'shop', ecr_image_uri: 'registry.local/shop:v1' };

test('deploys a container that runs', async ({ request, world }) => {
  const created = await request.post('/api/v1/containers', { data: shop });
  expect(created.status()).toBe(202);
  const { data } = await created.json();
  await world.controls.clock.advance('10m');
  const answer = await request.get(`/api/v1/containers/${data.id}`);
  expect((await answer.json()).data.status).toBe('running');
});

test('begins with nothing', async ({ request }) => {
  const answer = await request.get('/api/v1/containers');
  expect((await answer.json()).data).toEqual([]);
});
