// A client that was made for the server of another profile: each refusal names the profile that it was made for.

import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.js';
import { surfaceOf } from '../../src/platform/surface.js';
import { call, startWorld } from '../support/emulator.js';
import { expectAll } from '../support/matrix.js';

const profiles = ['spec', 'elizacloud-v1', 'elizacloud'];
const surfaces = new Map(
  profiles.map((profile) => [profile, surfaceOf(loadConfig({ env: {}, flags: { profile }, file: null }).config)]),
);
const pairs = profiles.flatMap((here) => profiles.filter((other) => other !== here).map((other) => ({ here, other })));

const routeOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

describe.each(pairs)('under $here', ({ here, other }) => {
  const ours = new Map(surfaces.get(here)?.map((endpoint) => [routeOf(endpoint), endpoint]));
  const missing = surfaces.get(other)?.filter((endpoint) => !ours.has(routeOf(endpoint))) ?? [];

  it.runIf(missing.length > 0)(`a path that ${other} has is refused with its name`, async () => {
    const world = await startWorld({ profile: here });
    await expectAll(
      missing.map((endpoint) => [routeOf(endpoint), endpoint]),
      async ({ method, path }) => {
        const { status, text } = await call(world, method, path.replace(/\{\w+\}/g, 'none'));
        expect([404, 405, 501]).toContain(status);
        expect(text).toContain(`\`--profile ${other}\``);
      },
    );
  });
});

const bodies = {
  old: { name: 'My app', project_name: 'my-app', ecr_image_uri: 'registry.local/my-app:v1' },
  today: { name: 'My app', projectName: 'my-app', image: 'ghcr.io/elizaos/my-app:v1' },
};

it.each([
  ['spec', 'POST', bodies.today, ['elizacloud', 'elizacloud-v1']],
  ['elizacloud', 'POST', bodies.old, ['elizacloud-v1', 'spec']],
  ['spec', 'PATCH', { action: 'restart' }, ['elizacloud']],
  ['elizacloud-v1', 'PATCH', { action: 'restart' }, ['elizacloud']],
  ['elizacloud', 'PATCH', { cpu: 512 }, ['elizacloud-v1', 'spec']],
])('under %s, %s of a container with the names of other profiles names them', async (profile, method, body, others) => {
  const world = await startWorld({ profile });
  const { status, text } = await call(world, method, `/api/v1/containers${method === 'POST' ? '' : '/none'}`, body);
  expect(status).toBe(400);
  expect(text).toContain(`these names are those of ${others.map((name) => `\`--profile ${name}\``).join(' or ')}`);
});

it('a wrong body in the names of the profile in force names no other', async () => {
  const world = await startWorld();
  const { text } = await call(world, 'POST', '/api/v1/containers', { ...bodies.old, ecr_image_uri: 3 });
  expect(text).toContain('ecr_image_uri');
  expect(text).not.toContain('--profile');
});

it.each([
  ['spec', 'eliza_', ['elizacloud', 'elizacloud-v1']],
  ['elizacloud-v1', 'ek_test_', ['spec']],
  ['elizacloud', 'ek_test_', ['spec']],
])('under %s an unknown key that begins with %s names its profiles', async (profile, prefix, others) => {
  const world = await startWorld({ profile });
  for (const headers of [{ authorization: `Bearer ${prefix}0123` }, { 'x-api-key': `${prefix}0123` }]) {
    const answer = await world.fetch('/api/v1/containers', { headers });
    expect(answer.status).toBe(401);
    expect(await answer.text()).toContain(
      `the API key is unknown; it begins like those of ${others.map((name) => `\`--profile ${name}\``).join(' or ')}`,
    );
  }
});

it.each(['ek_test_0123', 'other'])('an unknown key of no other profile (%s) names none', async (key) => {
  const world = await startWorld();
  const answer = await world.fetch('/api/v1/containers', { headers: { 'x-api-key': key } });
  expect(await answer.text()).not.toContain('--profile');
});

it.each(profiles)('env prints the names of the guides in the profile %s, and its own beside them', async (profile) => {
  const { env } = (await startWorld({ profile })).controls.config();
  expect(env.baseUrl[0]).toBe('CLOUD_BASE_URL');
  expect(env.apiKey[0]).toBe('CLOUD_API_KEY');
  if (profile !== 'spec') expect(env.apiKey).toContain('ELIZAOS_CLOUD_API_KEY');
});
