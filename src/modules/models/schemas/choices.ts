// Gathers the parts that hold together for one value: it follows references and allOf, and each way through the unions,
// conditions and negations gives a list of parts without choices.

import { isTree } from '../../../core/tree.js';
import { fail, isLean, type Maker, type Place, type Way } from './maker.js';
import { type Node, type Schemas, wordOf } from './nodes.js';

/** Parts that hold together, all choices made. */
export interface Leaf {
  nodes: Node[];
  /** All parts that were looked at, references and unions among them. */
  seen: ReadonlySet<Node>;
  /** Whether its values are listed: then each is tried. */
  isListed: boolean;
}

/** Lists of parts of which one must hold. */
type Choice = () => Node[][];

interface Gathered {
  nodes: Node[];
  seen: Set<Node>;
  choices: Choice[];
}

/** The ways through the choices of a place, the plainest first. */
export function* leaves(maker: Maker, place: Place): Generator<Leaf> {
  const start: Gathered = { nodes: [], seen: new Set(), choices: [] };
  if (gather(maker, place, start, place.demands)) yield* decided(maker, place, start);
}

function* decided(maker: Maker, place: Place, { nodes, seen, choices }: Gathered): Generator<Leaf> {
  const [first, ...rest] = choices;
  if (first === undefined) return yield { nodes, seen, isListed: false };
  for (const option of first()) {
    maker.schemas.spend(20 + 4 * (nodes.length + seen.size + rest.length));
    const next: Gathered = { nodes: [...nodes], seen: new Set(seen), choices: [...rest] };
    if (gather(maker, place, next, option)) yield* decided(maker, place, next);
  }
}

/** Adds parts, and what they refer to; false if they allow nothing. */
function gather(maker: Maker, place: Place, into: Gathered, parts: readonly Node[]): boolean {
  const { spend, target, children } = maker.schemas;
  const waiting = [...parts].reverse();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    spend(25);
    if (node.schema === true || into.seen.has(node)) continue;
    into.seen.add(node);
    if (node.schema === false) {
      fail(maker, node.path, 'is false, which allows no value', place.depth);
      return false;
    }
    into.nodes.push(node);
    into.choices.push(...choicesOf(maker, place, node));
    const reference = target(node);
    waiting.push(...children(node, 'allOf').reverse(), ...(reference === undefined ? [] : [reference]));
    if (into.choices.length > mostChoices) {
      fail(maker, node.path, `leaves more than ${mostChoices} choices for one value`, place.depth);
      return false;
    }
  }
  return true;
}

const mostChoices = 300;

function choicesOf(maker: Maker, place: Place, node: Node): Choice[] {
  const { child, children, derived } = maker.schemas;
  const choices: Choice[] = [];
  const negated = (part: Node): Node => derived(part, { not: part.schema });
  const anyOf = children(node, 'anyOf');
  if (anyOf.length > 0) choices.push(() => ordered(maker, place, anyOf).map((option) => [option]));
  const oneOf = children(node, 'oneOf');
  if (oneOf.length > 0)
    choices.push(() => {
      const options = ordered(maker, place, oneOf);
      const alone =
        oneOf.length > 20
          ? []
          : options.map((option) => [option, ...oneOf.filter((other) => other !== option).map(negated)]);
      return [...options.map((option) => [option]), ...alone];
    });
  const condition = child(node, 'if');
  if (condition !== undefined)
    choices.push(() => [
      [condition, ...some(child(node, 'then'))],
      [negated(condition), ...some(child(node, 'else'))],
      some(child(node, 'else')),
    ]);
  const not = child(node, 'not');
  if (not !== undefined) choices.push(() => [[], ...maker.waysToBreak(not).map((way) => [way])]);
  for (const [name, part] of dependents(maker.schemas, node))
    choices.push(() => [[part], [derived(node, { properties: Object.fromEntries([[name, false]]) })]]);
  return choices;
}

function some(part: Node | undefined): Node[] {
  return part === undefined ? [] : [part];
}

function dependents(schemas: Schemas, node: Node): [string, Node][] {
  return ['dependentSchemas', 'dependencies'].flatMap((word) => {
    const all = wordOf(node, word);
    if (!isTree(all)) return [];
    return Object.keys(all).flatMap((name): [string, Node][] => {
      const part = Array.isArray(all[name]) ? undefined : schemas.child(node, word, name);
      return part === undefined ? [] : [[name, part]];
    });
  });
}

// Options that are already on the way come last, or values would go on for ever; among these, the lowest comes first.
function ordered(maker: Maker, place: Place, options: readonly Node[]): Node[] {
  const lean = isLean(maker, place);
  const ranks = options.map((option) => {
    const isAgain = isOnWay(maker.schemas, place, option);
    const height = lean || isAgain ? maker.heightOf(option) : 0;
    return { option, rank: isAgain ? 1_000 + height : height };
  });
  return ranks.sort((a, b) => (a.rank === b.rank ? 0 : a.rank - b.rank)).map(({ option }) => option);
}

/** Whether a part, or what it refers to, holds for a value around the place. */
export function isOnWay({ spend, target }: Schemas, place: Place, node: Node): boolean {
  const seen = new Set<Node>();
  for (let at: Node | undefined = node; at !== undefined && !seen.has(at); at = target(at)) {
    seen.add(at);
    for (let way: Way | undefined = place.above; way !== undefined; way = way.above) {
      spend(1);
      if (way.nodes.has(at)) return true;
    }
  }
  return false;
}
