// Makes values that conform to a schema. For each place, it gathers the parts that hold there together, and tries the ways
// through their choices one after another. The words that common schemas have lead the way; of the others (`not`,
// `dependentRequired`, …) the prover says afterwards whether a value conforms to them.

import { createBudget } from '../../../core/budget.js';
import { invalid } from '../../../core/errors.js';
import { regexSize } from '../../../core/safe-regex.js';
import type { Tree } from '../../../core/tree.js';
import { type Node, numberOf, numbersFor, type Path, pathOf, Schema, unfit, wordOf } from './nodes.js';

import { Prover } from './prove.js';
import { checkPattern, matches, textsFor } from './texts.js';

/** The most work that the value of one schema may cause: each step takes up to two microseconds. */
const mostSteps = 100_000;
const mostCharacters = 200_000;
const mostItems = 1_000;
const deepest = 100;
const mostChoices = 300;
const mostMisses = 300;
const mostVariations = 200;
/** Properties that may be left out are shown down to this level, items down to the other. */
const [propertiesShown, itemsShown] = [1, 4];

/** Words without regard to which values are made. */
const onlyProved = [
  ...['oneOf', 'not', 'if', 'contains', 'uniqueItems', 'propertyNames'],
  ...['dependentRequired', 'dependentSchemas', 'unevaluatedProperties', 'unevaluatedItems'],
];
const provedHere = [...onlyProved, 'const', 'enum', 'default', 'examples'];

/** The place of a value that is to be made. */
interface Place {
  /** The parts that the value must conform to, all of them. */
  demands: readonly Node[];
  /** The name of the field that holds it. */
  name: string;
  depth: number;
  above: Way | undefined;
}

/** The parts that hold for the values around a place. */
interface Way {
  nodes: ReadonlySet<Node>;
  above: Way | undefined;
}

/** Parts that hold together, all choices made. */
interface Leaf {
  nodes: readonly Node[];
  /** All parts that were looked at, references and unions among them. */
  seen: ReadonlySet<Node>;
}

/** Lists of parts of which one must hold. */
type Choice = Node[][];

interface Gathered {
  nodes: Node[];
  seen: Set<Node>;
  choices: Choice[];
}

/**
 * A value that conforms to a schema: the same for equal schemas, and plain to read. Parts that may be left out are left
 * out below the top.
 *
 * @param more what the value must conform to besides
 * @param now what times show, in milliseconds
 * @throws ApiError VALIDATION_ERROR that names the part that is no schema, that no value meets, or that asks for too much
 */
export function valueFor(schema: unknown, field: string, more: Tree, now: number): unknown {
  return new Maker(new Schema(schema, field), field, now).value(more);
}

class Maker {
  readonly #schema: Schema;
  readonly #prover: Prover;
  readonly #now: number;
  readonly #spend: (steps: number) => void;
  /** Counts the work of a pattern, once. */
  readonly #compile: (pattern: string) => void;
  #characters = 0;
  /** Why the place that was left last has no value; the deepest says it best. */
  #failure: { path: Path; message: string; depth: number } | undefined;

  constructor(schema: Schema, field: string, now: number) {
    const budget = createBudget({ most: mostSteps, of: 'steps in which a value is made from a schema', path: field });
    this.#schema = schema;
    this.#now = now;
    this.#spend = (steps) => budget.spend(steps);
    const compiled = new Set<string>();
    this.#compile = (source) => {
      if (compiled.has(source)) return;
      compiled.add(source);
      this.#spend(4 * regexSize({ source, flags: 'u' }));
    };
    this.#prover = new Prover(schema, this.#spend, this.#compile);
  }

  value(more: Tree): unknown {
    const { root } = this.#schema;
    const demands = [root, { schema: more, path: root.path }];
    const [value] = this.#values({ demands, name: 'value', depth: 0, above: undefined });
    if (value === undefined) {
      const { path, message } = this.#failure ?? { path: root.path, message: 'allows no value' };
      throw invalid({ path: pathOf(path), message });
    }
    // A text that is in a schema once may be in its value any number of times.
    if (JSON.stringify(value).length > mostCharacters) throw tooLong(root.path);
    return value;
  }

  #fail(path: Path, message: string, depth: number): void {
    if (this.#failure === undefined || this.#failure.depth < depth) this.#failure = { path, message, depth };
  }

  /** Values that conform to all that a place demands, the plainest first. */
  *#values(place: Place): Generator<unknown> {
    const { demands, depth } = place;
    const [first = this.#schema.root] = demands;
    const before = this.#failure;
    this.#failure = undefined;
    this.#spend(10);
    let doubt: Path | undefined;
    let isMade = false;
    if (depth > deepest) this.#fail(first.path, `must not be nested more deeply than ${deepest} levels`, depth);
    else
      for (const leaf of this.#leaves(place)) {
        let misses = 0;
        // What is made with regard to all words is proved as a part of the whole.
        const isProved = depth === 0 || leaf.nodes.some((node) => provedHere.some((word) => isSet(node, word)));
        for (const value of this.#candidates(leaf, place)) {
          this.#spend(1);
          if (!isProved || demands.every((node) => this.#prover.fits(node, value))) {
            if (!isMade) this.#failure = before;
            isMade = true;
            misses = 0;
            yield value;
          } else {
            doubt ??= doubtIn(leaf);
            if (++misses > mostMisses) break;
          }
        }
      }
    if (isMade) return;
    if (doubt !== undefined)
      this.#fail(doubt, 'excludes the values that are made without regard to this word of JSON Schema', depth);
    this.#fail(first.path, 'allows no value, or none that is found: its parts exclude each other', depth);
    if (before !== undefined && (this.#failure?.depth ?? 0) <= before.depth) this.#failure = before;
  }

  /** The ways through the choices of a place, the plainest first. */
  *#leaves(place: Place): Generator<Leaf> {
    const start: Gathered = { nodes: [], seen: new Set(), choices: [] };
    if (this.#gather(place, start, place.demands)) yield* this.#decided(place, start);
  }

  *#decided(place: Place, { nodes, seen, choices }: Gathered): Generator<Leaf> {
    const [first, ...rest] = choices;
    if (first === undefined) return yield { nodes, seen };
    for (const option of first) {
      this.#spend(5 + (nodes.length + seen.size + rest.length) / 4);
      const next: Gathered = { nodes: [...nodes], seen: new Set(seen), choices: [...rest] };
      if (this.#gather(place, next, option)) yield* this.#decided(place, next);
    }
  }

  /** Adds parts, and what they refer to; false if they allow nothing. */
  #gather(place: Place, into: Gathered, parts: readonly Node[]): boolean {
    const waiting = [...parts].reverse();
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      this.#spend(3);
      if (node.schema === true || into.seen.has(node)) continue;
      into.seen.add(node);
      if (node.schema === false) {
        this.#fail(node.path, 'is false, which allows no value', place.depth);
        return false;
      }
      into.nodes.push(node);
      into.choices.push(...this.#choicesOf(place, node));
      const target = this.#schema.target(node);
      waiting.push(...this.#schema.children(node, 'allOf').reverse(), ...(target === undefined ? [] : [target]));
      if (into.choices.length > mostChoices) {
        this.#fail(node.path, `leaves more than ${mostChoices} choices for one value`, place.depth);
        return false;
      }
    }
    return true;
  }

  #choicesOf(place: Place, node: Node): Choice[] {
    const choices = ['anyOf', 'oneOf']
      .map((word) => this.#schema.children(node, word))
      .filter((options) => options.length > 0)
      .map((options) => this.#ordered(place, options).map((option) => [option]));
    const condition = this.#schema.child(node, 'if');
    if (condition === undefined) return choices;
    const [then, otherwise] = ['then', 'else'].map((word) => this.#schema.child(node, word) ?? []);
    return [...choices, [[condition, then ?? []].flat(), [otherwise ?? []].flat()]];
  }

  // Options that are already on the way come last, or values would go on for ever.
  #ordered(place: Place, options: readonly Node[]): Node[] {
    const ranks = new Map(options.map((option) => [option, this.#timesOnWay(place, option)]));
    return options.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
  }

  /** For how many of the values around a place a part holds. */
  #timesOnWay(place: Place, part: Node): number {
    let times = 0;
    const targets = new Set<Node>();
    for (let at: Node | undefined = part; at !== undefined && !targets.has(at); at = this.#schema.target(at))
      targets.add(at);
    for (let way = place.above; way !== undefined; way = way.above) {
      this.#spend(1);
      for (const node of targets) if (way.nodes.has(node)) times++;
    }
    return times;
  }

  *#candidates(leaf: Leaf, place: Place): Generator<unknown> {
    const { nodes } = leaf;
    const listed = nodes.find((node) => isSet(node, 'const') || wordOf(node, 'enum') !== undefined);
    if (listed !== undefined) {
      if (isSet(listed, 'const')) yield (listed.schema as Tree).const;
      else yield* wordOf(listed, 'enum') as unknown[];
      return;
    }
    for (const node of nodes) {
      if (isSet(node, 'default')) yield (node.schema as Tree).default;
      const examples = wordOf(node, 'examples');
      if (Array.isArray(examples)) yield* examples.slice(0, 20);
    }
    const types = typesOf(nodes);
    if (types.length === 0) this.#fail((nodes[0] ?? this.#schema.root).path, 'allows no type of value', place.depth);
    for (const type of types) yield* this.#ofType(type, leaf, place);
  }

  *#ofType(type: string, leaf: Leaf, place: Place): Generator<unknown> {
    const { nodes } = leaf;
    switch (type) {
      case 'object':
        return yield* this.#objects(leaf, place);
      case 'array':
        return yield* this.#lists(leaf, place);
      case 'number':
      case 'integer':
        return yield* numbersFor(nodes, type === 'integer');
      case 'string':
        if (!this.#isPossible(nodes, place, 'minLength', 'maxLength', mostCharacters, 'characters')) return;
        for (const text of textsFor(nodes, place.name, this.#now, this.#spend, this.#compile)) {
          this.#characters += text.length;
          if (this.#characters > mostCharacters) throw tooLong((nodes[0] ?? this.#schema.root).path);
          yield text;
        }
        return;
      case 'boolean':
        return yield* [true, false];
      default:
        yield null;
    }
  }

  /** Whether there may be as many characters, items or properties as the parts ask for. */
  #isPossible(nodes: readonly Node[], place: Place, low: string, high: string, most: number, things: string): boolean {
    const [least, allowed] = countsOf(nodes, low, high);
    const path = (nodes[0] ?? this.#schema.root).path;
    if (least > allowed) this.#fail(path, `asks for ${least} ${things}, and allows ${allowed}`, place.depth);
    else if (least > most)
      throw unfit({ above: path, step: low }, `asks for too much: at most ${most} ${things} are made`);
    return least <= allowed;
  }

  /** Objects that may fit a leaf, the plainest first: those with all names, those with what they need, those with one more. */
  *#objects(leaf: Leaf, place: Place): Generator<Tree> {
    const { nodes } = leaf;
    if (!this.#isPossible(nodes, place, 'minProperties', 'maxProperties', mostItems, 'properties')) return;
    const [least, most] = countsOf(nodes, 'minProperties', 'maxProperties');
    const required = new Set(nodes.flatMap((node) => (wordOf(node, 'required') ?? []) as string[]));
    this.#spend(required.size);
    if (required.size > most) {
      const path = (nodes[0] ?? this.#schema.root).path;
      return this.#fail(path, 'asks for more properties than it allows', place.depth);
    }
    const demands = new Map<string, readonly Node[]>();
    const demandsOf = (name: string): readonly Node[] => {
      const found = demands.get(name) ?? this.#demandsOf(nodes, name);
      demands.set(name, found);
      return found;
    };
    const known = new Set(nodes.flatMap((node) => Object.keys(wordOf(node, 'properties') ?? {})));
    this.#spend(known.size);
    const optional = [...known].filter(
      (name) => !required.has(name) && !demandsOf(name).some(({ schema }) => schema === false),
    );
    const isShown = place.depth <= propertiesShown && nodes.every((node) => this.#timesOnWay(place, node) === 0);
    const selections =
      optional.length === 0
        ? [[]]
        : [...(isShown ? [optional] : []), [], ...optional.slice(0, 30).map((name) => [name]), optional];
    // Each selection once before the variations of the first, which may be many.
    const begun: Generator<Tree>[] = [];
    for (const more of selections) {
      const chosen = new Set([...required, ...more.slice(0, most - required.size)]);
      const unknown = [...chosen].filter((name) => !known.has(name));
      const names = [...[...known].filter((name) => chosen.has(name)), ...unknown];
      this.#spend(known.size + names.length);
      const filled = this.#filled(names, required, least, leaf, place, demandsOf);
      const first = filled.next();
      if (first.done === true) continue;
      yield first.value;
      begun.push(filled);
    }
    for (const filled of begun) yield* filled;
  }

  *#filled(
    names: readonly string[],
    required: ReadonlySet<string>,
    least: number,
    leaf: Leaf,
    place: Place,
    demandsOf: (name: string) => readonly Node[],
  ): Generator<Tree> {
    const streams = new Map<string, Iterator<unknown>>();
    const object = new Map<string, unknown>();
    const add = (name: string): boolean => {
      const stream = this.#values(below(leaf, place, name, demandsOf(name)));
      const { done, value } = stream.next();
      if (done === true) return false;
      streams.set(name, stream);
      object.set(name, value);
      return true;
    };
    for (const name of names) if (!add(name) && required.has(name)) return;
    if (object.size < least)
      for (const name of this.#moreNames(leaf, place)) {
        if (!object.has(name)) add(name);
        if (object.size >= least) break;
      }
    if (object.size < least) return;
    this.#spend(object.size);
    yield Object.fromEntries(object);
    for (const [name, stream] of streams)
      for (let n = 0; n < mostVariations; n++) {
        const { done, value } = stream.next();
        if (done === true) break;
        this.#spend(object.size);
        yield Object.fromEntries([...object, [name, value]]);
      }
  }

  /** What the parts demand of the value with a name. */
  #demandsOf(nodes: readonly Node[], name: string): readonly Node[] {
    const demands: Node[] = [];
    for (const node of nodes) {
      this.#spend(1);
      const own = [this.#schema.child(node, 'properties', name) ?? []].flat();
      for (const pattern of Object.keys(wordOf(node, 'patternProperties') ?? {})) {
        checkPattern(node, 'patternProperties', pattern, this.#compile);
        this.#spend(10 * Math.min(name.length, 1_000));
        if (matches(pattern, name)) own.push(this.#schema.child(node, 'patternProperties', pattern) ?? node);
      }
      demands.push(...(own.length > 0 ? own : [this.#schema.child(node, 'additionalProperties') ?? []].flat()));
    }
    return demands;
  }

  /** Names for what only a count asks for: known ones, then new ones that the parts allow. */
  *#moreNames(leaf: Leaf, place: Place): Generator<string> {
    const { nodes } = leaf;
    yield* nodes.flatMap((node) => Object.keys(wordOf(node, 'properties') ?? {}));
    const rules = nodes.flatMap((node) => this.#schema.child(node, 'propertyNames') ?? []);
    const patterns = nodes.flatMap((node) => Object.keys(wordOf(node, 'patternProperties') ?? {}));
    for (const pattern of [undefined, ...patterns]) {
      const schema = { type: 'string', ...(pattern !== undefined && { pattern }) };
      const demands = [...rules, { schema, path: (nodes[0] ?? this.#schema.root).path }];
      let count = 0;
      for (const name of this.#values(below(leaf, place, 'key', demands))) {
        yield name as string;
        if (++count > mostVariations) break;
      }
    }
  }

  /** Lists that may fit a leaf, the plainest first. */
  *#lists(leaf: Leaf, place: Place): Generator<unknown[]> {
    const { nodes } = leaf;
    if (!this.#isPossible(nodes, place, 'minItems', 'maxItems', mostItems, 'items')) return;
    const [least, most] = countsOf(nodes, 'minItems', 'maxItems');
    const rules = nodes.map((node) => this.#itemsOf(node));
    const first = Math.max(0, ...rules.map(([own]) => own.length));
    const wanted = nodes.flatMap((node) => {
      const part = this.#schema.child(node, 'contains');
      return part === undefined ? [] : Array<Node>(Math.min(numberOf(node, 'minContains') ?? 1, mostItems)).fill(part);
    });
    const demandsAt = (index: number): Node[] => [
      ...rules.flatMap(([own, rest]) => own[index] ?? rest ?? []),
      ...[wanted[index - first] ?? []].flat(),
    ];
    const own = first + wanted.length;
    const isAgain = demandsAt(own).some((rule) => leaf.seen.has(rule) || this.#timesOnWay(place, rule) > 0);
    const usual = Math.max(least, own, isAgain || place.depth > itemsShown ? 0 : 1);
    for (const count of new Set([usual, first, least, least + 1, least + 2]))
      yield* this.#listed(Math.min(Math.max(count, least), most), own, least, leaf, place, demandsAt);
  }

  *#listed(
    count: number,
    own: number,
    least: number,
    leaf: Leaf,
    place: Place,
    demandsAt: (index: number) => Node[],
  ): Generator<unknown[]> {
    const isUnique = leaf.nodes.some((node) => wordOf(node, 'uniqueItems') === true);
    const items: unknown[] = [];
    const streams: Iterator<unknown>[] = [];
    const used = new Set<string>();
    // Items without a rule of their own have one stream: all are like its first value, or each is another.
    let rest: Iterator<unknown> | undefined;
    for (let index = 0; index < count; index++) {
      this.#spend(1);
      if (index > own && !isUnique) {
        items.push(items.at(-1));
        continue;
      }
      const stream = (index < own ? undefined : rest) ?? this.#values(below(leaf, place, place.name, demandsAt(index)));
      if (index >= own) rest = stream;
      let next = stream.next();
      while (isUnique && next.done !== true && used.has(JSON.stringify(next.value))) next = stream.next();
      if (next.done === true) {
        // Items that need not be there are left out.
        if (index < least) return;
        break;
      }
      used.add(isUnique ? JSON.stringify(next.value) : '');
      streams.push(stream);
      items.push(next.value);
    }
    yield items;
    for (const [index, stream] of streams.entries())
      for (let n = 0; n < mostVariations; n++) {
        const { done, value } = stream.next();
        if (done === true) break;
        this.#spend(items.length);
        yield items.with(index, value);
      }
  }

  /** The rules of the first items of a list, and of all others. */
  #itemsOf(node: Node): [Node[], Node | undefined] {
    const isOlder = Array.isArray(wordOf(node, 'items'));
    return isOlder
      ? [this.#schema.children(node, 'items'), this.#schema.child(node, 'additionalItems')]
      : [this.#schema.children(node, 'prefixItems'), this.#schema.child(node, 'items')];
  }
}

function below(leaf: Leaf, place: Place, name: string, demands: readonly Node[]): Place {
  return { demands, name, depth: place.depth + 1, above: { nodes: leaf.seen, above: place.above } };
}

function countsOf(nodes: readonly Node[], low: string, high: string): [number, number] {
  return [
    Math.max(0, ...nodes.map((node) => numberOf(node, low) ?? 0)),
    Math.min(Infinity, ...nodes.map((node) => numberOf(node, high) ?? Infinity)),
  ];
}

function tooLong(path: Path): Error {
  return unfit(path, `asks for too much: a reply that is made from a schema has at most ${mostCharacters} characters`);
}

/** Where a leaf has a word that is only proved. */
function doubtIn({ nodes }: Leaf): Path | undefined {
  for (const node of nodes)
    for (const word of onlyProved) if (wordOf(node, word) !== undefined) return { above: node.path, step: word };
  return undefined;
}

function isSet({ schema }: Node, word: string): boolean {
  return typeof schema !== 'boolean' && Object.hasOwn(schema, word);
}

const usualTypes = ['object', 'array', 'string', 'number', 'boolean', 'null'];

/** The types that all parts allow: as the first that names some orders them, null last. */
function typesOf(nodes: readonly Node[]): string[] {
  const named = nodes.filter((node) => wordOf(node, 'type') !== undefined);
  const lists = named.map((node) => {
    const types = [wordOf(node, 'type')].flat() as string[];
    return wordOf(node, 'nullable') === true ? [...types, 'null'] : types;
  });
  const [first = guessed(nodes), ...others] = lists;
  const isIn = (type: string, list: readonly string[]): boolean =>
    list.includes(type) || (type === 'integer' && list.includes('number'));
  const allowed = first
    .flatMap((type) => (type === 'number' ? ['number', 'integer'] : [type]))
    .filter((type) => others.every((list) => isIn(type, list)));
  return [...new Set([...allowed.filter((type) => type !== 'null'), ...allowed.filter((type) => type === 'null')])];
}

const hints: [string, RegExp][] = [
  ['object', /^(?:properties|required|.*Properties|propertyNames|dependent.*)$/],
  ['array', /^(?:items|prefixItems|contains|.*Items|.*Contains)$/],
  ['string', /^(?:pattern|format|m..Length)$/],
  ['number', /^(?:multipleOf|(?:exclusiveM|m)(?:in|ax)imum)$/],
];

/** The types that words speak of come first. */
function guessed(nodes: readonly Node[]): string[] {
  const names = nodes.flatMap(({ schema }) => Object.keys(schema));
  const likely = hints.filter(([, hint]) => names.some((name) => hint.test(name))).map(([type]) => type);
  return [...new Set([...likely, ...(likely.length === 0 ? ['string'] : []), ...usualTypes])];
}
