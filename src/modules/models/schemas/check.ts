// Checks whether a value conforms to a schema. No library does it here: those that are kept well compile a schema without a
// bound on the work, and match its patterns with an engine that may go back and forth for ever.

import { invalid } from '../../../core/errors.js';
import { isTree, type Tree } from '../../../core/tree.js';
import { fitsNumber } from './bounds.js';
import { hasFormat } from './formats.js';
import { type Node, numberOf, pathOf, type Schemas, wordOf } from './nodes.js';
import { readRegex } from './regex.js';
import { matches, TooDeep } from './regex-match.js';

/** Checks values against the parts of one schema. What it was asked once it knows. */
export interface Checker {
  fits(node: Node, value: unknown): boolean;
  /** Whether a text matches a pattern, which a part has in one of its words. */
  matchesPattern(node: Node, word: string, pattern: string, text: string): boolean;
  /** A text that is the same for equal values. */
  keyOf(value: unknown): string;
}

type Known = Map<Node, boolean>;

export function createChecker(schemas: Schemas): Checker {
  const { spend, child, children, target } = schemas;
  const kept = new WeakMap<object, Known>();
  const matched = new Map<string, Map<string, boolean>>();
  let depth = 0;

  function fits(node: Node, value: unknown, above?: Known): boolean {
    spend(10);
    if (typeof node.schema === 'boolean') return node.schema;
    // Results are kept for objects and lists only; for a value without parts, they last as long as the check that is under
    // way.
    const answers = value !== null && typeof value === 'object' ? knownOf(value) : (above ?? new Map());
    const answer = answers.get(node);
    if (answer !== undefined) return answer;
    if (depth > deepest) throw tooDeep(node);
    // A part that refers to itself asks for nothing more than it does.
    answers.set(node, true);
    depth++;
    const isFit = saysYes(node, value, answers);
    depth--;
    answers.set(node, isFit);
    return isFit;
  }

  function knownOf(value: object): Known {
    const answers = kept.get(value) ?? new Map<Node, boolean>();
    kept.set(value, answers);
    return answers;
  }

  function saysYes(node: Node, value: unknown, answers: Known): boolean {
    return hasType(node, value) && isListed(node, value) && fitsKind(node, value) && fitsParts(node, value, answers);
  }

  function isListed(node: Node, value: unknown): boolean {
    const { schema } = node;
    if (typeof schema === 'boolean') return schema;
    if (Object.hasOwn(schema, 'const') && !same(schema.const, value)) return false;
    const list = wordOf(node, 'enum');
    return !Array.isArray(list) || list.some((one) => same(one, value));
  }

  function fitsKind(node: Node, value: unknown): boolean {
    if (typeof value === 'number') return fitsNumber(node, value);
    if (typeof value === 'string') return fitsText(node, value);
    if (Array.isArray(value)) return fitsList(node, value);
    return !isTree(value) || fitsObject(node, value);
  }

  function fitsText(node: Node, text: string): boolean {
    const [least, most] = [numberOf(node, 'minLength') ?? 0, numberOf(node, 'maxLength') ?? Infinity];
    if (least > 0 || most < Infinity) {
      spend(text.length >> 4);
      const length = lengthOf(text);
      if (length < least || length > most) return false;
    }
    const [pattern, format] = [wordOf(node, 'pattern'), wordOf(node, 'format')];
    if (typeof format === 'string') {
      spend(Math.min(text.length, 2_000) >> 4);
      if (!hasFormat(format, text)) return false;
    }
    return typeof pattern !== 'string' || matchesPattern(node, 'pattern', pattern, text);
  }

  function fitsObject(node: Node, value: Tree): boolean {
    const names = Object.keys(value);
    spend(names.length >> 2);
    if (names.length < (numberOf(node, 'minProperties') ?? 0)) return false;
    if (names.length > (numberOf(node, 'maxProperties') ?? Infinity)) return false;
    const required = wordOf(node, 'required');
    if (Array.isArray(required)) {
      spend(required.length >> 2);
      if (!required.every((name) => Object.hasOwn(value, name))) return false;
    }
    for (const [name, needs] of dependencies(node))
      if (Object.hasOwn(value, name) && Array.isArray(needs) && !needs.every((one) => Object.hasOwn(value, one)))
        return false;
    const rule = child(node, 'propertyNames');
    const rest = child(node, 'additionalProperties');
    const patterns = Object.keys(wordOf(node, 'patternProperties') ?? {});
    return names.every((name) => {
      if (rule !== undefined && !fits(rule, name)) return false;
      const own = child(node, 'properties', name);
      if (own !== undefined && !fits(own, value[name])) return false;
      const fitting = patterns.filter((pattern) => matchesPattern(node, 'patternProperties', pattern, name));
      if (!fitting.every((pattern) => fitsChild(node, value[name], 'patternProperties', pattern))) return false;
      return own !== undefined || fitting.length > 0 || rest === undefined || fits(rest, value[name]);
    });
  }

  function fitsChild(node: Node, value: unknown, ...steps: PropertyKey[]): boolean {
    const below = child(node, ...steps);
    return below === undefined || fits(below, value);
  }

  function dependencies(node: Node): [string, unknown][] {
    return ['dependentRequired', 'dependencies'].flatMap((word) => Object.entries(wordOf(node, word) ?? {}));
  }

  function fitsList(node: Node, value: readonly unknown[]): boolean {
    if (value.length < (numberOf(node, 'minItems') ?? 0)) return false;
    if (value.length > (numberOf(node, 'maxItems') ?? Infinity)) return false;
    if (wordOf(node, 'uniqueItems') === true && new Set(value.map(keyOf)).size < value.length) return false;
    const [first, rest] = itemsOf(schemas, node);
    if (
      !value.every((item, index) => {
        const rule = first[index] ?? rest;
        return rule === undefined || fits(rule, item);
      })
    )
      return false;
    const wanted = child(node, 'contains');
    if (wanted === undefined) return true;
    const found = value.filter((item) => fits(wanted, item)).length;
    return found >= (numberOf(node, 'minContains') ?? 1) && found <= (numberOf(node, 'maxContains') ?? Infinity);
  }

  function fitsParts(node: Node, value: unknown, answers: Known): boolean {
    const holds = (part: Node | undefined): boolean => part === undefined || fits(part, value, answers);
    if (!holds(target(node)) || !children(node, 'allOf').every(holds)) return false;
    const any = children(node, 'anyOf');
    if (any.length > 0 && !any.some(holds)) return false;
    const one = children(node, 'oneOf');
    if (one.length > 0 && one.filter(holds).length !== 1) return false;
    const not = child(node, 'not');
    if (not !== undefined && fits(not, value, answers)) return false;
    const condition = child(node, 'if');
    if (condition !== undefined && !holds(child(node, fits(condition, value, answers) ? 'then' : 'else'))) return false;
    if (!dependents(node, value).every(holds)) return false;
    return hasNothingLeft(node, value);
  }

  function dependents(node: Node, value: unknown): Node[] {
    if (!isTree(value)) return [];
    return ['dependentSchemas', 'dependencies'].flatMap((word) =>
      Object.entries(wordOf(node, word) ?? {}).flatMap(([name, part]) =>
        Object.hasOwn(value, name) && !Array.isArray(part) ? (child(node, word, name) ?? []) : [],
      ),
    );
  }

  // The two words that see what the others of the same value have looked at.
  function hasNothingLeft(node: Node, value: unknown): boolean {
    const word = Array.isArray(value) ? 'unevaluatedItems' : 'unevaluatedProperties';
    const rule = child(node, word);
    if (rule === undefined || value === null || typeof value !== 'object') return true;
    const seen = new Set<PropertyKey>();
    look(node, value, seen, word);
    return Object.entries(value).every(([key, part]) => seen.has(key) || fits(rule, part));
  }

  function look(node: Node, value: object, seen: Set<PropertyKey>, but: string): void {
    spend(1);
    if (typeof node.schema === 'boolean') return;
    if (Array.isArray(value)) lookAtItems(node, value, seen, but);
    else lookAtNames(node, value as Tree, seen, but);
    const condition = child(node, 'if');
    const holds = condition !== undefined && fits(condition, value);
    const parts = [
      target(node),
      ...children(node, 'allOf'),
      ...[...children(node, 'anyOf'), ...children(node, 'oneOf')].filter((part) => fits(part, value)),
      ...dependents(node, value),
      ...(condition === undefined ? [] : [holds ? condition : undefined, child(node, holds ? 'then' : 'else')]),
    ];
    for (const part of parts) if (part !== undefined && part !== node) look(part, value, seen, '');
  }

  function lookAtNames(node: Node, value: Tree, seen: Set<PropertyKey>, but: string): void {
    const isOpen = child(node, 'additionalProperties') !== undefined;
    const isRest = but !== 'unevaluatedProperties' && child(node, 'unevaluatedProperties') !== undefined;
    const patterns = Object.keys(wordOf(node, 'patternProperties') ?? {});
    for (const name of Object.keys(value))
      if (
        isOpen ||
        isRest ||
        child(node, 'properties', name) !== undefined ||
        patterns.some((pattern) => matchesPattern(node, 'patternProperties', pattern, name))
      )
        seen.add(name);
  }

  function lookAtItems(node: Node, value: readonly unknown[], seen: Set<PropertyKey>, but: string): void {
    const [first, rest] = itemsOf(schemas, node);
    const isRest = but !== 'unevaluatedItems' && child(node, 'unevaluatedItems') !== undefined;
    const wanted = child(node, 'contains');
    for (const [index, item] of value.entries())
      if (index < first.length || rest !== undefined || isRest || (wanted !== undefined && fits(wanted, item)))
        seen.add(String(index));
  }

  function matchesPattern(node: Node, word: string, pattern: string, text: string): boolean {
    const answers = matched.get(pattern) ?? new Map<string, boolean>();
    matched.set(pattern, answers);
    const answer = answers.get(text);
    if (answer !== undefined) return answer;
    spend(pattern.length >> 5);
    const regex = readRegex(pattern);
    const path = pathOf({ above: node.path, step: word });
    if (typeof regex === 'string')
      throw invalid({ path, message: regex, received: JSON.stringify(pattern.slice(0, 60)) });
    try {
      const isMatch = matches(regex, text, spend);
      answers.set(text, isMatch);
      return isMatch;
    } catch (error) {
      if (error instanceof TooDeep) throw invalid({ path, message: error.message });
      throw error;
    }
  }

  function same(a: unknown, b: unknown): boolean {
    spend(1);
    if (a === b) return true;
    if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
    if (Array.isArray(a) !== Array.isArray(b)) return false;
    const names = Object.keys(a);
    if (names.length !== Object.keys(b).length) return false;
    spend(names.length);
    return names.every((name) => Object.hasOwn(b, name) && same((a as Tree)[name], (b as Tree)[name]));
  }

  function keyOf(value: unknown): string {
    spend(1);
    if (Array.isArray(value)) return `[${value.map(keyOf).join()}]`;
    if (!isTree(value)) return JSON.stringify(value);
    const names = Object.keys(value).sort();
    return `{${names.map((name) => `${JSON.stringify(name)}:${keyOf(value[name])}`).join()}}`;
  }

  return { fits: (node, value) => fits(node, value), matchesPattern, keyOf };
}

const deepest = 400;

function tooDeep(node: Node): Error {
  return invalid({ path: pathOf(node.path), message: `must not be nested more deeply than ${deepest} levels` });
}

/** The rules of the first items of a list, and of all others. */
export function itemsOf({ child, children }: Schemas, node: Node): [Node[], Node | undefined] {
  if (Array.isArray(wordOf(node, 'items'))) return [children(node, 'items'), child(node, 'additionalItems')];
  return [children(node, 'prefixItems'), child(node, 'items')];
}

/** The length of a text as schemas count it. */
export function lengthOf(text: string): number {
  let count = text.length;
  for (let i = 0; i + 1 < text.length; i++)
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) count--;
  return count;
}

/** Whether a value has a type that a part names. */
export function hasType(node: Node, value: unknown): boolean {
  const types = wordOf(node, 'type');
  if (types === undefined || (value === null && wordOf(node, 'nullable') === true)) return true;
  return [types].flat().some((type) => isOfType(type, value));
}

function isOfType(type: unknown, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isTree(value);
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}
