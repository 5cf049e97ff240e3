// The size of V8's young generation under load.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const file = fileURLToPath(new URL('../../src/young-generation.cjs', import.meta.url));

// Each request leaves something that outlives some collections, as entries of the journal do.
const script = (before: string): string => `
  const { channel } = require('node:diagnostics_channel');
  const { Script } = require('node:vm');
  const { getHeapSpaceStatistics } = require('node:v8');
  const cachedData = new Script('1').createCachedData();
  process.on('exit', () => {
    const { space_size } = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
    const isUsual = !new Script('1', { cachedData, filename: 'other' }).cachedDataRejected;
    console.log(JSON.stringify({ megabytes: space_size / 1_024 / 1_024, isUsual }));
  });
  ${before}
  const requests = channel('http.server.request.start');
  const last = [];
  for (let n = 0; n < 20_000; n++) {
    requests.publish({});
    last[n % 1_000] = Array.from({ length: 100 }, (_, i) => ({ n, i }));
  }
`;
const run = (before: string): unknown =>
  JSON.parse(execFileSync(process.execPath, ['--max-semi-space-size=16', '-e', script(before)], { encoding: 'utf8' }));

it.runIf(process.versions.v8.startsWith('11.3.'))('stays at half of what V8 lets it be', () => {
  expect(run('')).toEqual({ megabytes: 32, isUsual: true });
  expect(run(`require(${JSON.stringify(file)})();`)).toEqual({ megabytes: 16, isUsual: true });
});
