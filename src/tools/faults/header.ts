// The header X-Emulator-Fault: a fault for the request that carries it.

import { invalid } from '../../core/errors.js';
import { readJson } from '../../core/json.js';
import { isTree } from '../../core/tree.js';
import { checkInput } from '../../http/validate.js';
import { actionOf, type FaultAction, headerFaultRequest } from './rule.js';
import { effectProblems } from './validate-rule.js';

const place = 'X-Emulator-Fault';
const longest = 4_096;

/**
 * The phase and effect in the header.
 *
 * @throws ApiError VALIDATION_ERROR that names the header and the field
 */
export function readFaultHeader(header: string): FaultAction {
  if (header.length > longest)
    throw invalid({ path: place, message: 'must be at most 4 KB', received: `${header.length} bytes` });
  // Node decodes header bytes as Latin-1; JSON is UTF-8.
  const reading = readJson(Buffer.from(header, 'latin1').toString('utf8'));
  if ('problem' in reading)
    throw invalid({ path: place, message: `must be JSON such as {"effect":{"status":503}}: ${reading.problem}` });
  const { value } = reading;
  if (!isTree(value)) throw invalid({ path: place, message: 'must be an object such as {"effect":{"status":503}}' });
  for (const name of ['match', 'when'])
    if (Object.hasOwn(value, name))
      throw invalid({
        path: `${place}.${name}`,
        message: 'has no place here: the header is for its own request, at once',
      });
  const action = actionOf(checkInput(headerFaultRequest, value, { place, strict: true, warn: () => {} }));
  const problems = effectProblems(action);
  if (problems.length > 0)
    throw invalid(...problems.map((problem) => ({ ...problem, path: `${place}.${problem.path}` })));
  return action;
}
