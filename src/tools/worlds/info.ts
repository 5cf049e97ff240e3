// Control operations that show the emulator itself: health, settings, assumptions, failure modes.

import * as z from 'zod';
import type { Config } from '../../config/schema.js';
import { listed, operation } from '../../control/operation.js';
import { wallNow } from '../../core/clock.js';
import { mask } from '../../core/secrets.js';
import { type AssumptionId, assumptions, shownAssumption } from '../../http/assumptions.js';
import {
  type FailureDescription,
  failureDescription,
  listFailures,
} from '../../platform/containers/lifecycle/failures.js';
import type { World } from '../../world/world.js';
import { ageWarning, knownStates } from '../drift/ledger.js';
import { journalOf } from '../journal/journal.js';
import { requestsOf } from '../verdicts/reading.js';
import { healthOperations } from './health.js';

export const listedAssumption = z.lazy(() =>
  z.object({
    id: z.string(),
    level: z
      .enum(['detail', 'body', 'operation'])
      .describe('detail: a header or a text; body: the shape of a response; operation: the whole operation'),
    text: z.string(),
    setting: z.string().exactOptional().describe('The setting that changes it'),
    requests: z.int().describe('Requests of the journal whose responses rest on it'),
    lastRequestId: z.string().nullable().describe('The latest of them'),
    state: z
      .enum(['untested', 'confirmed', 'disputed', 'refuted'])
      .describe(
        'What `cloudemu drift` has seen of it, by drift/ledger.json of the project, or else by what the package brings',
      ),
    since: z.string().nullable().describe('Since when, as ISO 8601 of the wall clock'),
    warning: z.string().exactOptional().describe('That it was asked long ago'),
  }),
);

/** An assumption, and which requests of the journal have met it. */
export type ListedAssumption = z.output<typeof listedAssumption>;

export const infoOperations = {
  ...healthOperations,
  /** The settings in force; the control token is not shown. */
  config: operation({
    id: 'control.config',
    route: 'GET /config',
    summary: 'Show the settings in force',
    output: z.lazy(() => z.record(z.string(), z.unknown())),
    command: {
      line: 'config show',
      prints: 'indented-json',
      describe: 'Show the settings of the running emulator',
      examples: [['config show', 'to see which value a setting really has']],
    },
    run: ({ world: { config } }): Config => ({
      ...config,
      server: {
        ...config.server,
        controlToken: config.server.controlToken === null ? null : mask,
        controlTokens: config.server.controlTokens.map((team) => ({ ...team, token: mask })),
      },
    }),
  }),
  /** The assumptions behind responses, and how many requests of the journal have met each. */
  assumptions: operation({
    id: 'control.assumptions',
    route: 'GET /assumptions',
    summary: 'List the assumptions behind responses, and the setting that changes each',
    output: listed('assumptions', listedAssumption),
    command: {
      line: 'assumptions',
      needsNone: true,
      columns: 'id state since? warning? text setting? level?',
      examples: [['assumptions', 'where responses rest on an assumption']],
    },
    run({ world }): ListedAssumption[] {
      return assumptionsMet(world);
    },
  }),
  /** The failure modes of containers, with their triggers. */
  failures: operation({
    id: 'control.failures',
    route: 'GET /failures',
    summary: 'List the failure modes and how to trigger each',
    output: listed('failures', failureDescription),
    command: {
      line: 'failures',
      needsNone: true,
      columns: 'mode title stage? refund?',
      examples: [['failures', 'the modes; --json also says how to trigger each']],
    },
    run: (): FailureDescription[] => listFailures(),
  }),
};

function assumptionsMet(world: World): ListedAssumption[] {
  const met = new Map<string, { requests: number; lastRequestId: string }>();
  for (const { requestId, assumptions: ids } of requestsOf(journalOf(world).records())) {
    for (const id of ids) met.set(id, { requests: (met.get(id)?.requests ?? 0) + 1, lastRequestId: requestId });
  }
  const none = { requests: 0, lastRequestId: null };
  const known = knownStates();
  const now = wallNow();
  const ids = Object.keys(assumptions) as AssumptionId[];
  return ids.map((id) => {
    const { state = 'untested', since = null, last } = known[id] ?? {};
    const warning = ageWarning(last, now);
    return {
      id,
      ...shownAssumption(id),
      ...(met.get(id) ?? none),
      state,
      since,
      ...(warning !== undefined && { warning }),
    } as const;
  });
}
