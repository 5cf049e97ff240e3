// The control operations as they are declared: their requests, and the command lines that do the same.

import { operations } from 'page-operations';
import { request, worldId } from './api.js';
import { shellQuoted } from './text.js';

/** The values of an operation, by the paths of its fields: `{ id: 'blue', 'clock.frozen': true }`. */
export type Input = Readonly<Record<string, unknown>>;

export function operationOf(id: string) {
  const operation = operations[id];
  if (operation === undefined) throw new Error(`no operation is called ${id}`);
  return operation;
}

/** The body of its request: `{ 'match.path': '/x' }` is `{ match: { path: '/x' } }`. */
function bodyOf(id: string, input: Input): Record<string, unknown> {
  const { path, fields } = operationOf(id);
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    const field = fields.find((one) => one.path === name);
    if (value === undefined || path.includes(`{${name}}`) || field?.place === 'query') continue;
    const [first = '', second] = name.split('.');
    body[first] = second === undefined ? value : { ...(body[first] as object), [second]: value };
  }
  return body;
}

/** Does it, in the page's world or in another one. */
export function call<Result>(id: string, input: Input = {}, world?: string): Promise<Result> {
  const { method, path, fields } = operationOf(id);
  const query = Object.fromEntries(
    fields.flatMap(({ path: name, place }) => (place === 'query' ? [[name, input[name]]] : [])),
  );
  const where = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])));
  return request<Result>(method, where, { query, world, ...(method === 'POST' && { body: bodyOf(id, input) }) });
}

/** The flag that names a world, after a blank; the default world needs none. */
export const flagOfWorld = (id: string): string => (id === 'default' ? '' : ` --world ${id}`);

const { command, target: named } = document.documentElement.dataset;

/** How the program is called where its emulator was started. */
export const program = command ?? 'cloudemu';

/** The flags that name this emulator where it was started, each after a blank. */
export const target = named === undefined ? '' : ` ${named}`;

/** A command, given without `cloudemu`, as it is typed into a shell. */
export function commandLine(words: string, world = flagOfWorld(worldId)): string {
  return `${program} ${words}${target}${world}`;
}

/** The command that does the same as an operation with this input. */
export function commandOf(id: string, input: Input, world?: string): string {
  const { line, document, path, fields } = operationOf(id);
  const wordsOf = (value: unknown): string =>
    shellQuoted(typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value) : String(value));
  const words = line.split(' ').flatMap((word) => {
    const name = /^\W(.*)\W$/.exec(word)?.[1];
    if (name === undefined) return word;
    if (name === document) return wordsOf(bodyOf(id, input));
    const value = input[fields.find((field) => field.name === name)?.path ?? ''];
    return value === undefined ? (word.startsWith('<') ? word : []) : wordsOf(value);
  });
  const flags = fields.flatMap(({ name, path: key }) => {
    const value = input[key];
    if (value === undefined || document !== undefined || new RegExp(`[<[]${name}\\W`).test(line)) return [];
    return value === true ? `--${name}` : `--${name} ${wordsOf(value)}`;
  });
  // What concerns the worlds themselves names its own.
  return commandLine([...words, ...flags].join(' '), /^\/w(orlds)?\b/.test(path) ? '' : world);
}
