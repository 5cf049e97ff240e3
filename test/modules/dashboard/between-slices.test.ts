// The timeline while it is read in slices: what others do between two of them.

import { afterEach, expect, it } from 'vitest';
import { configSchema } from '../../../src/config/schema.js';
import { finish } from '../../../src/core/slices.js';
import { createOrganization } from '../../../src/modules/accounts/create-organization.js';
import { deployProject } from '../../../src/modules/containers/deploy.js';
import { createBody } from '../../../src/modules/containers/schema.js';
import { credit } from '../../../src/modules/credits/ledger.js';
import { beginning, entriesAfter } from '../../../src/modules/dashboard/past.js';
import { gather, timelineQuery } from '../../../src/modules/dashboard/timeline.js';
import { openWorld, type World } from '../../../src/world/world.js';

let world: World;
afterEach(() => world.close());

function deploy(owner: { organizationId: string; userId: string }, project: string): void {
  const { name, project_name, description, ...spec } = createBody.parse({
    name: project,
    project_name: project,
    ecr_image_uri: 'registry.local/web:v1',
  });
  const context = {
    world,
    caller: { ...owner, keyId: null },
    now: world.clock.now(),
    requestId: `req_${project}`,
    operation: 'containers.create',
    failureHeader: undefined,
    warn: () => {},
  };
  world.db.transaction(() => deployProject(context as never, { name, project_name, description, spec }));
}

it('the timeline leaves out a container that is created while it is read in slices, and has it next', async () => {
  const config = configSchema.parse({ seed: 'slices', clock: { start: '2026-01-01T00:00:00Z', frozen: true } });
  world = openWorld({ id: 'default', config, file: ':memory:', effects: {} });
  const { organization, user } = createOrganization(world, { name: 'Acme', owner: { name: 'Ada' }, at: 0 });
  const owner = { organizationId: organization.id, userId: user.id };
  credit(world, organization.id, 10_000_000, { type: 'grant', reason: 'a test', at: world.clock.now() });
  deploy(owner, 'first');

  const gathering = gather(timelineQuery.parse({}));
  const titles = (): string[] => gathering.all().map(({ entry }) => entry.title);
  const reading = entriesAfter(world, beginning, world.clock.now(), Infinity, gathering);
  expect(reading.next().done).toBe(false);
  await world.clock.advanceTo(world.clock.now() + 1_000);
  deploy(owner, 'second');
  const { cursor } = finish(reading);
  expect(titles()).toEqual(expect.arrayContaining(['Container first', 'Deployment of first']));
  expect(titles().join()).not.toContain('second');

  finish(entriesAfter(world, cursor, world.clock.now(), Infinity, gathering));
  expect(titles()).toEqual(expect.arrayContaining(['Container second', 'Deployment of second']));
});
