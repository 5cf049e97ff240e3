// The lines of the project in what runners print of a failed test.

import { expect, it } from 'vitest';
import { placesIn } from '../../../src/tools/explore/places.js';

it.each([
  [
    'node:test',
    [
      'test at deploy.test.mjs:13:1',
      '  TypeError: fetch failed to http://127.0.0.1:4747/api',
      '      at node:internal/deps/undici/undici:14976:13',
      '      at async deploy (file:///shop/src/client.mjs:8:31)',
      '      at async TestContext.<anonymous> (file:///shop/deploy.test.mjs:14:40)',
    ],
    ['deploy.test.mjs:13', 'src/client.mjs:8', 'deploy.test.mjs:14'],
  ],
  [
    'Vitest',
    [' ❯ deploy src/client.ts:8:31', ' ❯ node_modules/vitest/dist/x.js:1:1', ' ❯ shop.spec.ts:5:3'],
    ['src/client.ts:8', 'shop.spec.ts:5'],
  ],
  [
    'Jest',
    ['at Object.deploy (/shop/client.js:3:11)', 'at run (/shop/node_modules/jest/index.js:1:1)'],
    ['client.js:3'],
  ],
  ['Playwright', ['    at /shop/deploy.spec.ts:5:40'], ['deploy.spec.ts:5']],
  [
    'pytest',
    ['client.py:11: in send', '/usr/lib/python3.11/urllib/request.py:216: in urlopen', 'test_deploy.py:4: HTTPError'],
    ['client.py:11', 'test_deploy.py:4'],
  ],
  [
    'unittest',
    [
      '  File "/shop/test_deploy.py", line 6, in test_deploys',
      '  File "/usr/lib/python3.11/json/decoder.py", line 355',
    ],
    ['test_deploy.py:6'],
  ],
  ['a shell', ['deploy.sh: line 4: jq: command not found'], ['deploy.sh:4']],
  ['nothing', ['Error: 503', ' 12 | expect(1).toBe(2)'], []],
])('the places of %s', (_, lines, places) => {
  expect(placesIn(lines, '/shop')).toEqual(places);
});
