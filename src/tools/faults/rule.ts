// The schema of a fault rule: which requests it matches, when it fires, in which phase, and its effect.

import * as z from 'zod';
import { operationPattern } from '../../config/names.js';
import { milliseconds } from '../../core/duration.js';
import { durationUpTo, seconds } from '../../core/duration-schemas.js';
import { type ErrorCode, errorTable } from '../../core/errors.js';
import { kindOf, type NetworkFault, networkFaults } from './network/kinds.js';

export const faultPhases = ['before', 'after', 'partial'] as const;

export type FaultPhase = (typeof faultPhases)[number];

const century = 100 * 365 * 86_400_000;
const tenMinutes = 600_000;

const delay = durationUpTo(tenMinutes, '10 minutes');
const count = z.int().min(1).max(1_000_000_000);
const instant = durationUpTo(century, 'a century').optional();

export const matchSchema = z.lazy(() =>
  z.strictObject({
    operation: operationPattern.min(1).max(100).optional().describe('Operation id; `*` matches any text: containers.*'),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional().describe('Method of the request'),
    path: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe('Path within the world; `*` matches any text, `{name}` one segment'),
    key: z
      .string()
      .min(1)
      .max(300)
      .optional()
      .describe('A key’s id, which it may get later, its test value or its displayed prefix'),
    organization: z.string().min(1).max(100).optional().describe('Organization id'),
    headers: z
      .record(z.string(), z.string().max(1_024))
      .optional()
      .describe(
        'Header values by name: the whole value, or a /regular expression/ that matches within its first 1,024 characters',
      ),
  }),
);

export const whenSchema = z.lazy(() =>
  z.strictObject({
    times: count.optional().describe('Number of requests on which the rule fires; after that it has no effect'),
    nth: count
      .optional()
      .describe('Fire only on the n-th matching request; those on which an older rule fires do not count'),
    every: count.optional().describe('Fire on every n-th matching request, counted like `nth`'),
    after: z.int().min(0).max(1_000_000_000).optional().describe('Number of matching requests to let pass first'),
    probability: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('Probability of firing; the same seed gives the same results'),
    from: instant.describe(
      'Virtual time since the start of the world at which the rule begins to fire: "5s" or milliseconds',
    ),
    until: instant.describe('Virtual time since the start of the world at which the rule ends'),
    expiresIn: durationUpTo(century, 'a century', 1)
      .optional()
      .describe('Virtual time after which the rule has no effect: "10m" or milliseconds'),
  }),
);

export const effectSchema = z.lazy(() =>
  z.strictObject({
    error: z
      .enum(Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]])
      .optional()
      .describe('Error code of the platform'),
    status: z.int().min(200).max(599).optional().describe('Status of the response'),
    body: z.unknown().optional().describe('Body of the response: a string is sent as text, anything else as JSON'),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .describe(
        'Headers of the response, in place of its own: {"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}; at most 20, of 4,096 characters together',
      ),
    retryAfter: seconds(86_400)
      .optional()
      .describe(
        'Retry-After in seconds of virtual time, for 429, 503 and 529: at clock speed 20, 20 is sent as 1; alone it means a 429',
      ),
    delay: z
      .union([delay, z.strictObject({ min: delay.describe('The shortest'), max: delay.describe('The longest') })])
      .optional()
      .describe(
        'Delay in wall time: "2s", milliseconds, or a range {"min": "1s", "max": "2s"}; for drip, that of the whole response; for refuse, how long connections are refused',
      ),
    set: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'Fields of the JSON response that get other values, by JSON Pointer: {"/data/status": "archived", "/data/url": null}; at most 50, of 64 KB together',
      ),
    drop: z
      .record(z.string(), z.int().min(1).max(10_000))
      .optional()
      .describe('How many of its last entries a list of the JSON response lacks, by JSON Pointer: {"/data": 1}'),
    remove: z
      .array(z.string())
      .optional()
      .describe('Fields that the JSON response lacks, by JSON Pointer: ["/data/url"]; at most 50'),
    network: z
      .enum(networkFaults)
      .optional()
      .describe(
        'What happens to the connection, or to the response in transit; buffer: a stream comes only when it has ended; refuse: it is the last one before connections are refused for the time of `delay`, under `run` and `explore`',
      ),
    afterEvents: count
      .optional()
      .describe('Number of events of a stream that are sent before it breaks; by default half of the first ones'),
  }),
);

/** A rule as users write it; `match` and `when` may be left out, and the phase where the effect allows only one. */
export const faultRequest = z.lazy(() =>
  z.strictObject({
    match: matchSchema.optional().describe('Requests that the rule matches; by default all'),
    when: whenSchema.optional().describe('Which of the matching requests the rule fires on; by default all'),
    phase: z
      .enum(faultPhases)
      .optional()
      .describe(
        'before: instead of the operation; after: once the operation has taken effect; partial: during the response',
      ),
    effect: effectSchema.describe('What the rule does'),
    optional: z.boolean().optional().describe('Whether faults-all-fired passes without it'),
  }),
);

/** The value of the fault header: a rule for its request alone. */
export const headerFaultRequest = z.lazy(() => faultRequest.unwrap().pick({ phase: true, effect: true }));

export type FaultRequest = z.input<typeof faultRequest>;

/** A complete rule; durations are milliseconds. */
export const faultRule = z.lazy(() =>
  z.object({
    match: matchSchema.unwrap().describe('Which requests it matches: a key by its id, names of headers in lower case'),
    when: whenSchema
      .unwrap()
      .extend({
        from: z.number().optional().describe('Virtual milliseconds from the start of the world to its own'),
        until: z.number().optional().describe('Virtual milliseconds from the start of the world to its end'),
        expiresIn: z.number().optional().describe('Virtual milliseconds after which the rule has no effect'),
      })
      .describe('On which of them it fires'),
    phase: z
      .enum(faultPhases)
      .describe(
        'before: the handler does not run; after: it runs, its response is lost; partial: part of its response is sent',
      ),
    effect: effectSchema
      .unwrap()
      .extend({
        delay: z
          .union([
            z.number(),
            z.object({ min: z.number().describe('The shortest'), max: z.number().describe('The longest') }),
          ])
          .optional()
          .describe('Delay in wall milliseconds, or a range; for drip, the time that the whole response takes'),
      })
      .describe('What it does'),
    optional: z.boolean().optional().describe('Whether faults-all-fired passes without it'),
  }),
);

export type FaultRule = z.output<typeof faultRule>;
export type FaultMatch = FaultRule['match'];
export type FaultWhen = FaultRule['when'];
export type FaultEffect = FaultRule['effect'];

/** The effect of a rule, and its phase. */
export type FaultAction = Pick<FaultRule, 'phase' | 'effect'>;

/** The complete rule of a checked request. */
export function ruleOf(request: z.output<typeof faultRequest>): FaultRule {
  const { match = {}, when = {}, optional } = request;
  const headers = match.headers && Object.fromEntries(lowerCased(match.headers));
  const { from, until, expiresIn, ...conditions } = when;
  return {
    match: { ...match, ...(headers !== undefined && { headers }) },
    when: {
      ...conditions,
      ...(from !== undefined && { from: milliseconds(from) }),
      ...(until !== undefined && { until: milliseconds(until) }),
      ...(expiresIn !== undefined && { expiresIn: milliseconds(expiresIn) }),
    },
    ...actionOf(request),
    ...(optional !== undefined && { optional }),
  };
}

/** The phase and effect of a checked request. */
export function actionOf(request: z.output<typeof headerFaultRequest>): FaultAction {
  const { delay, ...rest } = request.effect;
  const effect: FaultEffect = { ...rest };
  if (delay !== undefined)
    effect.delay =
      typeof delay === 'object' ? { min: milliseconds(delay.min), max: milliseconds(delay.max) } : milliseconds(delay);
  if (effect.retryAfter !== undefined && effect.status === undefined && effect.body === undefined)
    effect.error ??= 'RATE_LIMITED';
  const needsAnswer = changesFields(effect) || (damages(effect.network) && !isForced(effect));
  return { phase: request.phase ?? (needsAnswer ? 'after' : 'before'), effect };
}

function lowerCased(headers: Record<string, string>): [string, string][] {
  return Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
}

/** The parts of an effect that make a response of its own. */
export function responseParts(effect: FaultEffect): string[] {
  return (['error', 'status', 'body', 'retryAfter'] as const).filter((part) => effect[part] !== undefined);
}

/** Whether an effect has a response of its own. */
export function isForced(effect: FaultEffect): boolean {
  return responseParts(effect).length > 0;
}

/** Whether an effect changes fields of the platform's response. */
export function changesFields({ set, drop, remove }: FaultEffect): boolean {
  return set !== undefined || drop !== undefined || remove !== undefined;
}

/** Whether a network fault damages a response, instead of suppressing it. */
export function damages(network: NetworkFault | undefined): boolean {
  return network !== undefined && kindOf(network).loses === undefined;
}

const statusCodes: Record<number, ErrorCode> = {
  402: 'INSUFFICIENT_CREDITS',
  407: 'UNAUTHORIZED',
  410: 'NOT_FOUND',
  423: 'CONFLICT',
  425: 'SERVICE_UNAVAILABLE',
  502: 'SERVICE_UNAVAILABLE',
  504: 'SERVICE_UNAVAILABLE',
  // Overloaded, as Anthropic says it.
  529: 'SERVICE_UNAVAILABLE',
};

/** The error code of an effect's response, or undefined when it is not an error. */
export function codeOf({ error, status }: FaultEffect): ErrorCode | undefined {
  if (error !== undefined || status === undefined || status < 400) return error;
  const known = (Object.keys(errorTable) as ErrorCode[]).find(
    // A bare 502 stands for any gateway.
    (code) => errorTable[code].status === status && code !== 'CONTAINER_NOT_STARTED',
  );
  return known ?? statusCodes[status] ?? (status < 500 ? 'VALIDATION_ERROR' : 'INTERNAL_ERROR');
}
