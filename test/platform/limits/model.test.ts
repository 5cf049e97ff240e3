// Limits under control agree with a simple model, over any sequence of requests, acts and jumps.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runsOf } from '../../support/campaign.js';
import { call, startWorld } from '../../support/emulator.js';

const perKey = 14;
const standard = { size: 4, length: 30_000 };
const minute = 60_000;

type Bucket = 'all' | 'agents' | 'agents.create' | 'containers.list';
type Operation = 'agents.create' | 'containers.list';

type Step =
  | { ask: Operation }
  | { jump: number }
  | { set: 'STANDARD' | 'agents' | Operation; limit: number; window: number | undefined }
  | { exhaust: 'key' | 'agents' | Operation; retryAfter: number | undefined }
  | { release: true };

const operation = fc.constantFrom<Operation>('agents.create', 'containers.list');
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof<fc.WeightedArbitrary<Step>[]>(
    { weight: 12, arbitrary: fc.record({ ask: operation }) },
    { weight: 4, arbitrary: fc.record({ jump: fc.integer({ min: 1, max: 40_000 }) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        set: fc.constantFrom(
          'STANDARD' as const,
          'agents' as const,
          'agents.create' as const,
          'containers.list' as const,
        ),
        limit: fc.integer({ min: 1, max: 6 }),
        window: fc.option(fc.integer({ min: 1, max: 50_000 }), { nil: undefined }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        exhaust: fc.constantFrom(
          'key' as const,
          'agents' as const,
          'agents.create' as const,
          'containers.list' as const,
        ),
        retryAfter: fc.option(fc.integer({ min: 0, max: 90 }), { nil: undefined }),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ release: true as const }) },
  ),
  { maxLength: 60, size: 'max' },
);

interface Window {
  at: number;
  count: number;
  /** 'once' refuses one request. */
  full: number | 'once' | null;
}

/** The promises of the platform's limiter, written as plainly as they can be. */
function createModel() {
  let windows = new Map<Bucket, Window>();
  let set = new Map<string, { limit: number; window: number | undefined }>();
  let now = 0;
  const over = (base: { size: number; length: number }, name: string) => {
    const { limit = base.size, window = base.length } = set.get(name) ?? {};
    return { size: limit, length: window };
  };
  const sizeOf = (bucket: Bucket) => {
    const feature = over(over(standard, 'STANDARD'), 'agents');
    if (bucket === 'all') return { size: perKey, length: minute };
    if (bucket === 'agents') return feature;
    return over(bucket === 'agents.create' ? feature : { size: perKey, length: minute }, bucket);
  };
  const bucketOf = (of: Operation): Bucket | undefined =>
    set.has(of) ? of : of === 'agents.create' ? 'agents' : undefined;
  const endOf = (bucket: Bucket, window: Window) =>
    typeof window.full === 'number' ? window.full : window.at + sizeOf(bucket).length;
  function windowOf(bucket: Bucket): Window {
    let window = windows.get(bucket);
    if (window === undefined || (window.full !== 'once' && now >= endOf(bucket, window)))
      window = { at: now, count: 0, full: null };
    windows.set(bucket, window);
    return window;
  }
  return {
    jump: (ms: number) => (now += ms),
    set: (name: string, limit: number, window: number | undefined) => set.set(name, { limit, window }),
    release() {
      windows = new Map();
      set = new Map();
    },
    exhaust(what: 'key' | 'agents' | Operation, retryAfter: number | undefined) {
      let bucket: Bucket | undefined = what === 'key' ? 'all' : what === 'agents' ? 'agents' : bucketOf(what);
      if (bucket === undefined) {
        set.set(what, { limit: perKey, window: minute });
        bucket = what as Operation;
      }
      let window = windowOf(bucket);
      // A window that was to refuse one request has no end that could be kept.
      if (window.full === 'once') window = { at: now, count: 0, full: null };
      const until = retryAfter === undefined ? endOf(bucket, window) : now + retryAfter * 1_000;
      windows.set(bucket, { at: now, count: sizeOf(bucket).size, full: until === now ? 'once' : until });
    },
    /** undefined when the request passes, else the seconds to wait. */
    ask(of: Operation): number | undefined {
      const buckets = (['all', bucketOf(of)] as const).filter((bucket) => bucket !== undefined);
      const ends: number[] = [];
      for (const bucket of buckets) {
        const window = windowOf(bucket);
        if (window.full === 'once') {
          ends.push(now);
          windows.delete(bucket);
        } else if (window.full !== null || window.count >= sizeOf(bucket).size) ends.push(endOf(bucket, window));
      }
      if (ends.length === 0) for (const bucket of buckets) windowOf(bucket).count++;
      return ends.length === 0 ? undefined : Math.ceil((Math.max(...ends) - now) / 1_000);
    },
  };
}

it('the rate limiter refuses exactly what the model refuses, for exactly as long', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const presets = { STANDARD: { limit: standard.size, window: standard.length } };
      const world = await startWorld({ quotas: { enabled: false }, rateLimits: { perKey, presets } });
      const { clock, limits } = world.controls;
      const model = createModel();
      for (const step of sequence) {
        if ('jump' in step) {
          model.jump(step.jump);
          await clock.advance(step.jump);
        } else if ('set' in step) {
          model.set(step.set, step.limit, step.window);
          const { limit, window } = step;
          if (step.set === 'STANDARD') limits.set({ preset: step.set, limit, window });
          else if (step.set === 'agents') limits.set({ feature: step.set, limit, window });
          else limits.set({ operation: step.set, limit, window });
        } else if ('exhaust' in step) {
          model.exhaust(step.exhaust, step.retryAfter);
          const { exhaust, retryAfter } = step;
          if (exhaust === 'key') limits.exhaust({ retryAfter });
          else if (exhaust === 'agents') limits.exhaust({ feature: exhaust, retryAfter });
          else limits.exhaust({ operation: exhaust, retryAfter });
        } else if ('release' in step) {
          model.release();
          limits.release();
        } else {
          const wait = model.ask(step.ask);
          const answer =
            step.ask === 'agents.create'
              ? await call(world, 'POST', '/api/v1/app/agents', { name: 'a' })
              : await call(world, 'GET', '/api/v1/containers');
          expect(answer.headers.get('retry-after')).toBe(wait === undefined ? null : String(wait));
          expect(answer.status === 429).toBe(wait !== undefined);
        }
      }
      await world.close();
    }),
    { numRuns: runsOf(40) },
  );
});
