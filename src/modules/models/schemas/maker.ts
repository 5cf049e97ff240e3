// The state that all functions share that make a value: the schema, what was found out about it, and how far to go.

import { invalid } from '../../../core/errors.js';
import { type Checker, createChecker } from './check.js';
import { createHeights } from './height.js';
import { waysToBreak } from './negate.js';
import { type Node, type Path, pathOf, type Schemas } from './nodes.js';

/** The place of a value that is to be made. */
export interface Place {
  /** The parts that the value must conform to, all of them. */
  demands: readonly Node[];
  /** The name of the field that holds it. */
  name: string;
  depth: number;
  above: Way | undefined;
}

/** The parts that hold for the values around a place. */
export interface Way {
  nodes: ReadonlySet<Node>;
  above: Way | undefined;
}

interface Failure {
  path: Path;
  message: string;
  depth: number;
}

/** The state that all functions share while they make one value. */
export interface Maker {
  schemas: Schemas;
  checker: Checker;
  heightOf: (node: Node) => number;
  waysToBreak: (node: Node) => Node[];
  /** The instant that times in values show, in milliseconds. */
  now: number;
  /** Values that conform to all that a place demands, the plainest first. */
  values(place: Place): Generator<unknown>;
  /** Why the place that was left last has no value; the deepest says it best. */
  failure: Failure | undefined;
  /** Values made so far: once they are many, the smallest do. */
  made: number;
  /** Characters of texts made so far. */
  spendText(length: number, node: Node): void;
}

const plentiful = 300;
const deepEnough = 8;

/** Bounds the texts that are tried, as well as the reply. */
export const mostCharacters = 200_000;

/** @param values makes the values of a place */
export function createMaker(
  schemas: Schemas,
  now: number,
  values: (maker: Maker, place: Place) => Generator<unknown>,
): Maker {
  const ways = new Map<Node, Node[]>();
  let characters = 0;
  const maker: Maker = {
    schemas,
    checker: createChecker(schemas),
    heightOf: createHeights(schemas),
    waysToBreak(node) {
      const known = ways.get(node) ?? waysToBreak(schemas, node);
      ways.set(node, known);
      return known;
    },
    now,
    values: (place) => values(maker, place),
    failure: undefined,
    made: 0,
    spendText(length, node) {
      characters += length;
      if (characters > mostCharacters) throw tooLong(node.path);
    },
  };
  return maker;
}

/** The error for what would be a longer reply than there may be. */
export function tooLong(path: Path): Error {
  return invalid({
    path: pathOf(path),
    message: `asks for too much: a reply that is made from a schema has at most ${mostCharacters.toLocaleString('en')} characters`,
  });
}

/** Whether a place should hold as little as it can. */
export function isLean(maker: Maker, place: Place): boolean {
  return place.depth > deepEnough || maker.made > plentiful;
}

/** Notes why a place has no value. */
export function fail(maker: Maker, path: Path, message: string, depth: number): void {
  if (maker.failure === undefined || maker.failure.depth < depth) maker.failure = { path, message, depth };
}
