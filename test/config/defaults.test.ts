// Sections that nobody names are taken ready-made from their profile: the settings are those of the whole schema.

import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.js';
import { configSchema } from '../../src/config/schema.js';
import { fixturePath } from '../../src/core/files.js';
import { mergeTrees, type Tree } from '../../src/core/tree.js';

const profiles = readdirSync(fixturePath('profiles')).map((file) => basename(file, '.json'));

const given: Tree[] = [
  {},
  { server: { port: 0 }, log: { requests: false } },
  { seed: 7, clock: { frozen: true } },
  { $schema: 'config.schema.json', prices: { deploy: 2 }, credits: { deletionRefund: [{ within: '3h', share: 1 }] } },
  { rateLimits: { presets: { STRICT: { window: '2m' } }, operations: { 'containers.create': 'none' } } },
  { containers: { timing: { pending: '1s', building: 2, deploying: '3s' }, upstreams: { web: 3_000 } } },
  { quotas: undefined, log: undefined },
];

describe.each(profiles)('profile %s', (profile) => {
  const values = JSON.parse(readFileSync(fixturePath('profiles', `${profile}.json`), 'utf8')) as Tree;

  it.each(given)('with %j', (settings) => {
    const own = { ...settings, profile };
    const { config } = loadConfig({ file: null, settings: own });
    const whole = configSchema.parse(mergeTrees(values, own));
    expect(config).toEqual(whole);
    expect(Object.keys(config)).toEqual(Object.keys(whole));
  });

  it('every start has settings of its own', () => {
    const [first, second] = [1, 2].map(() => loadConfig({ file: null, settings: { profile } }).config);
    expect(first?.quotas.containers).not.toBe(second?.quotas.containers);
  });
});
