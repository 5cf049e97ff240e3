// Settings in variables: what their texts mean, and what a misspelt name is told.

import { describe, expect, it } from 'vitest';
import { settingsFromEnvironment } from '../../src/config/environment.js';

const values = (env: Record<string, string>) => settingsFromEnvironment(env).values;

it.each([
  ['CLOUDEMU_PORT', '8080', { server: { port: 8_080 } }],
  ['CLOUDEMU_SERVER_PORT', '8080', { server: { port: 8_080 } }],
  ['CLOUDEMU_PORT', '80x', { server: { port: '80x' } }],
  ['CLOUDEMU_EPHEMERAL', 'true', { data: { ephemeral: true } }],
  ['CLOUDEMU_EPHEMERAL', '1', { data: { ephemeral: true } }],
  ['CLOUDEMU_EPHEMERAL', '0', { data: { ephemeral: false } }],
  ['CLOUDEMU_EPHEMERAL', 'maybe', { data: { ephemeral: 'maybe' } }],
  ['CLOUDEMU_FROZEN', 'false', { clock: { frozen: false } }],
  ['CLOUDEMU_QUIET', '1', { log: { requests: false, banner: false } }],
  ['CLOUDEMU_STRICT', '1', { strict: { inputs: true, guesses: true, responses: true } }],
  ['CLOUDEMU_STRICT_INPUTS', 'true', { strict: { inputs: true } }],
  ['CLOUDEMU_SEED', '007', { seed: '007' }],
  ['CLOUDEMU_SEED', '12345678901234567890', { seed: '12345678901234567890' }],
  ['CLOUDEMU_SEED', 'true', { seed: 'true' }],
  ['CLOUDEMU_SEED', 'null', { seed: null }],
  ['CLOUDEMU_SERVICE_NAME', '42', { service: { name: '42' } }],
  ['CLOUDEMU_CONTAINERS_READS_PER_STAGE', '3', { containers: { readsPerStage: 3 } }],
  ['CLOUDEMU_CONTAINERS_UPSTREAMS', '{"web": 3000}', { containers: { upstreams: { web: 3_000 } } }],
  ['CLOUDEMU_TIMING', '{"pending": "1s"}', { containers: { timing: { pending: '1s' } } }],
  ['CLOUDEMU_TIMING', 'fast', { containers: { timing: 'fast' } }],
  ['CLOUDEMU_QUOTAS_TIERS', '[1, 2, 3]', { quotas: { tiers: [1, 2, 3] } }],
  [
    'CLOUDEMU_CONTAINERS_UPSTREAMS',
    '{"__proto__": {"a": 1}}',
    { containers: { upstreams: '{"__proto__": {"a": 1}}' } },
  ],
])('the variable %s=%s sets what it means', (name, text, expected) => {
  expect(values({ [name]: text })).toEqual(expected);
});

it('an empty variable counts as none', () => {
  expect(settingsFromEnvironment({ CLOUDEMU_PORT: '', CLOUDEMU_PROT: '' })).toMatchObject({ values: {}, warnings: [] });
});

it('the settings remember which variable set what', () => {
  const { sources } = settingsFromEnvironment({ CLOUDEMU_STRICT: '1', CLOUDEMU_PORT: '1' });
  expect(sources.get('strict.guesses')).toBe('CLOUDEMU_STRICT');
  expect(sources.get('server.port')).toBe('CLOUDEMU_PORT');
});

describe('a name that is not a setting', () => {
  it.each([
    ['CLOUDEMU_PROT', 'CLOUDEMU_PROT is not a setting; did you mean CLOUDEMU_PORT?'],
    [
      'CLOUDEMU_CONTAINER_TIMING',
      'CLOUDEMU_CONTAINER_TIMING is not a setting; did you mean CLOUDEMU_CONTAINERS_TIMING?',
    ],
    ['CLOUDEMU_CONFIGS', 'CLOUDEMU_CONFIGS is not a setting; did you mean CLOUDEMU_CONFIG?'],
    ['CLOUDEMU_SOMETHING_ELSE_ENTIRELY', 'CLOUDEMU_SOMETHING_ELSE_ENTIRELY is not a setting'],
  ])('%s', (name, warning) => {
    expect(settingsFromEnvironment({ [name]: '1' })).toMatchObject({ values: {}, warnings: [warning] });
  });

  it.each(['CLOUDEMU_URL', 'CLOUDEMU_CONFIG', 'CLOUDEMU_API_KEY', 'CLOUDEMU_TEST_WORLDS', 'PORT', 'cloudemu_port'])(
    '%s is none of ours to judge',
    (name) => {
      expect(settingsFromEnvironment({ [name]: '1' })).toMatchObject({ values: {}, warnings: [] });
    },
  );
});
