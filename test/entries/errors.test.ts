// An error that nobody catches, as a user's terminal shows it: its message and where he stands, and no line of a bundle.

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { itFull, sampleOf } from '../support/campaign.js';
import { closedUrl } from '../support/closed-port.js';
import { tempDir } from '../support/command.js';

const nobody = await closedUrl();

const dist = join(import.meta.dirname, '../../dist');
const bundles = readdirSync(dist)
  .filter((name) => /\.c?js$/.test(name))
  .map((name) => readFileSync(join(dist, name), 'utf8'));

function show(file: string, args: string[] = [], nodeArgs: string[] = []): Promise<string> {
  const child = spawn(process.execPath, [...nodeArgs, file, ...args], {
    cwd: tempDir(),
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve) => child.on('close', () => resolve(stderr)));
}

function showScript(code: string, kind: 'mjs' | 'cjs'): Promise<string> {
  const at = (entry: string): string => {
    const file = join(dist, kind === 'mjs' ? `${entry}.js` : `${entry === 'index' ? 'emulator' : entry}.cjs`);
    return JSON.stringify(kind === 'mjs' ? pathToFileURL(file).href : file);
  };
  const entries = { index: 'createEmulator', client: 'connect', testing: 'signHeaders, testWallet' };
  const lines = Object.entries(entries).map(([entry, names]) =>
    kind === 'mjs' ? `import { ${names} } from ${at(entry)};` : `const { ${names} } = require(${at(entry)});`,
  );
  const file = join(tempDir(), `user.${kind}`);
  writeFileSync(file, [...lines, code].join('\n'));
  return show(file);
}

function expectNoBundle(stderr: string): void {
  expect(stderr.length).toBeLessThan(3_000);
  for (const line of stderr.split('\n').filter((text) => text.trim().length > 20))
    expect(
      bundles.some((bundle) => bundle.includes(line)),
      line,
    ).toBe(false);
}

const wrongOption = "createEmulator({ timming: 'fast' })";
const wrongRule = "emulator.controls.faults.add({ match: { operation: 'containers.creat' }, effect: { status: 503 } })";

it.each(
  sampleOf([
    ['a mistyped option', 'mjs', `await ${wrongOption};`, 'timming is not an option; did you mean timing?'],
    ['a mistyped option', 'cjs', `${wrongOption};`, 'timming is not an option; did you mean timing?'],
    ['a mistyped rule', 'mjs', `const emulator = await createEmulator();\n${wrongRule};`, 'match.operation must be'],
    [
      'a mistyped rule',
      'cjs',
      `createEmulator().then((emulator) => setImmediate(() => ${wrongRule}));`,
      'match.operation',
    ],
    [
      'a mistyped scenario',
      'mjs',
      "const { createWorld } = await createEmulator();\nawait createWorld({ scenario: 'rough-dya' });",
      'did you mean "rough-day"?',
    ],
    ['a wrong URL', 'cjs', "connect({ url: 'localhost:4747' });", 'did you mean "http://localhost:4747"?'],
    ['nobody there', 'mjs', `await connect({ url: '${nobody}' }).createWorld();`, `No emulator answers at ${nobody}`],
    ['a wallet without a key', 'cjs', "signHeaders({ wallet: {}, path: '/' });", 'user.cjs'],
  ]),
)('a terminal shows of %s (%s) the message and a short stack', async (_, kind, code, message) => {
  const stderr = await showScript(code, kind as 'mjs' | 'cjs');
  expect(stderr).toContain(message);
  expect(stderr).toMatch(/^\S*Error: /m);
  expectNoBundle(stderr);
});

it('a terminal shows the line of the user', async () => {
  const stderr = await showScript(`const begin = async () => {\n  await ${wrongOption};\n};\nbegin();`, 'cjs');
  expect(stderr).toMatch(/^ConfigError: .*\n {4}at async begin \(.*user\.cjs:5:3\)/m);
  expect(stderr).not.toContain(dist);
});

itFull('a terminal shows only a few lines for a mistyped flag', async () => {
  const stderr = await show(join(dist, 'cli.cjs'), ['start', '--prot', '1']);
  expect(stderr).toContain('did you mean --port?');
  expect(stderr).not.toContain(dist);
  expectNoBundle(stderr);
});

it('a terminal shows an internal error of the command as such', async () => {
  const fault = 'data:text/javascript,setTimeout(() => { undefined.fault; }, 100)';
  const stderr = await show(
    join(dist, 'cli.cjs'),
    ['start', '--port', '0', '--ephemeral', '--quiet'],
    ['--import', fault],
  );
  expect(stderr).toContain('Fault of cloudemu itself: TypeError: Cannot read properties of undefined');
  expectNoBundle(stderr);
});
