// Proves that values conform to a schema, by a library that interprets it. The library is given copies of the parts and a
// view of the value, because it neither bounds its work nor keeps to a value's own names: what it reads is counted. It
// would match patterns with an engine that may go back and forth for ever; in the copies they are formats, which are ours.

import { format, type Schema as LibrarySchema, validate } from '@cfworker/json-schema';
import type { Tree } from '../../../core/tree.js';
import { exclusive, type Node, numberOf, type Schema, unfit, wordOf, words } from './nodes.js';

import { checkPattern, longestMatched, matches } from './texts.js';

type Copy = LibrarySchema | boolean;

const prefix = 'pattern ';
const patternFormats: ProxyHandler<object> = {
  get: (_, name) =>
    String(name).startsWith(prefix) ? (text: string) => matches(String(name).slice(prefix.length), text) : undefined,
};
Object.setPrototypeOf(format, new Proxy(Object.create(null) as object, patternFormats));

/** Proves values by the parts of one schema. */
export class Prover {
  readonly #schema: Schema;
  readonly #spend: (steps: number) => void;
  readonly #compile: (pattern: string) => void;
  readonly #copies = new Map<Node, LibrarySchema>();
  /** The copies that `$ref` names. */
  #targets: Record<string, Copy> = Object.create(null);
  #hasPatternProperties = false;
  /** Names and the longest text of the value that is being proved. */
  #names = new Set<string>();
  #longest = 0;

  /** @param spend counts the work, and throws when it is too much */
  constructor(schema: Schema, spend: (steps: number) => void, compile: (pattern: string) => void) {
    this.#schema = schema;
    this.#spend = spend;
    this.#compile = compile;
  }

  fits(node: Node, value: unknown): boolean {
    this.#names = new Set();
    this.#longest = 0;
    this.#lookThrough(value);
    if (this.#hasPatternProperties) {
      this.#copies.clear();
      this.#targets = Object.create(null);
    }
    try {
      const copy = this.#copyOf(node);
      return typeof copy === 'boolean' ? copy : validate(this.#view(value), copy, '2020-12', this.#targets).valid;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw unfit(node.path, 'must not refer to itself for one and the same value, nor be nested so deeply');
    }
  }

  #lookThrough(value: unknown): void {
    this.#spend(1);
    if (typeof value === 'string') this.#longest = Math.max(this.#longest, value.length);
    if (value === null || typeof value !== 'object') return;
    for (const [name, below] of Object.entries(value)) {
      if (!Array.isArray(value)) this.#names.add(name);
      this.#lookThrough(below);
    }
  }

  #view(value: unknown): unknown {
    if (value === null || typeof value !== 'object') return value;
    return new Proxy(value as Tree, {
      has: (tree, name) => {
        this.#spend(1);
        return Object.hasOwn(tree, name);
      },
      get: (tree, name) => {
        this.#spend(1);
        return Object.hasOwn(tree, name) ? this.#view(tree[name as string]) : undefined;
      },
      ownKeys: (tree) => {
        const names = Reflect.ownKeys(tree);
        this.#spend(names.length);
        return names;
      },
    });
  }

  #copyOf(node: Node): Copy {
    if (typeof node.schema === 'boolean') return node.schema;
    const known = this.#copies.get(node);
    if (known !== undefined) return known;
    const copy: Tree = Object.create(null);
    this.#copies.set(node, copy);
    this.#spend(1);
    for (const word of Object.keys(node.schema)) {
      const value = wordOf(node, word);
      if (value !== undefined && words.has(word)) this.#say(copy, node, word, value);
    }
    if (Object.hasOwn(node.schema, 'const')) copy.const = node.schema.const;
    // The library forgets it where there is only a maximum.
    if (copy.contains !== undefined) copy.minContains ??= 1;
    // The library asks each part for it once.
    const reference = this.#referenceOf(node);
    const listed = JSON.stringify([copy.const, copy.enum]).length;
    const hasLength = copy.minLength !== undefined || copy.maxLength !== undefined;
    Object.defineProperty(copy, '$ref', {
      get: () => {
        this.#spend(2 + (listed >> 6) + (hasLength ? this.#longest >> 6 : 0));
        if (copy.format !== undefined) this.#spend(2 * Math.min(this.#longest, longestMatched));
        return reference;
      },
    });
    return copy;
  }

  #say(copy: Tree, node: Node, word: string, value: unknown): void {
    const copyOf = (part: Node): Copy => this.#copyOf(part);
    const parts = words.get(word)?.parts ?? (word !== 'items' ? undefined : Array.isArray(value) ? 'list' : 'one');
    if (word === 'patternProperties') this.#sayByNames(copy, node, Object.keys(value as Tree));
    else if (parts === 'one') copy[word] = copyOf(this.#schema.child(node, word) ?? node);
    else if (parts === 'list') copy[word] = this.#schema.children(node, word).map(copyOf);
    else if (parts === 'record') copy[word] = this.#recordOf(node, word, value as Tree);
    else if (word === 'pattern') {
      checkPattern(node, word, String(value), this.#compile);
      copy.format = prefix + String(value);
    } else if (word === 'exclusiveMinimum') copy[word] = exclusive(node, word, numberOf(node, 'minimum'));
    else if (word === 'exclusiveMaximum') copy[word] = exclusive(node, word, numberOf(node, 'maximum'));
    else if (word === 'type') copy[word] = wordOf(node, 'nullable') === true ? [value, 'null'].flat() : value;
    // Texts of a format come from a list of ours.
    else if (word !== 'format' && word !== '$ref') copy[word] = value;
  }

  #recordOf(node: Node, word: string, record: Tree): Record<string, Copy> {
    const copies: Record<string, Copy> = Object.create(null);
    for (const name of Object.keys(record)) {
      const part = this.#schema.child(node, word, name);
      if (part !== undefined) copies[name] = this.#copyOf(part);
    }
    return copies;
  }

  // The names that match are those of the value: each is said to be a property.
  #sayByNames(copy: Tree, node: Node, patterns: readonly string[]): void {
    this.#hasPatternProperties = true;
    const properties = this.#recordOf(node, 'properties', (wordOf(node, 'properties') ?? {}) as Tree);
    for (const pattern of patterns) {
      checkPattern(node, 'patternProperties', pattern, this.#compile);
      const part = this.#schema.child(node, 'patternProperties', pattern);
      for (const name of this.#names) {
        this.#spend(1 + name.length);
        if (part === undefined || !matches(pattern, name)) continue;
        properties[name] = { allOf: [properties[name] ?? true, this.#copyOf(part)] as LibrarySchema[] };
      }
    }
    copy.properties = properties;
  }

  #referenceOf(node: Node): string | undefined {
    const target = this.#schema.target(node);
    if (target === undefined) return undefined;
    const reference = String(wordOf(node, '$ref'));
    this.#targets[reference] ??= this.#copyOf(target);
    return reference;
  }
}
