// A start by a coding agent, whose shell waits for the end of each command.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isCodingAgent } from '../../src/cli/commands/start.js';
import { sampleOf } from '../support/campaign.js';
import { endCommands, spawnCommand } from '../support/command.js';
import { eventually } from '../support/eventually.js';

afterAll(endCommands);

it.each([
  [{ AI_AGENT: 'some' }, true],
  [{ CLAUDECODE: '1' }, true],
  [{ CODEX_SANDBOX: 'seatbelt' }, true],
  [{ CURSOR_AGENT: '1' }, true],
  [{ GEMINI_CLI: '1' }, true],
  [{ CLAUDECODE: '' }, false],
  [{ CLAUDECODE: '0' }, false],
  [{ PATH: '/bin', TERM: 'xterm', CI: 'true' }, false],
])('%j', (env, is) => {
  expect(isCodingAgent(env)).toBe(is);
});

describe('a start', () => {
  async function startedWith(flags: readonly string[], env: Record<string, string>): Promise<string> {
    const { child, cwd, out, ended } = spawnCommand(['start', '--port', '0', '--ephemeral', ...flags], { env });
    // With --quiet it prints nothing.
    const isThere = flags.includes('--quiet')
      ? () => existsSync(join(cwd, '.cloudemu/run.json'))
      : () => /^\{.*\n|Ctrl-C to stop it\.\n/m.test(out.stdout);
    await eventually(isThere);
    child.kill();
    await ended;
    return out.stdout;
  }
  const line = /^To go on while it runs: `.* start --detach` returns when it is ready\.$/m;

  it('says that --detach exists', async () => {
    expect(await startedWith([], { CLAUDECODE: '1' })).toMatch(line);
  });

  const others = [
    [[], {}],
    [['--json'], { CLAUDECODE: '1' }],
    [['--quiet'], { CLAUDECODE: '1' }],
  ] as const;
  it.each(sampleOf(others))('%j with %j does not', async (flags, env) => {
    expect(await startedWith(flags, env as Record<string, string>)).not.toMatch(/--detach/);
  });
});
