// `cloudemu env`: what each shell and each reader of a file makes of it.

import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { envFormats } from '../../src/cli/commands/env.js';
import { startCommand, tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';
import { itNeeds } from '../support/tools.js';

/** The parts that a URL may have, and those of which a shell could make something else. */
const nasty = [
  'http://127.0.0.1:4747/w/blue',
  "http://h/it's",
  "http://h/''$(touch)",
  'http://h/$HOME/$env:PATH/%PATH%/!!/~',
  'http://h/a;b&c|d#e\\f\\',
  "http://h/\\'",
  'http://h/‘’‚‛',
  'http://h/#',
];

const shells = {
  sh: ['sh', (line: string) => `${line}\nprintf %s "$NAME"`],
  fish: ['fish', (line: string) => `${line}\nprintf %s $NAME`],
} as const;

describe.each(Object.entries(shells))('in %s', (name, [shell, script]) => {
  itNeeds(shell).each(nasty)('%s arrives as it is', (value) => {
    const cwd = tempDir();
    const line = envFormats[name as keyof typeof shells].line('NAME', value);
    expect(execFileSync(shell, ['-c', script(line)], { encoding: 'utf8', cwd, env: { HOME: cwd } })).toBe(value);
  });
});

/** Reads an assignment as PowerShell does: in single quotes, of whatever kind, only two of them mean something else. */
function readPowershell(line: string): [name: string, value: string] {
  const [, name = '', quoted = ''] = /^\$env:(\w+) = (.*)$/s.exec(line) ?? [];
  const marks = /['‘’‚‛]/;
  expect(quoted).toMatch(/^'/);
  let value = '';
  for (let i = 1; i < quoted.length; i++) {
    const sign = quoted[i] ?? '';
    if (!marks.test(sign)) value += sign;
    else if (marks.test(quoted[i + 1] ?? '')) value += quoted[i++];
    else {
      expect(quoted.slice(i + 1), 'what stands behind the text').toBe('');
      return [name, value];
    }
  }
  throw new Error(`never ends: ${line}`);
}

it.each(nasty)('in powershell %s arrives as it is', (value) => {
  expect(readPowershell(envFormats.powershell.line('NAME', value))).toEqual(['NAME', value]);
});

it.each(nasty)('from a .env file %s arrives as it is', (value) => {
  const text = `BEFORE=1\n${envFormats.dotenv.line('NAME', value)}\nAFTER=2\n`;
  expect(parseEnv(text)).toEqual({ BEFORE: '1', NAME: value, AFTER: '2' });
});

describe('of a running emulator', () => {
  it('prints the same variables in every format', async () => {
    const { dir, url, apiKey } = await startCommand(['--ephemeral']);
    const print = async (format: string): Promise<string> =>
      (await runHere(['env', '--format', format], { cwd: dir })).stdout;
    expect(await print('sh')).toBe(`export CLOUD_BASE_URL='${url}'\nexport CLOUD_API_KEY='${apiKey}'\n`);
    expect(await print('fish')).toBe(`set -gx CLOUD_BASE_URL '${url}'\nset -gx CLOUD_API_KEY '${apiKey}'\n`);
    expect(await print('powershell')).toBe(`$env:CLOUD_BASE_URL = '${url}'\n$env:CLOUD_API_KEY = '${apiKey}'\n`);
    expect(await print('dotenv')).toBe(`CLOUD_BASE_URL=${url}\nCLOUD_API_KEY=${apiKey}\n`);
    expect(await print('github')).toBe(`CLOUD_BASE_URL=${url}\nCLOUD_API_KEY=${apiKey}\n`);
    expect(JSON.parse(await print('json'))).toEqual({ CLOUD_BASE_URL: url, CLOUD_API_KEY: apiKey });
  });
});

it.each([
  ['a name', { 'X; touch here': 1 }, 'k'],
  ['a value', { CLOUD_API_KEY: 1 }, 'k\ntouch here'],
  ['a value that a shell runs where it stands unquoted', { CLOUD_API_KEY: 1 }, 'k;touch$IFS'],
  ['the name of another variable', { NODE_OPTIONS: 1 }, '--require=/tmp/theirs.js'],
])('env prints nothing of an emulator that answers with %s that is a command', async (_, names, apiKey) => {
  const server = createServer((request, response) => {
    const [apiKeyName] = Object.keys(names);
    const config = { env: { baseUrl: ['CLOUD_BASE_URL'], apiKey: [apiKeyName] } };
    response.end(JSON.stringify(request.url?.endsWith('/keys') === true ? { keys: [{ apiKey }] } : config));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, stdout, stderr } = await runHere(['env', '--url', url]);
  server.close();
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/returns a variable that no shell can hold: \{"[^\n]+\n$|names the variable "/);
});
