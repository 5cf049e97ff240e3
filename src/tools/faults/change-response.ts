// Changes fields of a JSON response, by JSON Pointers (RFC 6901): other values, new fields, fewer fields, lists without their last entries.

import type { FieldProblem } from '../../core/errors.js';
import { isTree } from '../../core/tree.js';
import type { Answer, JsonAnswer } from '../../http/response.js';
import type { FaultEffect } from './rule.js';

type Changes = Pick<FaultEffect, 'set' | 'drop' | 'remove'>;

const mostFields = 50;
const longestPointer = 500;
/** Of all values together, as JSON. */
const longestValues = 65_536;

/** The problems of the pointers and values of an effect. */
export function changeProblems({ set, drop, remove }: Changes): FieldProblem[] {
  const problems = [
    ...fieldsProblems('effect.set', set && Object.keys(set)),
    ...fieldsProblems('effect.drop', drop && Object.keys(drop)),
    ...fieldsProblems('effect.remove', remove),
  ];
  const length = lengthOf(set);
  if (length === undefined) problems.push({ path: 'effect.set', message: 'must have values of JSON' });
  else if (length > longestValues)
    problems.push({ path: 'effect.set', message: 'must be at most 64 KB of JSON', received: `${length} characters` });
  return problems;
}

function lengthOf(set: Changes['set']): number | undefined {
  try {
    if (Object.values(set ?? {}).some((value) => JSON.stringify(value) === undefined)) return undefined;
    return JSON.stringify(set ?? {}).length;
  } catch {
    // Cycles and big integers; only a program in this process can pass them.
    return undefined;
  }
}

function fieldsProblems(path: string, pointers: readonly string[] | undefined): FieldProblem[] {
  if (pointers === undefined) return [];
  if (pointers.length === 0)
    return [{ path, message: 'must name a field of the response by its JSON Pointer, such as /data/status' }];
  if (pointers.length > mostFields)
    return [{ path, message: `must have at most ${mostFields} fields`, received: String(pointers.length) }];
  return pointers.flatMap((pointer): FieldProblem[] => {
    const problem = pointerProblem(pointer);
    const shown = pointer.slice(0, 100);
    return problem === undefined
      ? []
      : [{ path: `${path}.${shown}`, message: problem, received: JSON.stringify(shown) }];
  });
}

function pointerProblem(pointer: string): string | undefined {
  if (pointer.length > longestPointer) return `must be at most ${longestPointer} characters`;
  if (pointer === '') return 'must name a field: `body` replaces the whole response';
  if (!pointer.startsWith('/')) return 'must be a JSON Pointer, which begins with a slash: /data/status';
  if (/~(?![01])/.test(pointer)) return 'must write ~ as ~0, and a slash within a name as ~1';
  const names = namesOf(pointer);
  if (names.at(-1) === '-') return 'must name an entry that is there by its number: - names the one after the last';
  return names.includes('__proto__') ? 'must not name __proto__' : undefined;
}

const namesOf = (pointer: string): string[] =>
  pointer
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));

/** A response with its changes, and what could not be changed, in words. */
export interface ChangedAnswer {
  answer: Answer;
  isChanged: boolean;
  missed: string[];
}

/**
 * A response with some of its fields changed; other responses than JSON stay as they are, and so does what the pointers do
 * not find.
 *
 * @example changedAnswer(ok({ data: [1, 2] }), { drop: { '/data': 1 } }).answer // has { data: [1] }
 */
export function changedAnswer(answer: Answer, { set = {}, drop = {}, remove = [] }: Changes): ChangedAnswer {
  const none = (why: string): ChangedAnswer => ({ answer, isChanged: false, missed: [why] });
  if (answer.kind === 'pieces') return none('the response is too long to be changed');
  if (answer.kind !== 'json') return none('the response is not JSON');
  const body = JSON.parse(answer.text ?? JSON.stringify(answer.body)) as JsonAnswer['body'];
  const missed = [
    ...Object.entries(drop).flatMap(([pointer, count]) => dropLast(body, pointer, count) ?? []),
    ...Object.entries(set).flatMap(([pointer, value]) => setField(body, pointer, value) ?? []),
    ...remove.flatMap((pointer) => removeField(body, pointer) ?? []),
  ];
  const isChanged = missed.length < Object.keys(set).length + Object.keys(drop).length + remove.length;
  if (!isChanged) return { answer, isChanged, missed };
  const { status, headers } = answer;
  return { answer: { kind: 'json', status, body, ...(headers !== undefined && { headers }) }, isChanged, missed };
}

function dropLast(body: unknown, pointer: string, count: number): string | undefined {
  const list = valueAt(body, namesOf(pointer));
  if (!Array.isArray(list)) return `the response has no list ${pointer}`;
  if (list.length === 0) return `the list ${pointer} of the response is empty`;
  list.splice(Math.max(0, list.length - count));
  return undefined;
}

function setField(body: unknown, pointer: string, value: unknown): string | undefined {
  const names = namesOf(pointer);
  const last = names.pop() ?? '';
  const parent = valueAt(body, names);
  if (Array.isArray(parent)) {
    if (!hasEntry(parent, last)) return `the response has no entry ${pointer}`;
    parent[Number(last)] = value;
    return undefined;
  }
  if (!isTree(parent)) return `the response has nothing that could have a field ${pointer}`;
  parent[last] = value;
  return undefined;
}

function removeField(body: unknown, pointer: string): string | undefined {
  const names = namesOf(pointer);
  const last = names.pop() ?? '';
  const parent = valueAt(body, names);
  if (Array.isArray(parent) && hasEntry(parent, last)) parent.splice(Number(last), 1);
  else if (isTree(parent) && Object.hasOwn(parent, last)) delete parent[last];
  else return `the response has no field ${pointer}`;
  return undefined;
}

function valueAt(body: unknown, names: readonly string[]): unknown {
  return names.reduce<unknown>((value, name) => {
    if (Array.isArray(value)) return hasEntry(value, name) ? (value[Number(name)] as unknown) : undefined;
    return isTree(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }, body);
}

function hasEntry(list: readonly unknown[], name: string): boolean {
  return /^(?:0|[1-9]\d*)$/.test(name) && Number(name) < list.length;
}
