// The columns of the platform's own rows, which clients of it read, stand in every answer that shows a record.

import { expect, it } from 'vitest';
import { call, deploy, startWorld } from '../../support/emulator.js';

const columns = [
  ...['character_id', 'ecr_repository_uri', 'ecr_image_tag', 'ecs_cluster_arn', 'ecs_service_arn', 'metadata'],
  ...['ecs_task_definition_arn', 'ecs_task_arn', 'image_tag', 'dockerfile_path', 'last_health_check'],
];

it('shows the row of a container in all answers that show it', async () => {
  const world = await startWorld();
  const created = await deploy(world, { ecr_image_uri: 'localhost:5000/acme/web:v1' });
  for (const column of columns) expect(created).toHaveProperty(column);
  expect(created).toMatchObject({
    ecr_repository_uri: 'localhost:5000/acme/web',
    ecr_image_tag: 'v1',
    image_tag: 'v1',
    ecs_task_arn: null,
    metadata: { ecr_image_uri: 'localhost:5000/acme/web:v1', is_update: false, architecture: 'arm64' },
  });
  await world.controls.clock.advance('1m');
  const path = `/api/v1/containers/${created.id}`;
  const {
    body: { data: row },
  } = await call(world, 'GET', path);
  expect(row.ecs_task_arn).toMatch(/^arn:aws:ecs:local:000000000000:task\//);
  expect((await call(world, 'GET', '/api/v1/containers')).body.data[0]).toEqual({
    ...row,
    deployment_log: undefined,
    exit_code: undefined,
    progress: undefined,
    statusHistory: undefined,
    nextTransitionAt: undefined,
  });
  const updated = await call(world, 'PATCH', path, { ecr_image_uri: 'acme/web:v2' });
  expect(updated.body.data).toMatchObject({
    image_tag: 'v2',
    metadata: { is_update: true, previous_image: 'localhost:5000/acme/web:v1' },
  });
});

it('shows whose a key is', async () => {
  const world = await startWorld();
  const { organizationId: organization_id, userId: user_id } = world;
  expect((await call(world, 'GET', '/api/v1/api-keys')).body.keys).toMatchObject([{ organization_id, user_id }]);
});
