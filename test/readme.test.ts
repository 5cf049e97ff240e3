// The README's recipes, as a reader would paste them, against the built command.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { transformSync } from 'esbuild';
import { expect, it } from 'vitest';
import { failOnChoices } from '../src/cli/fail-on.js';
import { verbs } from '../src/cli/verbs.js';
import { flags } from '../src/config/flags.js';
import { controlEndpoints } from '../src/controls/endpoints.js';
import { rules } from '../src/controls/verdicts/rules.js';
import { outcomes } from '../src/controls/verdicts/verdict.js';
import { createEmulator } from '../src/index.js';
import { tempDir } from './support/command.js';
import { itNeeds } from './support/tools.js';

const run = promisify(execFile);
const readme = readFileSync('README.md', 'utf8');
const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map((match) => match[1] ?? '');

it('says in its first lines which platform it is, and how to begin', () => {
  const beginning = readme.split('\n').slice(0, 10).join('\n');
  expect(beginning).toContain('elizacloud');
  expect(beginning).toContain('npm i -D cloudemu');
});

// Node 20 does not read TypeScript.
function runRecipe(recipe: string): Promise<{ stdout: string }> {
  const { code } = transformSync(recipe, { loader: 'ts' });
  return run(process.execPath, ['--input-type=module', '-e', code]);
}

it('deploys a container that answers, and one that fails for a reason that can be read', async () => {
  const dir = tempDir();
  const child = spawn(
    process.execPath,
    ['dist/cli.cjs', 'start', '--port', '0', '--json', '--quiet', '--data-dir', dir],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  try {
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const { url, control } = JSON.parse(line) as { url: string; control: string };
    // The reader waits twelve seconds; the test lets time run faster.
    await fetch(`${control}/clock/resume`, { method: 'POST', body: '{"speed": 30}' });
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', blocks('bash').join('\n')], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, CLOUDEMU_URL: url },
    });
    expect(stdout).toContain('{"status":"ok"}');
    expect(stdout).toMatch(/^failed$/m);
    expect(stdout).toMatch(/exec format error/);
    expect(stdout).toContain('{"balance":999.5}');
    expect(stdout).toMatch(/"wallet_address":"0x[0-9a-f]{40}"/);
    expect(stdout).toContain('"reason":"malleated"');
    expect(stdout).toContain('"newBalance":55');
    expect(stdout).toMatch(/^authenticated$/m);
    expect(stdout).toContain('{"transcript":"Hello from the emulator","duration_ms":1541}');
    expect(stdout).toMatch(/^Audio quality is too low/m);
    expect(stdout).toContain('no answer: curl exit code 56');
    expect(stdout).toMatch(/^lost$/m);
    expect(stdout).toMatch(/"code":"RATE_LIMITED".*"retryAfter":5/);
  } finally {
    child.kill('SIGKILL');
  }
});

itNeeds('skopeo')('pushes an image with the three lines, and again when a push breaks off', async () => {
  const section = readme.slice(readme.indexOf('## Deploy a container'), readme.indexOf('## Lose an answer'));
  const [begin = '', push = '', deploy = '', ...more] = [...section.matchAll(/```(?:bash|sh)\n([\s\S]*?)```/g)].map(
    (match) => match[1] ?? '',
  );
  const again = more.at(-1) ?? '';
  const dir = tempDir();
  // The client of docker logs in, where there is one. What it needs an engine for, skopeo does from a folder.
  const other = await createEmulator();
  const layout = `oci:${join(dir, 'my-app')}:v1`;
  const { uri } = other.controls.images.make({ repository: 'my-app', size: 1 });
  const source = await (
    await other.fetch('/api/v1/containers/credentials?projectId=my-app', {
      headers: { authorization: `Bearer ${other.apiKey}` },
    })
  ).json();
  const from = ['--src-tls-verify=false', `--src-creds=AWS:${source.credentials.password}`, `docker://${uri}`];
  await run('skopeo', ['copy', '--all', '-q', ...from, layout]);
  await other.close();
  writeFileSync(
    join(dir, 'docker'),
    `#!/bin/bash
set -euo pipefail
case "$1" in
  login) real=$(PATH="\${PATH#*:}" command -v docker || true)
    if [ -n "$real" ]; then exec "$real" --config "${dir}" "$@"; fi
    shift; set -- "\${@/#http:\\/\\//}"; exec skopeo login --tls-verify=false --authfile "${dir}/config.json" "$@" ;;
  tag) [ "$2" = my-app ]; echo "$3" > "${dir}/tagged" ;;
  push) [ "$2" = "$(cat "${dir}/tagged")" ]
    exec skopeo copy --all --retry-times 2 --dest-tls-verify=false --dest-authfile "${dir}/config.json" "${layout}" "docker://$2" ;;
esac
`,
    { mode: 0o755 },
  );
  const emulator = await createEmulator({ registry: { require: 'always' } });
  await emulator.controls.clock.resume({ speed: 30 });
  try {
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', [begin, push, deploy, again].join('\n')], {
      env: { PATH: `${dir}:${process.env.PATH}`, HOME: dir, CLOUDEMU_URL: emulator.url, XDG_RUNTIME_DIR: dir },
      timeout: 60_000,
    });
    expect(stdout).toContain('Login Succeeded');
    expect(stdout).toContain('{"status":"ok"}');
    expect(stdout).toMatch(/registry\.finishUpload/);
    const { complete, containers } = emulator.controls.images.get('my-app:v1');
    expect([complete, containers]).toEqual([true, ['my-app']]);
    const finished = emulator.controls.requests.list({ operation: 'registry.finishUpload', faulted: true });
    expect(finished.requests).toHaveLength(1);
  } finally {
    await emulator.close();
  }
});

it('deploys an image for the wrong processor as its recipe says', async () => {
  const recipe = blocks('ts').find((block) => block.includes('wrong-architecture')) ?? '';
  const { stdout } = await runRecipe(recipe);
  const promised = [...recipe.matchAll(/^ +\/\/ (.*)$/gm)].map((match) => match[1]);
  expect(promised).toHaveLength(2);
  expect(stdout.trimEnd().split('\n')).toEqual(promised);
});

it('runs the test recipe', async () => {
  const recipe = blocks('ts').find((block) => block.includes('// running')) ?? '';
  const { stdout } = await runRecipe(recipe);
  expect(stdout.trim()).toBe('running');
});

it('signs in with a wallet as its recipe says', async () => {
  const recipe = blocks('ts').find((block) => block.includes('createSiweMessage')) ?? '';
  const { stdout } = await runRecipe(recipe);
  const promised = [...recipe.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map((match) => match[1]);
  expect(promised).toHaveLength(3);
  expect(stdout.trimEnd().split('\n')).toEqual(promised);
});

it('signs in as a person as its recipe says', async () => {
  const recipe = blocks('ts').find((block) => block.includes('sessions.create')) ?? '';
  const { stdout } = await runRecipe(recipe);
  const promised = [...recipe.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map((match) => match[1]);
  expect(promised).toHaveLength(4);
  expect(stdout.trimEnd().split('\n')).toEqual(promised);
});

it.each([
  ['in version 2', 'ExactEvmScheme(', 4],
  ['in version 1', 'ExactEvmSchemeV1(', 4],
  ['wrongly', 'paymentHeader(', 4],
])('pays %s as its recipe says', async (_, word, lines) => {
  const recipe = blocks('ts').find((block) => block.includes(word)) ?? '';
  const { stdout } = await runRecipe(recipe);
  const promised = [...recipe.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].flatMap((match) => match[1]?.split(', '));
  expect(promised).toHaveLength(lines);
  expect(stdout.trimEnd().split('\n')).toEqual(promised);
});

it('runs a client against a scenario as its recipe says', async () => {
  const dir = tempDir();
  const document = blocks('json').find((block) => block.includes('"expect"')) ?? '';
  mkdirSync(join(dir, 'scenarios'));
  writeFileSync(join(dir, 'scenarios/black-friday.json'), document);
  const [cli, client] = ['dist/cli.cjs', 'test/clients/well-behaved.mjs'].map((path) => resolve(path));
  const command = [cli ?? '', 'run', 'black-friday', '--', process.execPath, client ?? ''];
  const { stdout } = await run(process.execPath, command, { cwd: dir, env: { PATH: process.env.PATH } });
  expect(stdout).toMatch(/deployment 1: failed \(OutOfMemoryError/);
  expect(stdout).toMatch(/^All came as expected, in /m);
});

it('begins with a scenario as its recipe says', async () => {
  const recipe = blocks('ts').find((block) => block.includes('expectations().scenario')) ?? '';
  const { stdout } = await runRecipe(recipe);
  const promised = [...recipe.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map((match) => match[1]);
  expect(promised).toHaveLength(2);
  expect(stdout.trimEnd().split('\n')).toEqual(promised);
});

it('lists every scenario by its title', () => {
  const section = readme.slice(readme.indexOf('## Run your tests against a scenario'));
  const listed = [...section.matchAll(/^\| `([\w-]+)` +\| (\S.*?) +\|$/gm)].map((match) => [match[1], match[2]]);
  const shipped = readdirSync('fixtures/scenarios').map((file) => [
    basename(file, '.json'),
    JSON.parse(readFileSync(join('fixtures/scenarios', file), 'utf8')).title,
  ]);
  expect(listed).toEqual(expect.arrayContaining(shipped));
});

it('runs out of credits as its recipe says', async () => {
  const recipe = blocks('ts').find((block) => block.includes('failNth')) ?? '';
  const { stdout } = await runRecipe(recipe);
  const promised = [...recipe.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map((match) => match[1]);
  expect(promised).toHaveLength(3);
  expect(stdout.trimEnd().split('\n')).toEqual(promised);
});

it('chats with a model as its recipe says', async () => {
  const recipe = blocks('ts').find((block) => block.includes('new OpenAI(')) ?? '';
  const { stdout } = await runRecipe(recipe);
  const promised = [...recipe.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map((match) => match[1]);
  expect(promised).toHaveLength(3);
  expect(stdout.trimEnd().split('\n')).toEqual(promised);
});

it('lists every flag of `start` and every door of the control plane', () => {
  for (const name of [...Object.keys(flags), 'json', 'config']) expect(readme).toContain(`\`--${name}\``);
  const doors = readme.slice(readme.indexOf('## The control plane'), readme.indexOf('## What answers tell you'));
  for (const { path } of controlEndpoints) {
    const [, , noun = '', ...rest] = path.split('/');
    expect(doors, path).toContain(noun);
    const verb = rest.at(-1);
    if (verb !== undefined && !verb.startsWith('{')) expect(doors, path).toContain(verb);
  }
});

it('tells of every verdict rule what it demands, in the order of the results', () => {
  const section = readme.slice(readme.indexOf('## Was my client right?'), readme.indexOf('## Run your tests against'));
  const listed = [...section.matchAll(/^\| `([\w-]+)` +\| (.*?) +\|$/gm)].map((match) => [match[1], match[2]]);
  expect(listed).toEqual(expect.arrayContaining(rules.map(({ id, demands }) => [id, demands])));
  for (const result of outcomes) expect(listed.map(([name]) => name)).toContain(result);
  for (const choice of failOnChoices) expect(section).toContain(`\`--fail-on ${choice}\``);
});

it('lists every verb of the command, and no other', () => {
  const section = readme.slice(readme.indexOf('## The command'), readme.indexOf('| flag of `start`'));
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  // `a` `b`, `c x` means a b and a c; after a semicolon another group begins.
  const listed = rows.flatMap((row) =>
    (row.split(' | ')[0] ?? '').split(';').flatMap((part) => {
      const [, group] = /`(\w+)` `/.exec(part) ?? [];
      const names = [...part.matchAll(/`([\w-]+(?: [a-z]+)?)[^`]*`/g)].map((match) => match[1] ?? '');
      return group === undefined ? names : names.slice(1).map((name) => `${group} ${name}`);
    }),
  );
  expect(listed.toSorted()).toEqual(verbs.map(({ words }) => words).toSorted());
});
