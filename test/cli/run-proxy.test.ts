// A command under `run` finds the emulator also where the machine sends everything through a proxy.

import { expect, test } from 'vitest';
import { sampleOf } from '../support/campaign.js';
import { run } from '../support/command.js';

const show = `console.log(JSON.stringify([process.env.NO_PROXY, process.env.no_proxy]))`;

test.concurrent.each(
  sampleOf([
    [{}, 'localhost,127.0.0.1,::1'],
    [{ NO_PROXY: 'corp.example, localhost' }, 'corp.example,localhost,127.0.0.1,::1'],
    [{ no_proxy: '.internal' }, '.internal,localhost,127.0.0.1,::1'],
  ] as const),
)('a command under run with %j gets NO_PROXY=%s', async (env, list) => {
  const { stdout } = await run(['run', 'happy-path', '--', process.execPath, '-e', show], { env });
  expect(JSON.parse(stdout.split('\n')[0] ?? '')).toEqual([list, list]);
});
