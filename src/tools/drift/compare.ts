// Where the platform says something that the emulator would never say. Only that direction counts: the platform shows only
// some of what it may.

import { isTree, type Tree } from '../../core/tree.js';
import { type Facts, pointerStep, relations } from './facts.js';
import type { Question } from './questions.js';

export interface Difference {
  operation: string;
  /** "status", "header retry-after", "/data/created_at", "order /data", "precedence". */
  place: string;
  /** What the platform says there, and what the emulator does. */
  platform: string;
  emulator: string;
}

type Schema = Tree;

/** What the emulator's document says of bodies. */
export interface Documented {
  /** The schema of an operation's body with this status; undefined: none is declared. */
  bodyOf(operation: string, status: string): Schema | undefined;
  /** The schemas that others refer to, by name. */
  schemas: Tree;
}

/** What a side says where it has no such place. */
export const nothing = 'nothing';

/**
 * The differences between what both sides said to one question; ours is what the emulator said from the same state.
 *
 * @example differencesOf(question, { status: ['200'] }, { status: ['204'] }, documented)[0]?.place // 'status'
 */
export function differencesOf(
  { operation, as, of, place: own }: Pick<Question, 'operation' | 'as' | 'of' | 'place'>,
  ours: Facts,
  theirs: Facts,
  { bodyOf, schemas }: Documented,
): Difference[] {
  const found = new Map<string, Difference>();
  const differ = (place: string, platform: string, emulator: string): void => {
    if (!found.has(place)) found.set(place, { operation, place, platform, emulator });
  };
  // Where several things are wrong with a request, the status tells which of them comes first.
  const place = own ?? (as !== 'key' && of === 'nowhere' ? 'precedence' : 'status');
  for (const relation of relations)
    for (const kind of theirs[relation] ?? [])
      if (ours[relation]?.includes(kind) === false) differ(relation, kind, words(ofTopic(kind, ours[relation])));
  for (const status of theirs.status ?? [])
    if (ours.status?.includes(status) !== true) differ(place, status, words(ours.status));
  if (found.has(place)) return [...found.values()];
  compareHeaders(ours, theirs, differ);
  const bodies = (theirs.status ?? []).flatMap((status) => {
    const body = bodyOf(operation, status);
    return body === undefined ? [] : [body];
  });
  if (bodies.length > 0) compareWithSchema(theirs, bodies, schemas, differ);
  compareKinds(ours, theirs, differ);
  return [...found.values()];
}

type Differ = (place: string, platform: string, emulator: string) => void;

const words = (kinds: readonly string[] | undefined): string => kinds?.join(' or ') ?? nothing;

// A relation holds several things, such as a price and whether the answer tells it: one of them is compared with its like.
function ofTopic(kind: string, kinds: readonly string[]): readonly string[] {
  const topic = (one: string): string =>
    / before /.test(one) ? 'before' : one === 'late' ? 'in' : (/^(=|\w+)/.exec(one)?.[0] ?? '');
  const same = kinds.filter((one) => topic(one) === topic(kind));
  return same.length > 0 ? same : kinds;
}

function compareHeaders(ours: Facts, theirs: Facts, differ: Differ): void {
  for (const [place, kinds] of Object.entries(ours)) {
    if (!place.startsWith('header ')) continue;
    const said = theirs[place];
    if (said === undefined || !said.some((kind) => kinds.includes(kind))) differ(place, words(said), words(kinds));
  }
}

// Of these kinds a client depends on which one it is.
const exact = ['instant', 'epoch', 'uuid', 'url', 'digits'];
const spoken = [...exact, 'text', 'int', 'number'];

/** Where no schema decides: the order of lists, numbers of the contract, codes of errors, forms of texts. */
function compareKinds(ours: Facts, theirs: Facts, differ: Differ): void {
  for (const [place, kinds] of Object.entries(theirs)) {
    const known = ours[place];
    const other = kinds.find((kind) => known?.includes(kind) === false);
    if (known === undefined || other === undefined) continue;
    const isContract =
      place.startsWith('order ') || kinds.some((kind) => kind.startsWith('=')) || place.endsWith('/code');
    const isForm = known.every((kind) => exact.includes(kind)) && kinds.every((kind) => spoken.includes(kind));
    if (isContract || isForm) differ(place, other, words(known));
  }
}

function compareWithSchema(theirs: Facts, bodies: readonly Schema[], schemas: Tree, differ: Differ): void {
  const at = new Map<string, Schema[]>([['', bodies.flatMap((one) => alternatives(one, schemas))]]);
  // Parents come before what is in them.
  for (const [place, kinds] of Object.entries(theirs).sort(([a], [b]) => a.length - b.length)) {
    if (!place.startsWith('/')) continue;
    const pointer = place === '/' ? '' : place;
    const allowed = schemasAt(pointer, at, schemas);
    // Nothing is said of what may be anything, or lies in what differs itself.
    if (allowed === undefined || allowed.some(isFree)) continue;
    if (allowed.length === 0) {
      differ(place, words(kinds), nothing);
      continue;
    }
    const other = kinds.find((kind) => !allowed.some((schema) => allows(schema, kind)));
    if (other !== undefined) differ(place, other, words([...new Set(allowed.map(kindOfSchema))]));
    if (!kinds.includes('object')) continue;
    for (const name of required(allowed))
      if (theirs[`${pointer}/${pointerStep(name)}`] === undefined) {
        const own = schemasAt(`${pointer}/${pointerStep(name)}`, at, schemas) ?? [];
        differ(`${pointer}/${pointerStep(name)}`, nothing, words([...new Set(own.map(kindOfSchema))]));
      }
  }
}

/** The schemas of a place, which lie in those of its parent; undefined: its parent is none of the document's. */
function schemasAt(pointer: string, at: Map<string, Schema[]>, schemas: Tree): Schema[] | undefined {
  const known = at.get(pointer);
  if (known !== undefined) return known;
  const cut = pointer.lastIndexOf('/');
  const parents = schemasAt(pointer.slice(0, cut), at, schemas);
  if (parents === undefined || (parents.length === 0 && cut >= 0)) return undefined;
  const name = pointer
    .slice(cut + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');
  const own = parents.flatMap(({ properties, additionalProperties, items }): Schema[] => {
    if (name === '*' && isTree(items)) return [items];
    if (isTree(properties) && isTree(properties[name])) return [properties[name]];
    if (additionalProperties === false || (isTree(properties) && additionalProperties === undefined)) return [];
    return [isTree(additionalProperties) ? additionalProperties : {}];
  });
  const found = own.flatMap((one) => alternatives(one, schemas));
  at.set(pointer, found);
  return found;
}

/** What all forms of an object require. */
function required(forms: readonly Schema[]): string[] {
  const lists = forms
    .filter(({ type, properties }) => type === 'object' || properties !== undefined)
    .map((one) => (Array.isArray(one.required) ? (one.required as string[]) : []));
  return (lists[0] ?? []).filter((name) => lists.every((one) => one.includes(name)));
}

/** A schema without references, as the forms of which a value has one. */
function alternatives(schema: Schema, schemas: Tree, depth = 0): Schema[] {
  if (depth > 20) return [{}];
  const inner = (list: readonly unknown[]): Schema[] =>
    list.flatMap((one) => (isTree(one) ? alternatives(one, schemas, depth + 1) : []));
  if (typeof schema.$ref === 'string') return inner([schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}]);
  const several = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(several)) return inner(several);
  if (Array.isArray(schema.allOf)) {
    const parts = inner(schema.allOf);
    const properties = Object.assign({}, ...parts.map((one) => one.properties));
    const names = parts.flatMap((one) => (Array.isArray(one.required) ? (one.required as string[]) : []));
    return [{ type: 'object', properties, required: names }];
  }
  return Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : [schema];
}

const isFree = ({ type, const: one, enum: several, properties }: Schema): boolean =>
  type === undefined && one === undefined && several === undefined && properties === undefined;

const isNumber = (kind: string): boolean => ['int', 'number', 'epoch'].includes(kind) || kind.startsWith('=');

/** Whether a value of this kind may conform. */
function allows(schema: Schema, kind: string): boolean {
  const { type, format } = schema;
  const values = schema.const === undefined ? schema.enum : [schema.const];
  if (Array.isArray(values) && kind.startsWith('"')) return values.includes(JSON.parse(kind));
  const [one] = Array.isArray(values) ? values : [];
  const of = type ?? (one === null ? 'null' : one === undefined ? 'object' : typeof one);
  if (of === 'null') return kind === 'null';
  if (of === 'array') return kind === 'list';
  if (of === 'object') return kind === 'object';
  if (of === 'boolean') return kind === 'bool';
  if (of === 'integer') return isNumber(kind) && kind !== 'number' && !kind.includes('.');
  if (of === 'number') return isNumber(kind) && !/^="/.test(kind);
  if (['null', 'list', 'object', 'bool', 'int', 'number'].includes(kind)) return false;
  if (format === 'date-time') return kind === 'instant';
  return format === 'uuid' ? kind === 'uuid' : true;
}

function kindOfSchema(schema: Schema): string {
  const values = schema.const === undefined ? schema.enum : [schema.const];
  if (Array.isArray(values)) return values.map((one) => JSON.stringify(one)).join(' or ');
  const formats: Record<string, string> = { 'date-time': 'instant', uuid: 'uuid', uri: 'url' };
  return formats[String(schema.format)] ?? (schema.type === undefined ? 'object' : String(schema.type));
}
