// Checks that the parts of a fault rule are consistent; each problem says what would be right instead.

import { errorTable, type FieldProblem } from '../../core/errors.js';
import { isBodiless } from '../../http/response.js';
import { changeProblems } from './change-response.js';
import { kindOf } from './network/kinds.js';
import {
  changesFields,
  codeOf,
  damages,
  type FaultAction,
  type FaultEffect,
  type FaultWhen,
  isForced,
  responseParts,
} from './rule.js';

const longestBody = 65_536;

/** Contradictions between phase and effect. */
export function effectProblems({ phase, effect }: FaultAction): FieldProblem[] {
  const { network, headers, delay, afterEvents } = effect;
  const forced = isForced(effect);
  const own = codeQuoted(responseParts(effect));
  const sentNetwork = JSON.stringify(network);
  const problems = answerProblems(effect);
  const wrong = (path: string, message: string, received?: string, suggestion?: string): void =>
    void problems.push({ path, message, received, suggestion });
  // If `afterEvents` is the only field, the problem below says what it needs.
  const isNothing = network === undefined && delay === undefined && afterEvents === undefined;
  if (!forced && headers === undefined && !changesFields(effect) && isNothing)
    wrong(
      'effect',
      'must say what happens: `error`, `status`, `body`, `retryAfter`, `headers`, `set`, `drop`, `remove`, `delay` or `network`',
    );
  if (headers !== undefined) problems.push(...sentHeaderProblems(headers));
  if (headers !== undefined && network !== undefined && !damages(network) && phase !== 'partial')
    wrong('effect.headers', `must be left out: the network fault ${network} leaves no response`);
  if (changesFields(effect)) problems.push(...fieldProblems({ phase, effect }));
  if (typeof delay === 'object' && delay.min > delay.max)
    wrong('effect.delay.min', 'must not be more than max', `${delay.min} ms`);
  if (forced && network !== undefined && !damages(network))
    wrong('effect.network', `leaves no response (${network}): leave out ${own}`, sentNetwork);
  if (forced && network !== undefined && kindOf(network).onlyStreams === true)
    wrong('effect.network', `concerns streams (${network}): leave out ${own}`, sentNetwork);
  else if (damages(network) && isBodiless(effect.status))
    wrong('effect.network', `needs a body, and a response with status ${effect.status} has none`, sentNetwork);
  if (phase === 'before' && damages(network) && !forced)
    wrong(
      'phase',
      `must be after for ${network}: before the handler there is no response to damage (or give \`error\`, \`status\` or \`body\`)`,
      '"before"',
      'after',
    );
  if (phase === 'partial' && forced)
    wrong(
      'phase',
      'must be after (or before) here: partial sends the real response, which nothing can replace',
      '"partial"',
      'after',
    );
  const asked = 'is required in phase partial: what happens after the first bytes, reset, close or hang';
  if (phase === 'partial' && network === undefined && !forced) wrong('effect.network', asked, undefined, 'close');
  const breaksStreams = network !== undefined && kindOf(network).breaksStreams === true;
  const breaks = 'belongs to phase partial with reset, close or hang: after how many events a stream breaks';
  if (afterEvents !== undefined && (phase !== 'partial' || !breaksStreams))
    wrong('effect.afterEvents', breaks, String(afterEvents));
  return problems;
}

// Fields are changed in a whole response of the platform.
function fieldProblems({ phase, effect }: FaultAction): FieldProblem[] {
  const { network } = effect;
  const part = (['set', 'drop', 'remove'] as const).find((name) => effect[name] !== undefined);
  const path = `effect.${part}`;
  const problems = changeProblems(effect);
  const message = `must be after for ${part}: it changes the platform's own response`;
  if (phase !== 'after')
    return [...problems, { path: 'phase', message, received: JSON.stringify(phase), suggestion: 'after' }];
  if (isForced(effect)) {
    const own = codeQuoted(responseParts(effect));
    return [...problems, { path, message: `changes the platform's own response: leave out ${own}` }];
  }
  if (network === undefined || damages(network)) return problems;
  return [...problems, { path, message: `must be left out: the network fault ${network} leaves no response` }];
}

const codeQuoted = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

function answerProblems(effect: FaultEffect): FieldProblem[] {
  const { error, status, body, retryAfter } = effect;
  const problems: FieldProblem[] = [];
  const wrong = (path: string, message: string, received?: string, suggestion?: string): void =>
    void problems.push({ path, message, received, suggestion });
  const own = error === undefined ? undefined : errorTable[error].status;
  if (own !== undefined && status !== undefined && own !== status)
    wrong('effect.status', `must be left out or be ${own}, as ${error} is`, String(status), String(own));
  if (status !== undefined && status < 400 && body === undefined && !isBodiless(status) && error === undefined)
    wrong('effect.body', `is required: ${status} is no error, so there is no envelope for it`);
  if (body !== undefined && isBodiless(status))
    wrong('effect.body', `must be left out: a response with status ${status} has none`);
  const late = 'belongs to 429 (RATE_LIMITED), and to 503 and 529 (SERVICE_UNAVAILABLE)';
  if (retryAfter !== undefined && !['RATE_LIMITED', 'SERVICE_UNAVAILABLE'].includes(codeOf(effect) ?? ''))
    wrong('effect.retryAfter', late, String(retryAfter));
  if (body !== undefined) problems.push(...bodyProblems(body));
  return problems;
}

/** Headers that belong to one connection or to how a body is sent, and those by which this emulator says what it did. */
const notOwn =
  /^(connection|content-length|content-encoding|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|x-emulator-.*)$/i;
const mostHeaders = 20;
const longestHeaders = 4_096;

function sentHeaderProblems(headers: Record<string, string>): FieldProblem[] {
  const all = Object.entries(headers);
  const path = 'effect.headers';
  if (all.length === 0) return [{ path, message: 'must name a header' }];
  if (all.length > mostHeaders)
    return [{ path, message: `must have at most ${mostHeaders} headers`, received: String(all.length) }];
  const length = all.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  const tooLong = `must have at most ${longestHeaders} characters, names and values together`;
  if (length > longestHeaders) return [{ path, message: tooLong, received: `${length} characters` }];
  const names = all.map(([name]) => name.toLowerCase());
  return all.flatMap(([name, value], index): FieldProblem[] => {
    const message = headerProblem(name, value, names.indexOf(name.toLowerCase()) < index);
    return message === undefined ? [] : [{ path: `${path}.${name}`, message, received: JSON.stringify(value) }];
  });
}

function headerProblem(name: string, value: string, isRepeated: boolean): string | undefined {
  if (!/^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/.test(name)) return 'is no name of a header';
  if (notOwn.test(name))
    return 'is not for a rule to send: it belongs to the connection, to the form of the body or to the emulator';
  if (isRepeated) return 'is there twice';
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? undefined : 'must be one line of Latin-1 characters';
}

function bodyProblems(body: unknown): FieldProblem[] {
  let length: number | undefined;
  try {
    length = JSON.stringify(body)?.length;
  } catch {
    // Cycles and big integers; only a program in this process can pass them.
  }
  if (length === undefined) return [{ path: 'effect.body', message: 'must be JSON' }];
  if (length <= longestBody) return [];
  return [{ path: 'effect.body', message: 'must be at most 64 KB of JSON', received: `${length} characters` }];
}

/** Contradictions among the conditions. */
export function whenProblems({ times, nth, every, from = 0, until }: FaultWhen): FieldProblem[] {
  const path = 'when.times';
  const message = 'must be left out beside `nth`, which fires once';
  const beside = 'must be left out beside `nth`, which means one request only';
  const late = { path: 'when.until', message: 'must be later than from', received: `${until} ms` };
  return [
    ...(until !== undefined && until <= from ? [late] : []),
    ...(nth !== undefined && every !== undefined ? [{ path: 'when.every', message: beside }] : []),
    ...(nth !== undefined && times !== undefined && times > 1 ? [{ path, message, received: String(times) }] : []),
  ];
}
