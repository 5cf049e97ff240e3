// Random histories of an emulator with containers, compared with a model of it after every step.

import { expect } from 'vitest';
import type { CreateEmulatorOptions } from '../../src/index.js';
import { Model, type ModelContainer, modes } from './container-model.js';
import { numbersOf } from './draws.js';
import { call } from './emulator.js';
import { playedEmulator } from './played-emulator.js';

const path = '/api/v1/containers';
const projects = ['a', 'b', 'c'];
const interventions = ['crash', 'stop', 'recover', 'skip', 'fail'] as const;

/**
 * Plays so many random steps of a seed.
 *
 * @param ends how the emulator ends now and then, to be started again with the same data
 */
export async function playHistory(seed: number, steps: number, ends: 'never' | 'closed' | 'killed'): Promise<void> {
  const draw = numbersOf(seed);
  const pick = <Each>(all: readonly Each[]): Each => all[draw(all.length)] as Each;
  const settings: CreateEmulatorOptions = {
    containers: {
      timing: { pending: '10s', building: '10s', deploying: '10s', running: '10s' },
      urlStyle: 'path',
    },
    // A multiplier would apply to the limits of the keys that are tried, too.
    rateLimits: { perKey: 100_000 },
  };
  const where = { never: 'memory', closed: 'directory', killed: 'program' } as const;
  const emulator = await playedEmulator(`model ${seed}`, settings, where[ends]);
  const credits = pick([300, 1_200, 100_000]);
  const [organization] = await emulator.controls.organizations.list();
  await emulator.controls.organizations.credits(organization?.id ?? '', { set: credits / 100 });
  const model = new Model(credits);
  const secrets = new Map<string, { id: string; value: string }>();
  const told: string[] = [];
  const tell = (text: string): void => void told.push(text);

  const deploy = async (): Promise<void> => {
    const project = pick(projects);
    const mode = pick(modes);
    const fields = { cpu: 256 + draw(1_000), image: `r.example/${project}:v${draw(1_000)}`, count: 1 + draw(3), mode };
    tell(`deploy ${project} ${JSON.stringify(fields)}`);
    const body = {
      name: project,
      project_name: project,
      ecr_image_uri: fields.image,
      cpu: fields.cpu,
      desired_count: fields.count,
    };
    const { status, body: answer } = await call(emulator.client, 'POST', path, body, headerOf(mode));
    expect(status, told.join('\n')).toBe(model.deploy(project, () => answer.data.id, fields));
  };
  const change = async (container: ModelContainer): Promise<void> => {
    const mode = pick(modes);
    const cpu = draw(2) === 0 ? undefined : 256 + draw(1_000);
    const image = cpu === undefined || draw(2) === 0 ? `r.example/x:v${draw(1_000)}` : undefined;
    tell(`change ${container.project} ${cpu} ${image} ${mode}`);
    const body = {
      ...(cpu !== undefined && { cpu }),
      ...(image !== undefined && { ecr_image_uri: image }),
      desired_count: 1,
    };
    const { status } = await call(emulator.client, 'PATCH', `${path}/${container.id}`, body, headerOf(mode));
    expect(status, told.join('\n')).toBe(model.change(container, cpu, image, mode));
  };
  const intervene = async (container: ModelContainer): Promise<void> => {
    const kind = pick(interventions);
    tell(`${kind} ${container.project}`);
    const isPossible = model.intervene(container, kind);
    const act = async (): Promise<unknown> => emulator.controls.containers[kind](container.id);
    if (isPossible) await act();
    else await expect(act(), told.join('\n')).rejects.toThrow(/Cannot|happens to/);
  };
  const remove = async (container: ModelContainer): Promise<void> => {
    tell(`delete ${container.project}`);
    expect((await call(emulator.client, 'DELETE', `${path}/${container.id}`)).status).toBe(200);
    model.remove(container);
  };
  const useKey = async (): Promise<void> => {
    const name = pick(['k1', 'k2']);
    const known = secrets.get(name);
    if (known === undefined) {
      const rate_limit = 1 + draw(4);
      const { body } = await call(emulator.client, 'POST', '/api/v1/api-keys', { name, rate_limit });
      secrets.set(name, { id: body.apiKey.id, value: body.plainKey });
      model.keys.set(name, { limit: rate_limit, isActive: true, windowEnds: 0, used: 0 });
    } else if (draw(12) === 0) {
      tell(`end ${name}`);
      expect((await call(emulator.client, 'DELETE', `/api/v1/api-keys/${known.id}`)).status).toBe(200);
      secrets.delete(name);
      model.keys.delete(name);
    } else {
      tell(`use ${name}`);
      const { status } = await call({ fetch: emulator.client.fetch, apiKey: known.value }, 'GET', path);
      expect(status, told.join('\n')).toBe(model.use(name));
    }
  };

  // The step before was answered. A change that is under way has happened, or it has not.
  const kill = async (container: ModelContainer): Promise<void> => {
    const cpu = 256 + draw(1_000);
    const changing = call(emulator.client, 'PATCH', `${path}/${container.id}`, { cpu, desired_count: 1 }).catch(
      () => {},
    );
    for (let waits = draw(4); waits > 0; waits--) await Promise.race([changing, emulator.client.fetch('/api/health')]);
    await emulator.again(true);
    const answer = await changing;
    const { data } = (await call(emulator.client, 'GET', `${path}/${container.id}/deployments`)).body;
    const hasHappened = data.total === container.deployments.length + 1;
    tell(`kill, change of ${container.project} to ${cpu} ${hasHappened ? 'stored' : 'lost'}`);
    if (answer !== undefined) expect(hasHappened, told.join('\n')).toBe(answer.status === 200);
    if (hasHappened) expect(model.change(container, cpu, undefined, 'none')).toBe(200);
  };

  const compare = async (): Promise<void> => {
    const listed = (await call(emulator.client, 'GET', path)).body.data as any[];
    const expected = [...model.containers.values()].map((container) => {
      const { cpu, image, status } = model.shown(container);
      return { id: container.id, cpu, image, status, hasError: model.hasError(container) };
    });
    const brief = ({ id, cpu, ecr_image_uri: image, status, error_message: error }: any) => ({
      id,
      cpu,
      image,
      status,
      hasError: error !== null,
    });
    const order = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);
    expect(listed.map(brief).sort(order), told.join('\n')).toEqual(expected.sort(order));
    const { balance } = (await call(emulator.client, 'GET', '/api/v1/credits/balance')).body;
    expect(Math.round(balance * 100), told.join('\n')).toBe(model.balance);
    for (const container of model.containers.values()) {
      const shown = (await call(emulator.client, 'GET', `${path}/${container.id}`)).body.data;
      expect(brief(shown), told.join('\n')).toEqual(expected.find(({ id }) => id === container.id));
      expect(shown.statusHistory.at(-1).status, told.join('\n')).toBe(shown.status);
      const { deployments, total } = (await call(emulator.client, 'GET', `${path}/${container.id}/deployments`)).body
        .data;
      expect(total).toBe(container.deployments.length);
      const outcomes = [...container.deployments].reverse().map((one) => model.outcomeOf(one));
      expect(
        deployments.map(({ status }: any) => status),
        told.join('\n'),
      ).toEqual(outcomes);
    }
  };

  try {
    for (let step = 0; step < steps; step++) {
      const container = pick([...model.containers.values(), undefined]);
      const what = draw(20);
      if (what < 6) {
        const ms = pick([1, 2_500, 5_000, 7_000, 10_000, 17_000, 30_000, 61_000]);
        tell(`advance ${ms}`);
        await emulator.controls.clock.advance(ms);
        model.advance(ms);
      } else if (what < 8 || container === undefined) await deploy();
      else if (what < 12) await change(container);
      else if (what < 17) await intervene(container);
      else if (what < 19) await useKey();
      else if (ends === 'killed' && draw(2) === 0) await kill(container);
      else if (ends === 'closed' && draw(2) === 0) {
        tell('restart');
        await emulator.again(false);
      } else if (draw(4) === 0) await remove(container);
      await compare();
    }
  } finally {
    await emulator.end();
  }
}

function headerOf(mode: string): Record<string, string> {
  return mode === 'none' ? {} : { 'x-emulator-failure': mode };
}
