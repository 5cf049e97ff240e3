// `cloudemu scenario apply` and `cloudemu scenario schema`.

import type { AppliedScenario } from '../../tools/scenarios/control.js';
import { scenarioJsonSchema } from '../../tools/scenarios/json-schema.js';
import { createClient } from '../client.js';
import { type Command, command, target, type ValuesOf } from '../command.js';
import { readDocument } from '../document.js';
import { fail, printJson, printLine } from '../print.js';
import { Declined } from '../refusal.js';
import { findTarget } from '../target.js';

const flags = {
  merge: { type: 'boolean', describe: 'Add the scenario to the existing data instead of replacing it' },
  ...target,
} as const;

export const scenarioCommands: readonly Command[] = [
  command({
    words: 'scenario apply',
    operation: 'control.scenarios.apply',
    describe: 'Reset the world to a scenario',
    args: [{ name: 'scenario', describe: 'A name, a file, JSON, or - to read standard input', required: true }],
    flags,
    examples: [
      ['scenario apply quota-reached', 'sets data, clock, faults and limits to those of the scenario'],
      ['scenario apply ./faults.json --merge', 'adds a scenario of your own to the existing data'],
    ],
    run: apply,
  }),
  command({
    words: 'scenario schema',
    describe: 'Print the JSON Schema of scenario files',
    flags: { json: { type: 'boolean', describe: 'Print it on one line' } },
    examples: [['scenario schema > scenario.schema.json', 'for an editor that checks while you type']],
    run: ({ json }) => printJson(scenarioJsonSchema(), json ? 0 : 2),
  }),
];

const patienceMs = 60_000;

// The scenario is a name, a file, or JSON.
async function apply(options: ValuesOf<typeof flags> & { scenario?: string }): Promise<void> {
  const { scenario = '', merge, json } = options;
  const client = createClient(await findTarget(options), patienceMs);
  const isDocument = /[\\/{]|\.(json|ya?ml)$|^-$/i.test(scenario);
  const path = isDocument ? '/scenarios' : `/scenarios/${encodeURIComponent(scenario)}`;
  const body = { ...(isDocument && readDocument(scenario)), ...(merge && { merge }) };
  const applied = await client.post<AppliedScenario>(path, 'apiKey', body).catch((error: unknown) => {
    if (!(error instanceof Declined) || error.status !== 404) throw error;
    return fail(error.exitCode, `${error.message} (\`cloudemu scenario list\` shows them)`, {
      code: error.code,
      field: '<scenario>',
      received: scenario,
      next: [['scenario', 'list']],
    });
  });
  if (json) return printJson(applied);
  const { name, title, now, frozen, merged } = applied;
  const called = [name ?? scenario, ...(title === null ? [] : [title])].join(': ');
  printLine(
    merged ? `Added ${called}.` : `Started ${called}. The time is ${now}${frozen ? ', and the clock is frozen' : ''}.`,
  );
}
