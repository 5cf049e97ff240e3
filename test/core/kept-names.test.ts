// Names that clients send again and again are judged once; long ones are not kept in memory.

import { expect, it, vi } from 'vitest';

const judged = vi.fn<(name: string) => void>();

it.each([
  ['once', 'n'.repeat(100), 1],
  ['each time', 'n'.repeat(101), 3],
])('a name that comes again is judged %s', async (_, name, times) => {
  vi.resetModules();
  vi.doMock(import('../../src/core/secrets.js'), async (original) => {
    const secrets = await original();
    return {
      ...secrets,
      secrecyOf(asked) {
        judged(asked);
        return secrets.secrecyOf(asked);
      },
    };
  });
  const { createRedactor } = await import('../../src/core/redact.js');
  const { body } = createRedactor(['ek_test_'], 'ek_live_');
  for (let n = 0; n < 3; n++) body(JSON.stringify({ [name]: n }));
  expect(judged.mock.calls.filter(([asked]) => asked === name)).toHaveLength(times);
});
