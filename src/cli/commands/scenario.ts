// `cloudemu scenario apply` and `cloudemu scenario schema`.

import type { AppliedScenario } from '../../modules/scenarios/control.js';
import { scenarioJsonSchema } from '../../modules/scenarios/json-schema.js';
import { createClient, Declined, findTarget, type TargetOptions } from '../client.js';
import { readDocument } from '../document.js';
import { fail, printJson, printLine } from '../print.js';

export interface ApplyOptions extends TargetOptions {
  /** A name, a file, or JSON. */
  scenario: string;
  merge: boolean;
  json: boolean;
}

const patienceMs = 60_000;

/** Resets a running emulator to a scenario. */
export async function scenarioApply({ scenario, merge, json, ...target }: ApplyOptions): Promise<void> {
  const client = createClient(findTarget(target), patienceMs);
  const isDocument = /[\\/{]|\.(json|ya?ml)$|^-$/i.test(scenario);
  const path = isDocument ? '/scenarios' : `/scenarios/${encodeURIComponent(scenario)}`;
  const body = { ...(isDocument && readDocument(scenario)), ...(merge && { merge }) };
  const applied = await client.post<AppliedScenario>(path, 'apiKey', body).catch((error: unknown) => {
    if (!(error instanceof Declined) || error.status !== 404) throw error;
    return fail(error.exitCode, `${error.message} (\`cloudemu scenario list\` shows them)`);
  });
  if (json) return printJson(applied);
  const { name, title, now, frozen, merged } = applied;
  const called = [name ?? scenario, ...(title === null ? [] : [title])].join(': ');
  printLine(merged ? `Added ${called}.` : `Began ${called}. It is ${now}${frozen ? ', and time stands still' : ''}.`);
}

/** Prints the JSON Schema of a scenario's file, for editors. */
export function scenarioSchemaText(options: { json: boolean }): void {
  printJson(scenarioJsonSchema(), options.json ? 0 : 2);
}
