// A command line in a report has no secrets in it.

import { expect, it } from 'vitest';
import { reportedWords } from '../../src/cli/tested-command.js';

const key = `ek_test_${'ab'.repeat(32)}`;

it.each([
  [['npm', 'test', '--', '--reporter=dot'], 'npm test -- --reporter=dot'],
  [['deploy', '--token=abc def', '--region', 'eu'], 'deploy --token=******** --region eu'],
  [['deploy', '--password', 'abc', '-v'], 'deploy --password ******** -v'],
  [['deploy', '--password', '--verbose'], 'deploy --password --verbose'],
  [['env', 'API_KEY=abc', 'PORT=80', 'npm', 'test'], 'env API_KEY=******** PORT=80 npm test'],
  [['curl', '-H', 'X-Secret: abc'], 'curl -H X-Secret: ********'],
  [['curl', '-H', 'Accept: text/plain'], 'curl -H Accept: text/plain'],
  [['curl', `http://localhost/?sig=abc&a=1`, key], 'curl http://localhost/?sig=********&a=1 ek_test_********'],
])('the reported line of %j has no secrets', (words, line) => {
  expect(reportedWords(words, ['ek_test_']).join(' ')).toBe(line);
});
