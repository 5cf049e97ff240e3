// The platform's own SDK with containers of today's server.

import { CloudApiError, ElizaCloudClient, InsufficientCreditsError } from '@elizaos/cloud-sdk';
import { expect, it } from 'vitest';
import { startEmulator } from '../support/emulator.js';

const image = 'ghcr.io/elizaos/app:v1';

it('the SDK starts, reads, restarts, scales and deletes a container, and meets what the platform has lost', async () => {
  const world = await startEmulator({ profile: 'elizacloud' });
  const cloud = new ElizaCloudClient({ baseUrl: world.url, apiKey: world.apiKey });
  const request: any = { name: 'sdk', image, projectName: 'sdk-e2e' };
  const { data } = await cloud.createContainer(request);
  expect(data).toMatchObject({ status: 'deploying', project_name: 'sdk-e2e' });
  await world.controls.clock.advance('10s');
  expect((await cloud.getContainer(data.id)).data.status).toBe('running');
  expect((await cloud.listContainers()).data.map(({ id }) => id)).toEqual([data.id]);
  expect(await cloud.getContainerQuota()).toEqual({ success: true, quota: { allowed: true, current: 1, max: 100 } });
  for (const change of [{ action: 'restart' }, { action: 'scale', desiredCount: 1 }] as any[])
    expect(await cloud.updateContainer(data.id, change)).toMatchObject({ container: { status: 'deploying' } });
  await expect(cloud.getContainerHealth(data.id)).rejects.toMatchObject({ statusCode: 404 });
  expect(await cloud.deleteContainer(data.id)).toEqual({ success: true, deleted: true });
  await expect(cloud.getContainer(data.id)).rejects.toBeInstanceOf(CloudApiError);
  world.controls.organizations.credits(world.organizationId, { set: 0.5 });
  await cloud.createContainer(request);
  await expect(cloud.createContainer({ ...request, name: 'b', projectName: 'b' })).rejects.toBeInstanceOf(
    InsufficientCreditsError,
  );
});
