// An export without secrets: nowhere in its bytes, and still a world.

import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { call, deploy, image, startWorld } from '../../support/emulator.js';

const secret = 'planted-b5e1c8';

it('an export without secrets contains no values of environment variables of any deployment or scenario', async () => {
  const world = await startWorld({ timing: 'instant' });
  await world.controls.scenarios.apply({
    data: {
      containers: [
        { name: 'old', project_name: 'old', ecr_image_uri: image, environment_vars: { OLD: `${secret}-1` }, age: '1h' },
      ],
    },
  });
  const { id } = await deploy(world, { environment_vars: { TOKEN: `${secret}-2`, EMPTY: '' } });
  await call(world, 'PATCH', `/api/v1/containers/${id}`, { environment_vars: { TOKEN: `${secret}-3` } });
  world.controls.snapshots.take({ name: 'one' });

  const bytesOf = (options?: { withoutSecrets: boolean }): string =>
    gunzipSync(Buffer.from(world.controls.snapshots.export('one', options).image, 'base64')).toString('latin1');
  expect(bytesOf()).toContain(secret);
  const clean = bytesOf({ withoutSecrets: true });
  expect(clean).not.toContain(secret);
  expect(clean).toContain('TOKEN');
});

it('an export without secrets can be imported and restored, and reports what was left out', async () => {
  const world = await startWorld({ timing: 'instant' });
  const { id } = await deploy(world, { environment_vars: { TOKEN: secret } });
  world.controls.snapshots.take({ name: 'one' });
  const document = world.controls.snapshots.export('one', { withoutSecrets: true });

  const other = await startWorld({ timing: 'instant', seed: 'other' });
  await other.controls.snapshots.import(document);
  await other.controls.snapshots.restore('one');
  const revealed = await call(
    { ...other, fetch: other.fetch, apiKey: world.apiKey },
    'GET',
    `/api/v1/containers/${id}?reveal=true`,
  );
  expect(revealed.body.data.environment_vars).toEqual({ TOKEN: '********' });
  // The snapshot itself is whole.
  await world.controls.snapshots.restore('one');
  const whole = await call(world, 'GET', `/api/v1/containers/${id}?reveal=true`);
  expect(whole.body.data.environment_vars).toEqual({ TOKEN: secret });
});
