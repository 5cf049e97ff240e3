// The incidents of a project, as the page shows them.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Exchange } from '../../../src/tools/incidents/exchange.js';
import { stepsOf } from '../../../src/tools/incidents/timeline.js';
import { tempDir } from '../../support/command.js';
import { startEmulator } from '../../support/emulator.js';

const at = Date.parse('2026-03-01T10:00:00Z');
const exchange = (index: number, method: string, status: number): Exchange => ({
  index,
  sentAt: at,
  ms: 10.4,
  actedAt: at + index,
  caller: 'caller 1',
  method,
  path: '/api/v1/containers',
  query: '',
  operation: 'containers.list',
  headers: {},
  body: '',
  status,
  answer: {},
  text: '',
});

it('the incidents of a project have their facts and the timeline of the recording, or say what is wrong', async () => {
  const scenarios = join(tempDir(), 'scenarios');
  const { controls } = await startEmulator({ data: { scenarios } });
  expect(controls.incidents()).toEqual([]);
  const directory = join(scenarios, 'incidents');
  mkdirSync(directory, { recursive: true });
  const facts = [{ kind: 'seen', text: 'It was so', entries: [1] }];
  const steps = stepsOf(
    [exchange(0, 'GET', 200), exchange(1, 'POST', 0)],
    [{ entry: 1, kind: 'status', recorded: 'no answer', came: '202' }],
  );
  writeFileSync(join(directory, 'double.facts.json'), JSON.stringify({ facts, steps }));
  writeFileSync(join(directory, 'older.facts.json'), JSON.stringify({ facts }));
  writeFileSync(join(directory, 'wrong.facts.json'), '{"facts": 1}');
  writeFileSync(join(directory, 'cut.facts.json'), '{"facts": [');
  writeFileSync(join(directory, 'no name.facts.json'), '{}');
  expect(controls.incidents()).toMatchObject([
    { name: 'cut', problem: expect.stringContaining('cut.facts.json: '), facts: [], steps: [] },
    {
      name: 'double',
      scenario: join(directory, 'double.json'),
      problem: null,
      facts,
      steps: [
        { entry: 0, at: '2026-03-01T10:00:00.000Z', ms: 10, status: 200, came: null },
        { entry: 1, method: 'POST', status: 0, came: '202 instead of no answer' },
      ],
    },
    { name: 'older', facts, steps: [] },
    { name: 'wrong', problem: expect.stringContaining('does not hold the facts of an incident') },
  ]);
});

it('of a long recording the steps are those that tell', () => {
  const all = Array.from({ length: 1_000 }, (_, index) => exchange(index, index % 100 === 0 ? 'POST' : 'GET', 200));
  expect(stepsOf(all, [{ entry: 7, kind: 'status', recorded: '200', came: '404' }])).toHaveLength(11);
});
