// Two states of a world beside each other: which rows came, went and changed, and how.

import { describe, expect, it } from 'vitest';
import type { ChangedRow } from '../../../src/tools/journal/row-changes.js';
import type { SnapshotComparison } from '../../../src/tools/snapshots/compare.js';
import { call, deploy, startWorld } from '../../support/emulator.js';

const rowsOf = ({ tables }: SnapshotComparison, name: string): ChangedRow[] =>
  tables.find(({ table }) => table === name)?.rows ?? [];

describe('a snapshot compared', () => {
  it('with the present shows added rows and changed fields', async () => {
    const world = await startWorld();
    const { snapshots } = world.controls;
    snapshots.take({ name: 'before' });
    expect((await snapshots.compare('before')).tables).toEqual([]);
    await deploy(world, { name: 'shop', project_name: 'shop' });
    const found = await snapshots.compare('before');
    expect(found).toMatchObject({ name: 'before', with: null });
    expect(rowsOf(found, 'containers')).toMatchObject([{ change: 'added', key: '1', name: 'shop' }]);
    expect(rowsOf(found, 'deployments')[0]?.fields).toContainEqual({
      name: 'started_at',
      before: null,
      after: '2026-01-01T00:00:00.000Z',
    });
    const [organization] = rowsOf(found, 'organizations');
    expect(organization).toMatchObject({ change: 'changed', key: world.organizationId });
    expect(organization?.fields).toEqual([{ name: 'balance', before: '1000', after: '999.5' }]);
  });

  it('with another one shows removed rows, and the paths that differ in documents', async () => {
    const world = await startWorld({ timing: 'instant' });
    const { snapshots } = world.controls;
    const { id } = await deploy(world, { name: 'shop', project_name: 'shop' });
    world.controls.keys.create({ name: 'kept' });
    snapshots.take({ name: 'first' });
    await call(world, 'DELETE', `/api/v1/containers/${id}`);
    await world.controls.clock.advance('1h');
    snapshots.take({ name: 'second' });
    await deploy(world, { name: 'later', project_name: 'later' });
    const found = await snapshots.compare('first', { with: 'second' });
    expect(found.tables.find(({ table }) => table === 'containers')).toMatchObject({ added: 0, removed: 1 });
    expect(rowsOf(found, 'containers')).toMatchObject([{ change: 'removed', name: 'shop' }]);
    const clock = rowsOf(found, 'meta').find(({ key }) => key === 'clock');
    const hour = ['2026-01-01T00:00:00.000Z', '2026-01-01T01:00:00.000Z'];
    expect(clock?.fields).toEqual([{ name: 'now', before: hour[0], after: hour[1] }]);
    // The emulator's own counts say nothing of the world.
    expect(found.tables.map(({ table }) => table)).not.toContain('counters');
    expect(rowsOf(found, 'meta').map(({ key }) => key)).toEqual(['clock']);
    expect(found.tables.map(({ table }) => table)).not.toContain('users');
  });

  it('shows that a secret changed, but not the secret', async () => {
    const world = await startWorld({ timing: 'instant' });
    const { id } = await deploy(world, { environment_vars: { TOKEN: 'planted-1', PLAIN: 'planted-2' } });
    world.controls.snapshots.take({ name: 'before' });
    await call(world, 'PATCH', `/api/v1/containers/${id}`, { environment_vars: { TOKEN: 'planted-3' } });
    const found = await world.controls.snapshots.compare('before');
    expect(JSON.stringify(found)).not.toContain('planted');
    expect(JSON.stringify(found)).not.toContain(world.apiKey);
    expect(rowsOf(found, 'deployments').flatMap(({ fields }) => fields)).toContainEqual(
      expect.objectContaining({ name: expect.stringMatching(/environment_vars/), after: '********' }),
    );
  });

  it('counts all rows and shows as many as were asked for', async () => {
    const world = await startWorld();
    const { snapshots, keys } = world.controls;
    snapshots.take({ name: 'before' });
    for (let i = 0; i < 5; i++) keys.create({ name: `key ${i}` });
    const answer = await call(world, 'GET', '/_emulator/snapshots/before/compare?limit=2');
    const found = (answer.body as SnapshotComparison).tables.find(({ table }) => table === 'api_keys');
    expect([found?.added, found?.rows.length]).toEqual([5, 2]);
  });

  it('shows nothing once it is restored, while the clock is frozen', async () => {
    const world = await startWorld();
    const { snapshots, clock } = world.controls;
    snapshots.take({ name: 'before' });
    await clock.advance('1d');
    clock.resume({ speed: 60 });
    await snapshots.restore('before');
    expect((await snapshots.compare('before')).tables).toEqual([]);
  });

  it('under an unknown name is refused, with the nearest name', async () => {
    const world = await startWorld();
    world.controls.snapshots.take({ name: 'before' });
    await expect(world.controls.snapshots.compare('before', { with: 'befor' })).rejects.toThrow(
      'did you mean "before"?',
    );
  });
});
