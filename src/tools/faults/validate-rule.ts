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
  const { network, headers } = effect;
  const forced = isForced(effect);
  const problems = answerProblems(effect);
  // If `afterEvents` is the only field, the problem below says what it needs.
  const isNothing = network === undefined && effect.delay === undefined && effect.afterEvents === undefined;
  if (!forced && headers === undefined && !changesFields(effect) && isNothing)
    problems.push({
      path: 'effect',
      message:
        'must say what happens: `error`, `status`, `body`, `retryAfter`, `headers`, `set`, `drop`, `delay` or `network`',
    });
  if (headers !== undefined) problems.push(...headerProblems(headers));
  if (headers !== undefined && network !== undefined && !damages(network) && phase !== 'partial')
    problems.push({
      path: 'effect.headers',
      message: `must be left out: the network fault ${network} leaves no response`,
    });
  if (changesFields(effect)) problems.push(...fieldProblems({ phase, effect }));
  if (typeof effect.delay === 'object' && effect.delay.min > effect.delay.max)
    problems.push({
      path: 'effect.delay.min',
      message: 'must not be more than max',
      received: `${effect.delay.min} ms`,
    });
  if (forced && network !== undefined && !damages(network))
    problems.push({
      path: 'effect.network',
      message: `leaves no response (${network}): leave out ${codeQuoted(responseParts(effect))}`,
      received: JSON.stringify(network),
    });
  if (forced && network !== undefined && kindOf(network).onlyStreams === true)
    problems.push({
      path: 'effect.network',
      message: `concerns streams (${network}): leave out ${codeQuoted(responseParts(effect))}`,
      received: JSON.stringify(network),
    });
  else if (damages(network) && isBodiless(effect.status))
    problems.push({
      path: 'effect.network',
      message: `needs a body, and a response with status ${effect.status} has none`,
      received: JSON.stringify(network),
    });
  if (phase === 'before' && damages(network) && !forced)
    problems.push({
      path: 'phase',
      message: `must be after for ${network}: before the handler there is no response to damage (or give \`error\`, \`status\` or \`body\`)`,
      received: '"before"',
      suggestion: 'after',
    });
  if (phase === 'partial' && forced)
    problems.push({
      path: 'phase',
      message: 'must be after (or before) here: partial sends the real response, which nothing can replace',
      received: '"partial"',
      suggestion: 'after',
    });
  if (phase === 'partial' && network === undefined && !forced)
    problems.push({
      path: 'effect.network',
      message: 'is required in phase partial: what happens after the first bytes, reset, close or hang',
      suggestion: 'close',
    });
  const breaksStreams = network !== undefined && kindOf(network).breaksStreams === true;
  if (effect.afterEvents !== undefined && (phase !== 'partial' || !breaksStreams))
    problems.push({
      path: 'effect.afterEvents',
      message: 'belongs to phase partial with reset, close or hang: after how many events a stream breaks',
      received: String(effect.afterEvents),
    });
  return problems;
}

// Fields are changed in a whole response of the platform.
function fieldProblems({ phase, effect }: FaultAction): FieldProblem[] {
  const { network } = effect;
  const part = effect.set === undefined ? 'drop' : 'set';
  const problems = changeProblems(effect);
  if (phase !== 'after')
    problems.push({
      path: 'phase',
      message: `must be after for ${part}: it changes the platform's own response`,
      received: JSON.stringify(phase),
      suggestion: 'after',
    });
  else if (isForced(effect))
    problems.push({
      path: `effect.${part}`,
      message: `changes the platform's own response: leave out ${codeQuoted(responseParts(effect))}`,
    });
  else if (network !== undefined && !damages(network))
    problems.push({
      path: `effect.${part}`,
      message: `must be left out: the network fault ${network} leaves no response`,
    });
  return problems;
}

const codeQuoted = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

function answerProblems(effect: FaultEffect): FieldProblem[] {
  const { error, status, body, retryAfter } = effect;
  const problems: FieldProblem[] = [];
  if (error !== undefined && status !== undefined && errorTable[error].status !== status)
    problems.push({
      path: 'effect.status',
      message: `must be left out or be ${errorTable[error].status}, as ${error} is`,
      received: String(status),
      suggestion: String(errorTable[error].status),
    });
  if (status !== undefined && status < 400 && body === undefined && !isBodiless(status) && error === undefined)
    problems.push({
      path: 'effect.body',
      message: `is required: ${status} is no error, so there is no envelope for it`,
    });
  if (body !== undefined && isBodiless(status))
    problems.push({ path: 'effect.body', message: `must be left out: a response with status ${status} has none` });
  if (retryAfter !== undefined && !['RATE_LIMITED', 'SERVICE_UNAVAILABLE'].includes(codeOf(effect) ?? ''))
    problems.push({
      path: 'effect.retryAfter',
      message: 'belongs to 429 (RATE_LIMITED), and to 503 and 529 (SERVICE_UNAVAILABLE)',
      received: String(retryAfter),
    });
  if (body !== undefined) problems.push(...bodyProblems(body));
  return problems;
}

/** Headers that belong to one connection or to how a body is sent, and those by which this emulator says what it did. */
const notOwn =
  /^(connection|content-length|content-encoding|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|x-emulator-.*)$/i;
const mostHeaders = 20;
const longestHeaders = 4_096;

function headerProblems(headers: Record<string, string>): FieldProblem[] {
  const all = Object.entries(headers);
  const path = 'effect.headers';
  if (all.length === 0) return [{ path, message: 'must name a header' }];
  if (all.length > mostHeaders)
    return [{ path, message: `must have at most ${mostHeaders} headers`, received: String(all.length) }];
  const length = all.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (length > longestHeaders)
    return [
      {
        path,
        message: `must have at most ${longestHeaders} characters, names and values together`,
        received: `${length} characters`,
      },
    ];
  const names = all.map(([name]) => name.toLowerCase());
  return all.flatMap(([name, value], index): FieldProblem[] => {
    const problem = !/^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/.test(name)
      ? 'is no name of a header'
      : notOwn.test(name)
        ? 'is not for a rule to send: it belongs to the connection, to the form of the body or to the emulator'
        : names.indexOf(name.toLowerCase()) < index
          ? 'is there twice'
          : !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)
            ? 'must be one line of Latin-1 characters'
            : undefined;
    return problem === undefined
      ? []
      : [{ path: `${path}.${name}`, message: problem, received: JSON.stringify(value) }];
  });
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
export function whenProblems({ times, nth, every }: FaultWhen): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (nth !== undefined && every !== undefined)
    problems.push({ path: 'when.every', message: 'must be left out beside `nth`, which means one request only' });
  if (nth !== undefined && times !== undefined && times > 1)
    problems.push({
      path: 'when.times',
      message: 'must be left out beside `nth`, which fires once',
      received: String(times),
    });
  return problems;
}
