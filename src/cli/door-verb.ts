// A verb that is a client of a door: words, arguments and flags come from the door's declaration.

import type { ControlEndpoint } from '../controls/door.js';
import { controlEndpoints } from '../controls/endpoints.js';
import type { Tree } from '../kernel/tree.js';
import { createClient, Declined, findTarget, problemText, queryOf } from './client.js';
import { readDocument } from './document.js';
import { type Field, fieldsOf, flagOf, inputOf, type Naming } from './fields.js';
import { fail, printJson, printLine } from './print.js';
import { show } from './show.js';
import { type Arg, type Flag, target, targetOptions, text, type Values, type Verb } from './verb.js';

export interface DoorVerb extends Naming {
  /** The id of the door. */
  door: string;
  /** Its words, then its arguments: `<name>`, or `[name]` where it may be left out. */
  line: string;
  bare?: true;
  /** Without it what the door says of itself. */
  describe?: string;
  examples: Verb['examples'];
  /** The argument that is a whole body as JSON, or the name of its file; flags are laid over it. */
  document?: string;
  /** Values of fields that nobody named. */
  presets?: Record<string, string>;
  /** What a person is shown of each entry of a list. */
  columns?: string;
  /** A refusal tells what was seen: it is printed in place of an answer. */
  showsRefusal?: true;
  /** Flags that are the verb's own. */
  flags?: Record<string, Flag>;
  /** Prints an answer in another way than `show` does; with --json only where it says so. */
  print?: (answer: Tree, values: Values) => void;
}

const patienceMs = 60_000;
// An await may hold its answer back for ten minutes.
const awaitMs = 660_000;

/** The verb of a door. */
export function doorVerb(spec: DoorVerb): Verb {
  const endpoint = doorOf(spec.door);
  const [words = '', named = []] = splitLine(spec.line);
  const presets = spec.presets ?? {};
  let known: Field[] | undefined;
  const fields = (): Field[] => {
    known ??= fieldsOf(endpoint, spec);
    return known;
  };
  const isArg = ({ name }: Field): boolean => named.some((arg) => arg.name === name);
  return {
    words,
    door: spec.door,
    ...(spec.bare === true && { bare: true }),
    describe: spec.describe ?? endpoint.summary,
    get args() {
      return named.map((arg) => {
        const describe = fields().find(({ name }) => name === arg.name)?.describe;
        return {
          ...arg,
          describe: arg.name === spec.document ? 'JSON, its file, or - for what is piped in' : (describe ?? ''),
        };
      });
    },
    get flags() {
      const entries = fields().filter((field) => !isArg(field));
      const own = entries.map((field): [string, Flag] => {
        const preset = presets[field.name];
        return [field.name, { ...flagOf(field), ...(preset !== undefined && { default: preset }) }];
      });
      return { ...Object.fromEntries(own), ...spec.flags, ...target };
    },
    examples: spec.examples,
    run: (values) => runDoor({ spec, endpoint, fields: fields(), isArg }, values),
  };
}

interface Run {
  spec: DoorVerb;
  endpoint: ControlEndpoint;
  fields: Field[];
  isArg: (field: Field) => boolean;
}

async function runDoor({ spec, endpoint, fields, isArg }: Run, values: Values): Promise<void> {
  const given = spec.document === undefined ? undefined : text(values, spec.document);
  const document = given === undefined ? undefined : readDocument(given);
  const { params, query, body } = inputOf(fields, values, document);
  const options = targetOptions(values);
  const client = createClient(findTarget(options), spec.showsRefusal === true ? awaitMs : patienceMs);
  const content = endpoint.body === undefined ? undefined : (body ?? (endpoint.bodyOptional === true ? undefined : {}));
  const nameOf = (path: string): string => (document === undefined ? nameIn(fields, isArg, path) : path);
  let answer: Tree;
  try {
    answer = await client.call(endpoint.method, pathOf(endpoint, params) + queryOf(query), content);
  } catch (error) {
    if (!(error instanceof Declined)) throw error;
    if (spec.showsRefusal === true && (error.status === 408 || error.status === 409))
      printAnswer(error.details as Tree, spec, values);
    const words = problemText(error.details, nameOf) ?? error.message;
    return fail(
      error.exitCode,
      words.replace(/`(\w+)`/g, (_, name: string) => `\`${nameOf(name)}\``),
    );
  }
  printAnswer(answer, spec, values);
}

function printAnswer(answer: Tree, { print, columns }: DoorVerb, values: Values): void {
  if (print !== undefined) print(answer, values);
  else if (values.json === true) printJson(answer);
  else printLine(show(answer, columns?.split(' ')));
}

/** Where a door stands below /_emulator, its parameters filled in. */
export function pathOf({ path }: ControlEndpoint, params: Record<string, string> = {}): string {
  return path
    .slice('/_emulator'.length)
    .replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

// What the person knows the field of a problem as; of several, all.
function nameIn(fields: readonly Field[], isArg: (field: Field) => boolean, path: string): string {
  const written = (field: Field): string => (isArg(field) ? `<${field.name}>` : `--${field.name}`);
  const placeOf = ({ place, path: steps }: Field): string =>
    [...(place === 'body' ? [] : [place === 'params' ? 'path' : place]), ...steps].join('.');
  const found = fields.find((field) => path === placeOf(field) || path.startsWith(`${placeOf(field)}.`));
  if (found !== undefined) return written(found) + path.slice(placeOf(found).length).replace(/^\./, ' ');
  const inside = fields.filter((field) => placeOf(field).startsWith(`${path}.`));
  return inside.length === 0 ? path : `One of ${inside.map(written).join(', ')}`;
}

function doorOf(id: string): ControlEndpoint {
  const found = controlEndpoints.find((endpoint) => endpoint.id === id);
  if (found === undefined) throw new Error(`There is no door ${id}`);
  return found;
}

function splitLine(line: string): [words: string, args: Omit<Arg, 'describe'>[]] {
  const parts = line.split(' ');
  const isWord = (part: string): boolean => /^[a-z]/.test(part);
  const args = parts.filter((part) => !isWord(part));
  return [
    parts.filter(isWord).join(' '),
    args.map((arg) => ({ name: arg.slice(1, -1), required: arg.startsWith('<') })),
  ];
}
