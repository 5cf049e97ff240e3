// Compares an answer of the emulator with the recorded one: status, error, meaning and shape. Ids, times and words are the
// world's own.

import { isTree, type Tree } from '../../core/tree.js';
import { removed } from './callers.js';
import type { Exchange } from './exchange.js';
import { codeIn } from './faults.js';

/** The first thing in which an answer is not as recorded. */
export interface Difference {
  /** The number of the entry. */
  entry: number;
  kind: 'status' | 'error' | 'meaning' | 'shape';
  /** What was recorded, and what came, in words. */
  recorded: string;
  came: string;
  /** Where in the JSON, and the value that was there; for what a rule could set. */
  at?: string;
  value?: unknown;
}

/** Whether a difference can show that a write took effect: in money, in what exists, in what is refused. */
export const isHard = ({ kind, at }: Difference): boolean =>
  kind === 'status' || kind === 'error' || (kind === 'meaning' && (at === undefined || /balance|credits/i.test(at)));

/** An answer of the emulator, and the JSON in it and in the recorded one. */
export interface Answer {
  status: number;
  text: string;
  recorded: Tree | undefined;
  came: Tree | undefined;
}

/** How an answer differs from the recorded one; undefined: not at all, as far as the recording says. */
export function differenceOf(exchange: Exchange, { status, text, recorded, came }: Answer): Difference | undefined {
  const { index: entry } = exchange;
  if (exchange.status !== status)
    return {
      entry,
      kind: 'status',
      recorded: String(exchange.status || 'no answer'),
      came: String(status || 'no answer'),
    };
  if (exchange.text === null || status === 0) return undefined;
  if (status >= 400) {
    const [code, other] = [codeIn(exchange), codeIn({ ...exchange, text })];
    return code === other
      ? undefined
      : { entry, kind: 'error', recorded: String(code ?? 'no envelope'), came: String(other ?? 'no envelope') };
  }
  if (recorded === undefined || came === undefined)
    return (recorded === undefined) === (came === undefined)
      ? undefined
      : { entry, kind: 'shape', recorded: 'another form', came: 'JSON' };
  return valueDifference(recorded, came, '', entry);
}

/** The names of fields whose values mean something beyond their world. */
const meaningful =
  /^(status|balance|creditBalance|creditsRemaining|creditsDeducted|newBalance|project_name|current_status|total)$/;
const ofProcess =
  /^(url|load_balancer_url|polling|deployment_log|logs|nextTransitionAt|statusHistory|stackName|progress|metadata|requestId|rate_limits|environment_vars|last_deployed_at)$/;
const mostCompared = 50;

function valueDifference(
  recorded: unknown,
  came: unknown,
  at: string,
  entry: number,
  depth = 0,
): Difference | undefined {
  if (depth > 12 || recorded === removed) return undefined;
  const shape = (): Difference => ({
    entry,
    kind: 'shape',
    recorded: `${at || 'the answer'} is ${typeName(recorded)}`,
    came: typeName(came),
    at,
    value: recorded,
  });
  if (typeName(recorded) !== typeName(came)) return shape();
  if (Array.isArray(recorded) && Array.isArray(came)) return listDifference(recorded, came, at, entry, depth);
  if (!isTree(recorded) || !isTree(came)) return undefined;
  for (const name of Object.keys(recorded).slice(0, 200)) {
    if (ofProcess.test(name)) continue;
    const value = recorded[name];
    const path = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!Object.hasOwn(came, name))
      return { entry, kind: 'shape', recorded: `has ${path}`, came: 'has it not', at: path, value };
    const other = came[name];
    if (meaningful.test(name) && typeof value !== 'object' && !isSame(value, other))
      return {
        entry,
        kind: 'meaning',
        recorded: `${path} is ${String(value).slice(0, 100)}`,
        came: String(other).slice(0, 100),
        at: path,
        value,
      };
    const inner = valueDifference(value, other, path, entry, depth + 1);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

// Lists are compared by what their entries are called: their order may be that of ids.
function listDifference(
  recorded: unknown[],
  came: unknown[],
  at: string,
  entry: number,
  depth: number,
): Difference | undefined {
  const named = recorded.every((one) => nameOf(one) !== undefined);
  if (named && recorded.length !== came.length)
    return { entry, kind: 'meaning', recorded: `${at} has ${recorded.length} entries`, came: String(came.length) };
  for (const [index, one] of recorded.slice(0, mostCompared).entries()) {
    const other = named ? partnerOf(one, index, came) : came[index];
    if (named && other === undefined)
      return { entry, kind: 'meaning', recorded: `${at} has ${nameOf(one)}`, came: 'has it not' };
    if (!named && index > 0) break;
    if (other === undefined) continue;
    const inner = valueDifference(one, other, `${at}/${index}`, entry, depth + 1);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** What a thing is called. */
export function nameOf(one: unknown): string | undefined {
  if (!isTree(one) || typeof one.id !== 'string') return undefined;
  const name = one.project_name ?? one.username ?? one.agentName ?? one.agent_name ?? one.name ?? one.filename;
  return typeof name === 'string' ? name : undefined;
}

/** The entry of another list that is called the same; of several, the one in the same place. */
function partnerOf(one: unknown, index: number, others: readonly unknown[]): unknown {
  const fitting = others.filter((other) => nameOf(other) === nameOf(one));
  return fitting.length > 1 && nameOf(others[index]) === nameOf(one) ? others[index] : fitting[0];
}

function isSame(a: unknown, b: unknown): boolean {
  const [x, y] = [Number(a), Number(b)];
  return a === b || (a !== null && b !== null && Number.isFinite(x) && Number.isFinite(y) && Math.abs(x - y) < 1e-6);
}

const typeName = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'a list' : isTree(value) ? 'an object' : `a ${typeof value}`;

/** Learns from an answer which id of the recording is which of this world. */
export function learnIds(recorded: unknown, came: unknown, ids: Map<string, string>, depth = 0): void {
  if (depth > 12) return;
  if (typeof recorded === 'string' && typeof came === 'string') {
    if (recorded !== came && isId(recorded) && !ids.has(recorded)) ids.set(recorded, came);
  } else if (Array.isArray(recorded) && Array.isArray(came)) {
    const named = recorded.every((one) => nameOf(one) !== undefined);
    for (const [index, one] of recorded.entries())
      learnIds(one, named ? partnerOf(one, index, came) : came[index], ids, depth + 1);
  } else if (isTree(recorded) && isTree(came))
    for (const name of Object.keys(recorded)) learnIds(recorded[name], came[name], ids, depth + 1);
}

const isId = (text: string): boolean => /^[\w-]{8,80}$/.test(text) && /\d/.test(text);

/** A text with the ids of this world in the place of the recorded ones. */
export function withIds(text: string, ids: ReadonlyMap<string, string>): string {
  return ids.size === 0 ? text : text.replace(/[\w-]{8,80}/g, (word) => ids.get(word) ?? word);
}
