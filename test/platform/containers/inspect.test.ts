// A container from the inside: its deployments against their plan, and metrics that are there before their time.

import { afterEach, expect, it } from 'vitest';
import { closeEmulators, deploy, startWorld } from '../../support/emulator.js';

afterEach(closeEmulators);

const told = (stretches: readonly { status: string; endedBy: string | null }[]): string[] =>
  stretches.map(({ status, endedBy }) => (endedBy === null ? status : `${status} (${endedBy})`));

it('inspecting a container shows its timeline beside the plan, interventions included', async () => {
  const emulator = await startWorld();
  const { controls } = emulator;
  await deploy(emulator);
  await controls.clock.advance('3s');
  controls.containers.fail('web', { mode: 'oom-start' });
  const [deployment] = controls.containers.inspect('web').deployments;
  expect(told(deployment?.plan ?? [])).toEqual(['pending', 'building', 'deploying', 'running']);
  expect(told(deployment?.course ?? []).at(-2)).toMatch(/^(pending|building) \(fail\)$/);
  expect(deployment?.course.at(-1)).toMatchObject({ status: 'failed', end: null, error: expect.any(String) });
});

it('inspecting a container shows today the metrics that come true later', async () => {
  const emulator = await startWorld();
  const { controls } = emulator;
  await deploy(emulator, { ecr_image_uri: 'acme/web:fail-oom-later' });
  const foreseen = controls.containers.inspect('web').metrics;
  const highest = Math.max(...foreseen.samples.map(({ memory }) => memory));
  expect(highest).toBeGreaterThan(0.9 * foreseen.memoryLimit);
  const peak = foreseen.samples.find(({ memory }) => memory === highest);
  await controls.clock.advance({ to: peak?.at });
  const { body } = { body: await (await emulator.fetch('/api/v1/containers', auth(emulator.apiKey))).json() };
  const [{ id }] = body.data;
  const metrics = await (await emulator.fetch(`/api/v1/containers/${id}/metrics`, auth(emulator.apiKey))).json();
  expect(metrics.memory.usage).toBe(highest);
});

it('inspecting a container shows the last lines of the log, the health and the names of variables without their values', async () => {
  const emulator = await startWorld();
  const { controls } = emulator;
  await deploy(emulator, { environment_vars: { TOKEN: 'hidden-value' } });
  await controls.clock.advance('1m');
  const inspection = controls.containers.inspect('web', { tail: 3 });
  expect(inspection.logs).toHaveLength(3);
  expect(inspection.health.status).toBe('healthy');
  expect(inspection.spec.variables).toEqual(['TOKEN']);
  expect(JSON.stringify(inspection)).not.toContain('hidden-value');
});

function auth(apiKey: string) {
  return { headers: { authorization: `Bearer ${apiKey}` } };
}
