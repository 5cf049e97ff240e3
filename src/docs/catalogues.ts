// The reference pages of what is kept in tables: error codes, failure modes, scenarios, verdict rules, assumptions.

import { join } from 'node:path';
import { commandCodes, exitCodes } from '../cli/error-document.js';
import { type ErrorCode, errorTable } from '../core/errors.js';
import { filesIn, fixturePath, readText } from '../core/files.js';
import { type AssumptionId, assumptions } from '../http/assumptions.js';
import { errorsOf } from '../http/openapi.js';
import { failureModes, readFailure } from '../platform/containers/lifecycle/failures.js';
import { agentFailureModes, readAgentFailure } from '../platform/hosted-agents/failures.js';
import { declaredEndpoints } from '../platform/surface.js';
import { scenarioJsonSchema } from '../tools/scenarios/json-schema.js';
import { readScenarioFile } from '../tools/scenarios/library.js';
import type { ScenarioInput } from '../tools/scenarios/schema.js';
import { rules } from '../tools/verdicts/rules.js';
import { type JsonSchema, leaves, typeText } from './fields.js';
import { code, contents, page, prose, table } from './markdown.js';
import { operationLink } from './operations.js';

/** `docs/reference/error-codes.md` */
export function errorCodesPage(): string {
  const gates = ['RATE_LIMITED', 'VALIDATION_ERROR', 'INVALID_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];
  const everywhere = [...gates, 'UNAUTHORIZED', 'FORBIDDEN', 'INTERNAL_ERROR'];
  return page(
    'Error codes',
    `An error has the body \`{"success": false, "error": {"code", "message", "details"?, "requestId", "retryAfter"?}}\`.
With the setting \`errors.style\` \`flat\` (profiles \`elizacloud\` and \`elizacloud-v1\`) \`error\` is the message itself. A fault rule forces any of
these codes with \`{"effect": {"error": "<code>"}}\`.`,
    table(
      ['Code', 'Status', 'Message, unless the operation has its own', 'Operations that declare it'],
      (Object.keys(errorTable) as ErrorCode[]).map((name) => [
        code(name),
        String(errorTable[name].status),
        prose(errorTable[name].message),
        everywhere.includes(name) ? 'nearly all' : linksOf((endpoint) => errorsOf(endpoint).includes(name)),
      ]),
    ),
    '## Errors of the command',
    `With \`--json\`, everything that a command prints on stdout is one JSON document, or one on each line. That of a failure
is \`{"error": {"code", "message", "field"?, "received"?, "suggestion"?}, "next": ["…"]}\`, beside what was found until then.
\`code\` is one of these or of those above; each of \`next\` is a command that you can run as it is. Warnings go to stderr.`,
    table(
      ['Code', 'Exit code', 'Meaning'],
      Object.entries(commandCodes).map(([name, { exit, meaning }]) => [code(name), String(exit), prose(meaning)]),
    ),
    '## Exit codes',
    table(
      ['Exit code', 'Meaning'],
      exitCodes.map(([exit, meaning]) => [exit, prose(meaning)]),
    ),
  );
}

/** `docs/reference/failure-modes.md` */
export function failureModesPage(): string {
  const modes = failureModes().map((mode) => ({ mode, ...readFailure(mode) }));
  return page(
    'Failure modes',
    `A failure mode makes a deployment fail as on the real platform, with its logs, metrics, health and refund.
\`cloudemu failures\` lists the modes. The first of these that names a mode chooses it: the request header
\`X-Emulator-Failure\`, the variable \`EMULATOR_FAIL\` in \`environment_vars\`, an image tag \`fail-<mode>\`, the scenario,
the setting \`containers.failure\`. \`cloudemu container fail <container> --mode <mode>\` makes an existing container fail.
In the error messages below, \`{…}\` stands for a value of the deployment.`,
    table(
      ['Mode', 'Status when it happens', 'Exit code', 'Charge returns', 'What happens'],
      modes.map(({ mode, stage, exitCode, refund, title }) => [
        `[\`${mode}\`](#${mode})`,
        stage,
        exitCode === null ? '' : String(exitCode),
        refund ? 'yes' : 'no',
        prose(title),
      ]),
    ),
    ...modes.flatMap(({ mode, title, remedy, phases }) => [
      `## ${mode}`,
      `${prose(title)}. ${prose(remedy)}`,
      phases.some(({ error }) => error !== undefined)
        ? `\`error_message\`: ${[...new Set(phases.flatMap(({ error }) => (error === undefined ? [] : [code(error)])))].join(', then ')}`
        : '',
    ]),
    ...agentFailures(),
  );
}

function agentFailures(): string[] {
  const modes = agentFailureModes().map((mode) => ({ mode, ...readAgentFailure(mode) }));
  return [
    '## Hosted agents',
    `Jobs of [hosted agents](../hosted-agents.md) fail by modes of their own, which \`cloudemu hosted-agent failures\` lists. The
first of these that names a mode chooses it: the request header \`X-Emulator-Failure\`, the variable \`EMULATOR_FAIL\` in
\`environmentVars\`, a word \`fail-<mode>\` in the name of the agent, the tag of its image, the setting
\`hostedAgents.failure\`.`,
    table(
      ['Mode', 'Jobs', 'Error', 'What happens', 'What to do'],
      modes.map(({ mode, jobs, error, title, remedy }) => [
        code(mode),
        jobs.map((job) => code(job)).join(', '),
        error === null ? '' : code(error),
        prose(title),
        prose(remedy),
      ]),
    ),
  ];
}

/** `docs/reference/scenarios.md` */
export function scenariosPage(): string {
  const shipped = filesIn(fixturePath('scenarios'))
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => readScenarioFile(fixturePath('scenarios', file)))
    .map(({ name, document }) => ({ name, ...(document as ScenarioInput) }));
  const { properties = {} } = scenarioJsonSchema() as JsonSchema;
  const { settings: _, ...parts } = properties;
  return page(
    'Scenarios',
    `\`cloudemu run <scenario> -- <command>\` starts a fresh emulator with a scenario, runs the command against it, and
checks what the scenario expects. \`cloudemu scenario show <scenario>\` prints one.`,
    contents(['Shipped scenarios', 'Parts of a scenario file']),
    '## Shipped scenarios',
    table(
      ['Scenario', 'What happens'],
      shipped.map(({ name, title = '' }) => [`[\`${name}\`](#${name})`, prose(title)]),
    ),
    ...shipped.flatMap(({ name, title = '', description = '', expect }) => [
      `### ${name}`,
      `${prose(title)}. ${prose(description)}`,
      expect?.verdicts === undefined
        ? ''
        : `Expected verdicts: ${Object.entries(expect.verdicts)
            .map(([rule, verdict]) => `[\`${rule}\`](verdict-rules.md#${rule}) ${[verdict].flat().join(' or ')}`)
            .join(', ')}.`,
    ]),
    '## Parts of a scenario file',
    `Begin a file with \`"$schema": "./node_modules/cloudemu/fixtures/scenario.schema.json"\`, and an editor completes and
checks it. \`settings\` takes the [settings](settings.md) of a world.`,
    table(
      ['Part', 'Type', 'Meaning'],
      Object.entries(parts).flatMap(([name, schema]) => [
        [`**${name}**`, typeText(schema), prose(schema.description ?? '')],
        ...leaves(itemsOf(schema)).map(({ path, schema: field }) => [
          code(`${name}${schema.items === undefined ? '' : '[]'}.${path}`),
          typeText(field),
          prose(field.description ?? ''),
        ]),
      ]),
    ),
  );
}

/** `docs/reference/verdict-rules.md` */
export function verdictRulesPage(): string {
  return page(
    'Verdict rules',
    `\`cloudemu verdicts\` judges the client by its requests. Each rule has one of four results:`,
    table(
      ['Result', 'Meaning'],
      [
        ['`pass`', 'The rule applied to some requests, and the client obeyed it.'],
        ['`fail`', 'The client broke the rule. The evidence names the requests.'],
        [
          '`unclear`',
          'The client may have broken the rule: equal requests arrived at the same time, so one of them may not be a repetition.',
        ],
        ['`not-exercised`', 'The rule applied to no request.'],
      ],
    ),
    table(
      ['Rule', 'What a client must do'],
      rules.map(({ id, title }) => [`[\`${id}\`](#${id})`, prose(title)]),
    ),
    notes('verdict-rules.md').replace(/^## (.+)$/gm, (heading, id) => `${heading}\n\n${prose(demandsOf(id))}`),
  );
}

const demandsOf = (id: string): string => rules.find((rule) => rule.id === id)?.demands ?? '';

/** `docs/reference/explore.md` */
export function explorePage(): string {
  return page(
    'What explore tries',
    'Which faults `cloudemu explore` tries, and how it judges what a client does then.',
    notes('explore.md'),
  );
}

/** What no declaration says, from the files beside this one. */
const notes = (file: string): string => readText(join('src/docs/notes', file)).trim();

/** `docs/reference/assumptions.md` */
export function assumptionsPage(): string {
  const ids = Object.keys(assumptions).sort() as AssumptionId[];
  return page(
    'Assumptions',
    `Where the platform's documents are silent, the emulator assumes something. The response header
\`X-Emulator-Assumption\` names the assumptions that a response rests on; \`cloudemu assumptions\` lists them all.`,
    `*detail*: a header, a text or a limit; *body*: the shape of a response; *operation*: the whole operation, which
the setting \`strict.guesses\` makes a 501.`,
    ...ids.flatMap((id) => {
      const { level, text, setting } = assumptions[id] as { level: string; text: string; setting?: string };
      const operations = linksOf((endpoint) => endpoint.assumptions?.includes(id) === true);
      const facts = [
        `Level: ${level}`,
        ...(setting === undefined ? [] : [`setting: ${settingLink(setting)}`]),
        ...(operations === '' ? [] : [`operations: ${operations}`]),
      ];
      return [`### ${id}`, prose(text), `${facts.join('; ')}.`];
    }),
  );
}

function linksOf(has: (endpoint: (typeof declaredEndpoints)[number]) => boolean): string {
  return [...new Set(declaredEndpoints.filter(has).map(({ id }) => id))].map(operationLink).join(', ');
}

function settingLink(setting: string): string {
  const [section = '', ...fields] = setting.split('.');
  return `[\`${setting}\`](settings.md#${fields.length === 0 ? 'other-settings' : section.toLowerCase()})`;
}

function itemsOf(schema: JsonSchema): JsonSchema {
  return schema.items === undefined || Array.isArray(schema.items) ? schema : schema.items;
}
