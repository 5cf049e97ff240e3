// `why` proves its causes: for each refusal it names the point that has caused it, and in a world that begins before that
// point the same request ends otherwise; where nothing has caused it, it says so.

import { afterAll, describe, expect, it } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/index.js';
import { type Answer, call } from '../../support/emulator.js';
import { isOfAll, refusals, refusalsOfToday } from '../../support/refusals.js';

const profiles = ['spec', 'elizacloud'] as const;
const emulators = new Map<string, Promise<Emulator>>();
// The worlds of a profile share an emulator.
afterAll(async () => {
  for (const emulator of emulators.values()) await (await emulator).close();
});

function emulatorOf(profile: (typeof profiles)[number]): Promise<Emulator> {
  const emulator = emulators.get(profile) ?? createEmulator({ profile, quotas: { enabled: false }, configFile: false });
  emulators.set(profile, emulator);
  return emulator;
}

const ended = ({ status, body }: Answer): string => {
  const error = body?.error?.message ?? body?.error ?? body?.message;
  return status < 400 ? `${status}` : `${status} ${String(error).replace(/[0-9a-f]{8}-[0-9a-f-]{27}|[\d.]+/g, '#')}`;
};

describe.each(profiles)('in the profile %s', (profile) => {
  const all = profile === 'spec' ? refusals : [...refusals.filter(isOfAll), ...refusalsOfToday];
  it.for(all)('$name', async ({ name, status, given, cause, refused }) => {
    const emulator = await emulatorOf(profile);
    const world = await emulator.createWorld({ seed: name, clock: { start: '2026-01-01T00:00:00Z', frozen: true } });
    const things = (await given?.(world)) ?? {};
    const lastPoint = (): number => world.controls.history.list({ limit: 1 }).last ?? 0;
    const before = lastPoint();
    await cause?.(world, things);
    const after = lastPoint();
    await call(world, 'PATCH', '/api/v1/user', { name: 'Other' });
    const answer = await refused(world, things);
    expect(answer.status, answer.text).toBe(status);
    const requestId = answer.headers.get('x-request-id') ?? '';
    const { chain, certain, reason } = await world.controls.why({ requestId });
    const told = JSON.stringify({ reason, chain });
    expect(certain, told).toBe(cause !== undefined);
    if (cause === undefined) {
      expect(chain).toEqual([]);
      expect(reason).toMatch(/No change that the history holds has decided it|does not hold/);
    } else {
      const points = chain.map(({ point }) => point);
      // The first of the points that the cause has made is what somebody did; time may have done the rest.
      expect(points, told).toContain(before + 1);
      expect(Math.max(...points), told).toBeLessThanOrEqual(after);
      for (const point of points) {
        const fork = await emulator.createWorld({ at: { world: world.id, point, side: 'before' } });
        expect(ended(await refused(fork, things)), told).not.toBe(ended(answer));
        fork.close();
      }
    }
    world.close();
  });
});
