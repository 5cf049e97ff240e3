// The flags of V8 of a cold process: there from its beginning, gone when it is warm.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const file = fileURLToPath(new URL('../../src/cold-flags.cjs', import.meta.url));

// V8 takes kept code only under the flags that it was made with, and looks at it only for a script of a new name.
const script = `
  const { channel } = require('node:diagnostics_channel');
  const { Script } = require('node:vm');
  const cachedData = new Script('1').createCachedData();
  const seen = [];
  const isUsual = () => !new Script('1', { cachedData, filename: String(seen.length) }).cachedDataRejected;
  seen.push(isUsual());
  require(${JSON.stringify(file)})();
  seen.push(isUsual());
  const requests = channel('http.server.request.start');
  for (let n = 1; n < 1_000; n++) requests.publish({});
  seen.push(isUsual());
  requests.publish({});
  seen.push(isUsual());
  console.log(JSON.stringify(seen), requests.hasSubscribers);
`;

it.runIf(process.versions.v8.startsWith('11.3.'))('end with the thousandth request', () => {
  const printed = execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  expect(printed.trim()).toBe('[true,false,false,true] false');
});
