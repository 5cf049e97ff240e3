// A command that calls a control operation: words, arguments and flags come from the operation's declaration.

import { controlOperations } from '../app/controls.js';
import type { CommandDeclaration } from '../control/command.js';
import type { ControlOperation } from '../control/operation.js';
import { noSuch } from '../control/options.js';
import { keysAt } from '../core/schema-parts.js';
import { isTree, type Tree } from '../core/tree.js';
import { createClient, queryOf } from './client.js';
import { type Arg, type Command, type Flag, target, text, type Values, type ValuesOf } from './command.js';
import { markUntrusted, readDocument } from './document.js';
import type { ErrorFacts } from './error-document.js';
import { type Field, fieldsOf, inputOf } from './fields.js';
import { ownLine, statusPart } from './layout.js';
import { declinedFacts, declinedLines, nameIn } from './mistakes.js';
import { namedWorld, ofCheckout } from './owned-worlds.js';
import { endWithReader, fail, note, type Part, printJson, printLine, printLines } from './print.js';
import { type Printer, printers } from './printers.js';
import { Declined, Unreachable } from './refusal.js';
import { inline, show } from './show.js';
import { byDefault, findTarget } from './target.js';

const shortMs = 3_000;
const patienceMs = 60_000;
// An await may hold its answer back for ten minutes.
const awaitMs = 660_000;

/** The commands of all control operations. */
export function operationCommands(): Command[] {
  return controlOperations.flatMap((operation) => operation.commands.map((spec) => operationCommand(operation, spec)));
}

function operationCommand(operation: ControlOperation, spec: CommandDeclaration): Command {
  const [words = '', named = []] = splitLine(spec.line);
  const isArg = ({ name }: Field): boolean => named.some((arg) => arg.name === name);
  let known: TypedField[] | undefined;
  const fields = (): TypedField[] => {
    known ??= fieldsOf(operation, spec).map((field) => ({ ...field, isArg: isArg(field) }));
    return known;
  };
  return {
    words,
    operation: operation.id,
    ...((spec.bare === true || words.endsWith(' list')) && { bare: true }),
    ...(spec.valueIs !== undefined && { valueIs: spec.valueIs }),
    describe: spec.describe ?? operation.summary,
    get args() {
      return named.map((arg) => {
        const { flag, least } = fields().find(({ name }) => name === arg.name) ?? {};
        const { describe = '', meant, isDuration } = flag ?? {};
        const isDocument = arg.name === spec.document;
        const said = isDocument ? 'JSON, a file, or - to read standard input' : describe;
        return { ...arg, meant, isDuration, least, describe: said };
      });
    },
    get flags() {
      const entries = fields().filter((field) => !field.isArg);
      const own = entries.map(({ name, path, flag, ...field }): [string, Flag] => {
        const preset = spec.presets?.[name];
        const isMade = name in (spec.makes ?? {});
        // A document may contain it, too.
        const isRequired = field.isRequired || spec.requires?.includes(path.join('.')) === true;
        const isNeeded = isRequired && !isMade && spec.document === undefined && preset === undefined;
        const describe = isNeeded ? `${flag.describe}; required` : flag.describe;
        return [name, { ...flag, describe, default: preset, byDefault: isMade ? 'a new one' : flag.byDefault }];
      });
      return { ...Object.fromEntries(own), ...spec.flags, ...target };
    },
    examples: spec.examples,
    run: (values) => runOperation(operation, spec, fields(), values),
  };
}

type Client = ReturnType<typeof createClient>;

type TypedField = Field & { isArg: boolean };

async function runOperation(
  operation: ControlOperation,
  spec: CommandDeclaration,
  fields: readonly TypedField[],
  values: Values,
): Promise<void> {
  const given = spec.document === undefined ? undefined : text(values, spec.document);
  const isWord = spec.wordIs !== undefined && given !== undefined && !/^\s*\{|^-$|\.json$/.test(given);
  const document = given === undefined || isWord ? undefined : readDocument(given);
  const said = isWord ? { [spec.wordIs ?? '']: given, ...values } : values;
  const { params, query, body } = inputOf(fields, said, document);
  if (spec.needs !== undefined && body === undefined) fail(2, spec.needs);
  const options = values as ValuesOf<typeof target>;
  const { needsNone = false, showsRefusal = false } = spec;
  const print = spec.prints === undefined ? plainly(spec) : printers[spec.prints];
  // What concerns the worlds themselves concerns the emulator.
  const isOfWorlds = /^\/(worlds(\/|$)|w\/)/.test(operation.shape.path);
  const where = await findTarget(options, isOfWorlds ? 'emulator' : needsNone ? 'either' : 'world');
  const client = createClient(where, showsRefusal ? awaitMs : needsNone ? shortMs : patienceMs);
  const wanted =
    operation.body === undefined ? undefined : (body ?? (operation.bodyOptional === true ? undefined : {}));
  const content = where.isShared && operation.id === 'control.worlds.open' ? { ...ofCheckout(), ...wanted } : wanted;
  // Beside a document only what was typed has another name than there.
  const beside = fields.filter(({ name }) => values[name] !== undefined);
  const whole = document === undefined ? splitLine(spec.line)[0] : 'the document';
  const nameOf = (path: string): string => {
    const known = document === undefined ? fields : beside.filter((field) => field.path.join('.') === path);
    const name = nameIn(known, path);
    return name === 'body' ? whole : name;
  };
  for (const [name, make] of Object.entries(spec.makes ?? {})) params[name] ??= make(body ?? {});
  // The world itself is the thing that is named.
  if (where.isShared && operation.shape.path.startsWith('/w/')) await namedWorld(where, params.id ?? '');
  const path = pathOf(operation, params) + queryOf(query);
  const { schema } = operation.responses[operation.created ? 201 : 200] ?? {};
  const known = schema === undefined ? [] : keysAt(schema, []);
  const ask = (target: Client): Promise<Tree> => target.call(operation.method, path, content, known);
  // Starts an emulator for the question when none answers and no particular one was meant.
  const askStandby = async (error: unknown): Promise<Tree> => {
    const isNamed = [options.url, options['data-dir'], options.token, options.world].some((one) => one !== undefined);
    if (!needsNone || isNamed || !(error instanceof Unreachable)) throw error;
    const { withStandby } = await import('./standby.js');
    // CLOUDEMU_URL names one, which may have other settings.
    if (where.from !== byDefault)
      note(
        `note: ${error.message} Instead of it, an emulator of the moment answers, with the settings of this directory.`,
      );
    return withStandby((target) => ask(createClient(target)));
  };
  try {
    // A request for health shows at once whether an emulator is there, however long the answer may take.
    if (operation.shape.streams || showsRefusal) await createClient(where).health();
    if (operation.shape.streams) return await follow(client, path, options.json, spec.untrusted);
    const result = await ask(client).catch(askStandby);
    const marked = options.json && spec.untrusted !== undefined ? markUntrusted(result, spec.untrusted) : result;
    print(marked, values);
  } catch (error) {
    if (!(error instanceof Declined)) throw error;
    const isOver = error.status === 408 || error.status === 409;
    const seen = showsRefusal && isOver && isTree(error.details) ? error.details : undefined;
    // A program finds it in the document of the error.
    if (seen !== undefined && !options.json) print(seen, values);
    const said = declinedLines(error, nameOf);
    const facts = declinedFacts(error, nameOf, process.argv.slice(2));
    if (error.status !== 404) return fail(error.exitCode, said, { ...facts, beside: seen });
    const names = beside.map(({ name }) => name);
    return failWithWayOut(operation, said, { ...namedBy(params), ...facts }, names);
  }
}

function plainly({ columns }: CommandDeclaration): Printer {
  return (answer, { json }) => (json === true ? printJson(answer) : printLines(show(answer, columns?.split(' '))));
}

// The path with its parameters filled in. That of another operation names nothing: the request "stream" would be the stream
// of all requests, which never ends.
function pathOf(operation: ControlOperation, params: Record<string, string> = {}): string {
  const { method, shape } = operation;
  const path = shape.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const isOther = controlOperations.some((other) => other.method === method && other.shape.path === path);
  if (path === shape.path || !isOther) return path;
  const { message } = noSuch(`thing with the ${Object.keys(params)[0]}`, Object.values(params)[0]);
  return failWithWayOut(operation, [message], { code: 'NOT_FOUND', ...namedBy(params) });
}

function namedBy(params: Record<string, string>): Pick<ErrorFacts, 'field' | 'received'> {
  const [[name, received] = []] = Object.entries(params);
  return { field: name === undefined ? undefined : `<${name}>`, received };
}

// Names the commands that list the things of which one is not there: those that were typed by name, or the operation's own.
function failWithWayOut(
  { id }: ControlOperation,
  said: readonly string[],
  facts: ErrorFacts,
  typed: readonly string[] = [],
): never {
  const listOf = (noun: string): string[] => {
    const ids = [`control.${noun}.list`, `control.${noun}`];
    return controlOperations.flatMap((one) => (ids.includes(one.id) ? (one.commands[0]?.line ?? []) : []));
  };
  const named = typed.flatMap((name) => listOf(`${name.replace(/-id$/, '')}s`));
  const lists = named.length > 0 ? named : listOf(id.split('.')[1] ?? '');
  const hint = lists.map((line) => `\`cloudemu ${line}\``).join(' or ');
  const told = said.map((line, i) => (i === 0 && hint !== '' ? `${line} (${hint} shows them)` : line));
  return fail(1, told, { ...facts, next: lists.map((line) => line.split(' ')) });
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

// Follows a control operation that streams: prints one line per item until Ctrl-C.

/**
 * Prints one line per item of a stream, until it is interrupted; exits with code 0 when the reader of the output is gone.
 *
 * @throws Unreachable when the emulator ends it
 */
async function follow(client: Client, path: string, json = false, untrusted?: string): Promise<void> {
  endWithReader();
  for await (const text of client.follow(path)) {
    const told = JSON.parse(text) as Tree;
    if (json) printJson(untrusted === undefined ? told : markUntrusted(told, untrusted));
    else printLine(ownLine(partsOf(told)));
  }
  throw new Unreachable('The emulator has ended the stream.');
}

// Events wrap what they tell: `{type, data}`.
function partsOf(told: Tree): Part[] {
  const { type } = told;
  const thing = isTree(told.data) ? told.data : told;
  const kind = type ?? thing.kind;
  if (kind === 'request') {
    const { at, status, method, path, operation, durationMs, fault } = thing;
    const asked = `${inline(method)} ${inline(path)}`;
    const about = [inline(operation), inline(durationMs, 'durationMs'), ...(fault === null ? [] : [inline(fault)])];
    const answered = statusPart(inline(status));
    return [`${inline(at, 'at')}  request  `, answered, ['', asked, ...about].join('  ')];
  }
  const { at, now, kind: _, seq: __, wall: ___, ...rest } = thing;
  // Changes have no instant and no kind of their own.
  const instant = at ?? now;
  const first = [
    ...(instant === undefined ? [] : [inline(instant, 'at')]),
    ...(kind === undefined ? [] : [inline(kind)]),
  ];
  return [[...first, inline(rest)].join('  ')];
}
