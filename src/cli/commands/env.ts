// `cloudemu env`: what the client needs to know, as variables of a shell or a file, and nothing else on stdout.

import { loadConfig } from '../../config/load.js';
import { clientVariables } from '../../config/names.js';
import { type Config, configSchema } from '../../config/schema.js';
import { filesIn, fixturePath, readText } from '../../core/files.js';
import { hashSecret } from '../../core/random.js';
import { configFileName } from '../../core/root.js';
import type { Tree } from '../../core/tree.js';
import { asTyped } from '../../core/typed-command.js';
import type { WorldInfo } from '../../tools/worlds/request.js';
import { outdatedIn, worldSettingsHere } from '../checkout-settings.js';
import { createClient } from '../client.js';
import { command, sharedFlag, target, type ValuesOf } from '../command.js';
import {
  type Checkout,
  checkoutHere,
  namedWorld,
  nameOfCheckout,
  ofCheckout,
  worldFor,
  worldIdsOf,
} from '../owned-worlds.js';
import { fail, note, printJson, printLine, stdoutScreen } from '../print.js';
import { Declined } from '../refusal.js';
import { sharedRun } from '../shared.js';
import { findTarget, inWorld, type Target, type TargetOptions } from '../target.js';

interface Format {
  /** The line that sets a variable. */
  line: (name: string, value: string) => string;
  /** How a person uses what is printed. */
  use: string;
}

/** Each value is quoted so that it arrives as it is. */
export const envFormats = {
  sh: {
    line: (name, value) => `export ${name}='${value.replaceAll("'", "'\\''")}'`,
    use: 'eval "$(cloudemu env)"',
  },
  fish: {
    line: (name, value) => `set -gx ${name} '${value.replace(/[\\']/g, '\\$&')}'`,
    use: '`cloudemu env --format fish | source`',
  },
  powershell: {
    // PowerShell takes typographic quotes for plain ones.
    line: (name, value) => `$env:${name} = '${value.replace(/['‘’‚‛]/g, '$&$&')}'`,
    use: '`cloudemu env --format powershell | Invoke-Expression`',
  },
  dotenv: { line: (name, value) => `${name}=${dotenvValue(value)}`, use: '`cloudemu env --format dotenv > .env`' },
  github: { line: (name, value) => `${name}=${value}`, use: '`cloudemu env --format github >> "$GITHUB_ENV"`' },
} as const satisfies Record<string, Format>;

// Parsers differ in what they make of `#` and `$` outside of quotes, and none knows an escaped quote.
function dotenvValue(value: string): string {
  if (/^[\w.:/@%+,=~-]*$/.test(value)) return value;
  return value.includes("'") ? `"${value}"` : `'${value}'`;
}

const flags = {
  format: {
    type: 'string',
    default: 'sh',
    choices: [...Object.keys(envFormats), 'json'],
    describe: 'Syntax: of a shell (sh, fish, powershell) or a file (dotenv, json, github for $GITHUB_ENV)',
  },
  ...sharedFlag,
  ...target,
} as const;

export const envCommand = command({
  words: 'env',
  valueIs: 'format',
  describe: 'Print the variables for your client: base URL and test key',
  flags,
  examples: [
    ...Object.entries(envFormats).map(([name, { use }]): [string, string] => [
      name === 'sh' ? 'env' : `env --format ${name}`,
      `to use it: ${use}`,
    ]),
    [
      'env --world second',
      'another world for this directory, such as for a second agent, where the emulator is shared',
    ],
  ],
  run: env,
});

/** Prints the base URL and the test key under the names that the profile gives them. */
async function env(options: ValuesOf<typeof flags>): Promise<void> {
  const { own: target, env: ownNames } = await worldForEnv(options);
  const client = createClient(target);
  await demandSame(target);
  const [{ env, profile }, [key]] = await Promise.all([client.config(), client.keys()]);
  const names = ownNames ?? env;
  const variables: Record<string, string> = {};
  for (const name of names.baseUrl) variables[name] = target.url;
  for (const name of names.apiKey) variables[name] = key?.apiKey ?? '';
  if (options.json || options.format === 'json') return printJson(variables);
  demandKnown(Object.keys(variables), target.url);
  demandPlain(variables, target.url);
  const { line, use } = envFormats[options.format as keyof typeof envFormats];
  for (const [name, value] of Object.entries(variables)) printLine(line(name, value));
  if (stdoutScreen().isTerminal) note(`# of the profile ${profile}; to use them: ${asTyped(use).replaceAll('`', '')}`);
}

// In the shared emulator this directory gets its world; where both run, that of the directory is meant.
async function worldForEnv(options: TargetOptions): Promise<{ own: Target; env?: Config['env'] | undefined }> {
  const target = await findTarget(options, 'emulator');
  if (target.isShared) return makeOwnWorld(target, options.world);
  const shared = target.isNamed ? undefined : sharedRun();
  if (shared !== undefined && target.run !== undefined)
    note(
      `note: this is the emulator of this directory, ${target.run.identity?.root ?? ''}; the shared one at ${shared.url} is not used (--shared uses it)`,
    );
  return { own: target };
}

// A directory, and so its run file, may be a stranger's, and its URL anything: the emulator that wrote it knows its instance.
async function demandSame(target: Target): Promise<void> {
  const { run, local, from } = target;
  if (run === undefined) return;
  const { instance } = await createClient(target).health();
  if (run.instance === instance) return;
  fail(
    1,
    `${local} answers, but not as the emulator of ${from}, which is another one's or out of date. \`cloudemu start\` runs one here; --url names another.`,
    { code: 'FOREIGN_EMULATOR', next: [['status', '--url', local]] },
  );
}

// A server at a URL may be anything, and some variables make programs run what they hold (NODE_OPTIONS, BASH_ENV).
function demandKnown(names: readonly string[], url: string): void {
  const known = new Set([...ownNames(), ...filesIn(fixturePath('profiles')).flatMap(profileNames)]);
  const foreign = names.find((name) => !known.has(name));
  if (foreign === undefined) return;
  fail(
    1,
    `The server at ${url} names the variable ${JSON.stringify(foreign)}, which no shipped profile has and no settings here: if it is right, name it in the setting env of ${configFileName}`,
  );
}

function profileNames(file: string): string[] {
  const { env = {} } = JSON.parse(readText(fixturePath('profiles', file))) as { env?: Record<string, string[]> };
  return Object.values(env).flat();
}

// Those of the settings here, and the usual ones, which the profile "spec" leaves as they are.
function ownNames(): string[] {
  const usual = Object.values(configSchema.parse({}).env).flat();
  try {
    return [...usual, ...Object.values(loadConfig({ env: process.env }).config.env).flat()];
  } catch {
    return usual;
  }
}

// A shell runs what is printed, and what answers at a URL may be anything. URLs and keys need no other signs.
function demandPlain(variables: Record<string, string>, url: string): void {
  for (const [name, value] of Object.entries(variables)) {
    if (clientVariables.test(name) && /^[\w.~:/[\]-]*$/.test(value)) continue;
    fail(1, `The server at ${url} returns a variable that no shell can hold: ${JSON.stringify({ [name]: value })}`);
  }
}

// Makes the world of this directory in a shared emulator, or finds it.

/**
 * The shared emulator with the world of this directory and its branch, or with the one that is named; it is made if it is
 * not there.
 *
 * @throws Refused when the named one is another directory's
 */
async function makeOwnWorld(target: Target, named: string | undefined) {
  const here = checkoutHere();
  const client = createClient(target, patienceMs);
  const { settings, beginning, env } = worldSettingsHere(await client.config());
  const known = named === undefined ? await worldFor(target, here) : await namedWorld(target, named);
  const ids = named === undefined ? worldIdsOf(here) : [named];
  const world = known ?? (await makeOne(target, here, ids, beginning));
  const done = known === undefined ? 'made the world' : 'this is the world';
  note(`note: ${done} ${world.id} of ${nameOfCheckout(world)}, in the shared emulator at ${target.url}`);
  if (known !== undefined && named !== undefined && world.root !== null && world.branch !== (here.branch ?? null))
    note(`note: it was made on another branch; now it is ${here.branch ?? 'none'}`);
  const own = inWorld(target, world.id);
  if (known !== undefined) {
    const outdated = outdatedIn(settings, await createClient(own).config());
    if (outdated.length > 0)
      note(
        `note: the settings of this directory have changed since the world was made (${outdated.join(', ')}): \`cloudemu world drop ${world.id}\` and then \`cloudemu env\` make it anew`,
      );
  }
  return { own, env };
}

// The same request gets the same world, also where two commands come at once.
async function makeOne(target: Target, here: Checkout, ids: readonly string[], beginning: Tree): Promise<WorldInfo> {
  const { base } = beginning;
  const client = createClient(target, patienceMs);
  for (const id of ids) {
    // Nobody else's world of this id, which may have been here, had this key.
    const seed = hashSecret(`${here.root}\0${here.branch ?? ''}\0${id}`).slice(0, 16);
    const request = { ...ofCheckout(here), seed, ttl: null, ...beginning };
    const path = `/w/${encodeURIComponent(id)}/_emulator/world`;
    try {
      return (await client.call('PUT', path, request)) as unknown as WorldInfo;
    } catch (error) {
      if (!(error instanceof Declined)) throw error;
      if (error.status === 404 && typeof base === 'string') failWithoutBase(target, base, error.message);
      // Another checkout's world has the id.
      if (error.status !== 409 || id === ids.at(-1)) throw error;
    }
  }
  return fail(1, `The shared emulator made no world for ${nameOfCheckout(here)}`);
}

function failWithoutBase({ url }: Target, base: string, said: string): never {
  const words = ['snapshot', 'take', base, '--url', url];
  fail(
    1,
    `${said}: worlds.base names it, and the default world of the shared emulator has to have it (\`cloudemu ${words.join(' ')}\` takes it there).`,
    { code: 'NOT_FOUND', field: 'worlds.base', received: base, next: [words] },
  );
}

// Making a world of a large snapshot may take so long.
const patienceMs = 60_000;
