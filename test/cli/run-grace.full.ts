// How long `cloudemu run` waits, unless told otherwise, before it kills what does not end.

import { expect, it } from 'vitest';
import { spawnCommand } from '../support/command.js';

it('run kills its command ten seconds after the first signal', async () => {
  const stubborn = `trap '' TERM; echo up; while :; do sleep 1; done`;
  const { child, out, ended } = spawnCommand(['run', 'happy-path', '--', 'sh', '-c', stubborn]);
  await new Promise<void>((resolve) => child.stdout.on('data', () => out.stdout.includes('up\n') && resolve()));
  const sentAt = performance.now();
  child.kill('SIGTERM');
  expect((await ended).code).toBe(130);
  expect(performance.now() - sentAt).toBeGreaterThan(9_900);
  expect(performance.now() - sentAt).toBeLessThan(20_000);
});
