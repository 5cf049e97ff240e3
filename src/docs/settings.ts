// The reference page of the settings: every path, its type, its default, its meaning.

import { flags } from '../config/flags.js';
import { readJsonFile } from '../config/json-file.js';
import { configJsonSchema } from '../config/json-schema.js';
import { optionsOnly, startOnly } from '../config/of-process.js';
import { configSchema } from '../config/schema.js';
import { formatDuration } from '../core/duration.js';
import { fixturePath } from '../core/files.js';
import { isTree, readPath, type Tree } from '../core/tree.js';
import { type JsonSchema, leaves, typeText } from './fields.js';
import { code, contents, page, prose, table } from './markdown.js';

const profile = 'elizacloud';
const earlier = 'elizacloud-v1';

/** `docs/reference/settings.md` */
export function settingsPage(): string {
  const { properties = {} } = configJsonSchema() as JsonSchema;
  const defaults = configSchema.parse({}) as Tree;
  const overlay = overlayOf(profile);
  const changed = overlayOf(earlier);
  const rowsOf = (name: string, schema: JsonSchema): string[][] =>
    leaves({ properties: { [name]: schema } }).map(({ path, schema: field }) => [
      code(path),
      isDuration(field) ? 'duration' : typeText(field),
      valueText(readPath(defaults, path), field) + overlaid(overlay, changed, path, field),
      prose(field.description ?? ''),
    ]);
  const head = ['Setting', 'Type', 'Default', 'Meaning'];
  const sections = Object.entries(properties).filter(([, schema]) => schema.properties !== undefined);
  const single = Object.entries(properties).filter(([, schema]) => schema.properties === undefined);
  return page(
    'Settings',
    `The settings file is \`emulator.config.json\` in the working directory, or in the nearest directory above that has one
(\`--config\` names another one). Relative paths in it count from its directory.
\`cloudemu init\` writes one, \`cloudemu config check\` checks it, and \`cloudemu config show\` prints what is in force.
For completion in an editor, begin the file with \`"$schema": "./node_modules/cloudemu/fixtures/config.schema.json"\`.`,
    `Every setting also has an environment variable: \`containers.timing\` is \`CLOUDEMU_CONTAINERS_TIMING\`. Objects and
lists are written there as JSON. \`createEmulator\` reads the same file and variables, and takes the same sections as
options. A flag or an option overrides the environment, the environment overrides the file, the file overrides the
profile, the profile overrides the defaults.`,
    `A running emulator takes a changed file, except for these settings, which need a new start:
${listed(startOnly)}.`,
    `An emulator in a process has its own address and data. It takes these settings from its options alone:
${listed(Object.keys(optionsOnly))}.`,
    `A duration is a text such as \`"90s"\`, \`"10m"\` or \`"1h30m"\`, or a number of milliseconds. Where the profile
\`${profile}\` has another value, it is in brackets, and after it that of \`${earlier}\` where this one differs again.`,
    contents([...sections.map(([name]) => name), 'Other settings', 'Settings with a flag']),
    ...sections.flatMap(([name, schema]) => [
      `## ${name}`,
      schema.description === undefined ? '' : `${prose(schema.description)}.`,
      table(head, rowsOf(name, schema)),
    ]),
    '## Other settings',
    table(
      head,
      single.flatMap(([name, schema]) => rowsOf(name, schema)),
    ),
    '## Settings with a flag',
    `\`cloudemu start\` takes these flags, and \`createEmulator\` takes options of the same names in camelCase.`,
    table(
      ['Flag', 'Setting', 'Default', 'Meaning'],
      Object.entries(flags).map(([name, { path, byDefault, describe }]) => [
        code(`--${name}`),
        code(path),
        prose(byDefault),
        prose(describe),
      ]),
    ),
  );
}

/** Names in a sentence. */
function listed(names: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(names.map(code));
}

function isDuration({ type }: JsonSchema): boolean {
  return Array.isArray(type) && type.join() === 'string,number';
}

function valueText(value: unknown, schema: JsonSchema): string {
  if (value === undefined) return '';
  return code(isDuration(schema) && typeof value === 'number' ? formatDuration(value) : JSON.stringify(value));
}

function overlayOf(name: string): Tree {
  const reading = readJsonFile(fixturePath('profiles', `${name}.json`));
  return 'value' in reading && isTree(reading.value) ? reading.value : {};
}

function overlaid(overlay: Tree, changed: Tree, path: string, schema: JsonSchema): string {
  const [value, other] = [overlay, changed].map((tree) => readPath(tree, path));
  const text = (of: unknown): string => code(typeof of === 'string' && isDuration(schema) ? of : JSON.stringify(of));
  const parts = value === undefined ? [] : [text(value)];
  // A setting that the other profile leaves out has its default there.
  if (JSON.stringify(value) !== JSON.stringify(other))
    parts.push(`${earlier}: ${other === undefined ? 'the default' : text(other)}`);
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`;
}
