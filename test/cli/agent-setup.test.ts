// The block about cloudemu in a project's AGENTS.md, on request only.

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agentBlock } from '../../src/cli/commands/agent.js';
import { tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';

const setup = async (cwd: string, ...words: string[]) => {
  const { code, stdout } = await runHere(['agent', ...words, '--json'], { cwd });
  return { code, ...JSON.parse(stdout) };
};

it('is at most 1 KB, and the page of the package 1.5 KB', () => {
  expect(Buffer.byteLength(agentBlock)).toBeLessThanOrEqual(1_024);
  expect(agentBlock).toMatch(/^[\x20-\x7e\n]*$/);
  expect(statSync('AGENTS.md').size).toBeLessThanOrEqual(1_536);
});

it('makes the file where there is none, and removes it again', async () => {
  const cwd = tempDir();
  const file = join(cwd, 'AGENTS.md');
  expect(await setup(cwd, 'setup')).toEqual({ code: 0, file, changed: true });
  expect(readFileSync(file, 'utf8')).toBe(`${agentBlock}\n`);
  expect(await setup(cwd, 'setup')).toEqual({ code: 0, file, changed: false });
  expect(await setup(cwd, 'setup', '--remove')).toEqual({ code: 0, file, changed: true });
  expect(existsSync(file)).toBe(false);
  expect(await setup(cwd, 'remove')).toEqual({ code: 0, file, changed: false });
});

it.each([
  ['text', Buffer.from('# Mine\n\nText\n')],
  ['no line break at its end', Buffer.from('# Mine')],
  ['line breaks of Windows', Buffer.from('# Mine\r\n\r\nText\r\n')],
  ['bytes that are not UTF-8', Buffer.from([0x23, 0x20, 0xff, 0xfe, 0x0a])],
])('keeps the rest byte for byte: %s', async (_, bytes) => {
  const cwd = tempDir();
  const file = join(cwd, 'AGENTS.md');
  writeFileSync(file, bytes);
  await setup(cwd, 'setup');
  const once = readFileSync(file);
  expect(once.subarray(0, bytes.length)).toEqual(bytes);
  expect(once.toString('latin1').replaceAll('\r\n', '\n')).toContain(agentBlock);
  expect(await setup(cwd, 'setup')).toMatchObject({ changed: false });
  expect(readFileSync(file)).toEqual(once);
  await setup(cwd, 'remove');
  expect(readFileSync(file)).toEqual(bytes);
});

it('replaces an older block where it is', async () => {
  const cwd = tempDir();
  const file = join(cwd, 'AGENTS.md');
  writeFileSync(file, '# A\n\n<!-- cloudemu: begin -->\nold\n<!-- cloudemu: end -->\n\n# B\n');
  expect(await setup(cwd, 'setup')).toMatchObject({ changed: true });
  expect(readFileSync(file, 'utf8')).toBe(`# A\n\n${agentBlock}\n\n# B\n`);
});

it('leaves a file with a damaged block alone', async () => {
  const cwd = tempDir();
  const text = '# A\n<!-- cloudemu: begin -->\nold\n';
  writeFileSync(join(cwd, 'AGENTS.md'), text);
  expect(await setup(cwd, 'setup')).toMatchObject({ code: 1, error: { code: 'FILE_UNUSABLE' } });
  expect(readFileSync(join(cwd, 'AGENTS.md'), 'utf8')).toBe(text);
});
