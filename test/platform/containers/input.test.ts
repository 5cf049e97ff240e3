// Mistakes of a client are named, field by field, and change nothing.

import { expect, it } from 'vitest';
import { call, deploy, image, startWorld } from '../../support/emulator.js';

const good = { name: 'a', project_name: 'a', ecr_image_uri: image };

it.each([
  [{ name: '' }, 'name'],
  [{ name: 'x'.repeat(101) }, 'name'],
  [{ project_name: 'x'.repeat(51) }, 'project_name'],
  [{ ecr_image_uri: 'no-tag' }, 'ecr_image_uri'],
  [{ ecr_image_uri: undefined }, 'ecr_image_uri'],
  [{ port: 0 }, 'port'],
  [{ port: 3000.5 }, 'port'],
  [{ cpu: 255 }, 'cpu'],
  [{ memory: 2049 }, 'memory'],
  [{ desired_count: 11 }, 'desired_count'],
  [{ desired_count: '2' }, 'desired_count'],
  [{ architecture: 'arm' }, 'architecture'],
  [{ health_check_path: 'health' }, 'health_check_path'],
  [{ environment_vars: { '1A': 'x' } }, 'environment_vars.1A'],
  [{ environment_vars: { A: 1 } }, 'environment_vars.A'],
  [{ environment_vars: { A: 'é'.repeat(16_385) } }, 'environment_vars.A'],
  [{ environment_vars: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`A${i}`, ''])) }, 'environment_vars'],
])('creating a container refuses %j by naming %s', async (change, path) => {
  const emulator = await startWorld();
  const answer = await call(emulator, 'POST', '/api/v1/containers', { ...good, ...change });
  expect(answer.status).toBe(400);
  expect(answer.body.error.code).toBe('VALIDATION_ERROR');
  expect(answer.body.error.details.map((detail: { path: string }) => detail.path)).toEqual([path]);
  expect((await call(emulator, 'GET', '/api/v1/containers')).body.data).toEqual([]);
});

it('creating a container accepts the limits themselves, counted in characters and bytes', async () => {
  const emulator = await startWorld();
  await deploy(emulator, {
    name: '😀'.repeat(100),
    project_name: 'ü'.repeat(50),
    environment_vars: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`A${i}`, 'x'.repeat(32_768)])),
  });
});

it('creating a container reports every wrong field at once, with the nearest right value', async () => {
  const emulator = await startWorld();
  const answer = await call(emulator, 'POST', '/api/v1/containers', {
    name: '',
    project_name: 'a',
    ecr_image_uri: image,
    architecture: 'arm46',
  });
  expect(answer.body.error.details).toEqual([
    { path: 'name', message: 'must not be empty', received: '""' },
    { path: 'architecture', message: 'must be one of arm64, x86_64', received: '"arm46"', suggestion: 'arm64' },
  ]);
});

it('creating a container reports unknown fields with the nearest known one, and refuses them when strict', async () => {
  const lenient = await startWorld();
  const answer = await call(lenient, 'POST', '/api/v1/containers', { ...good, projectName: 'b' });
  expect(answer.status).toBe(202);
  expect(decodeURIComponent(answer.headers.get('x-emulator-warning') ?? '')).toContain(
    'unknown field projectName, did you mean project_name?',
  );
  const strict = await startWorld({ strict: { inputs: true } });
  const refused = await call(strict, 'POST', '/api/v1/containers', { ...good, projectName: 'b' });
  expect(refused.body.error.details).toEqual([
    { path: 'projectName', message: 'is unknown', suggestion: 'project_name' },
  ]);
});

it('the response to a wrong container never repeats the values of environment variables', async () => {
  const emulator = await startWorld();
  const answer = await call(emulator, 'POST', '/api/v1/containers', {
    ...good,
    port: 0,
    environment_vars: { A: ['hush-hush'] },
  });
  expect(answer.status).toBe(400);
  expect(answer.text).not.toContain('hush-hush');
});

it('creating a container reads JSON whatever the content type says, and warns of repeated keys', async () => {
  const emulator = await startWorld();
  const body = JSON.stringify(good).replace('{', '{"name":"first",');
  const answer = await call(emulator, 'POST', '/api/v1/containers', body, {
    'content-type': 'text/plain;charset=UTF-8',
  });
  expect(answer.status).toBe(202);
  expect(answer.body.data.name).toBe('a');
  expect(answer.headers.get('x-emulator-warning')).toContain('repeated keys');
});
