// Reads of the control plane that take several turns, while the world is reset.

import { expect, it } from 'vitest';
import { call, startEmulator } from '../support/emulator.js';

it('begins a read again that a reset has overtaken, in the world as it is then', async () => {
  const emulator = await startEmulator({ rateLimits: { enabled: false } });
  const paths = ['verdicts', 'coverage', 'timeline', 'expectations', 'assumptions'];
  for (let round = 0; round < 3; round++) {
    await Promise.all(Array.from({ length: 150 }, () => call(emulator, 'GET', '/api/v1/user')));
    const reads = paths.map((path) => call(emulator, 'GET', `/_emulator/${path}`));
    await call(emulator, 'GET', '/_emulator/health');
    const reset = await call(emulator, 'POST', '/_emulator/reset');
    const statuses = (await Promise.all(reads)).map(({ status }) => status);
    expect([reset.status, ...statuses]).toEqual([200, 200, 200, 200, 200, 200]);
  }
});
