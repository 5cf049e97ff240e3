// The state of a container at an instant before it was created, which a request whose preparation takes time may ask for.

import { expect, it } from 'vitest';
import { containerAt, progressOf } from '../../../src/platform/containers/lifecycle/lifecycle.js';
import { type Deployment, timelineOf } from '../../../src/platform/containers/lifecycle/timeline.js';
import { createBody } from '../../../src/platform/containers/wire/schema.js';

const times = { pending: 1_000, building: 4_000, deploying: 7_000, running: 10_000, limit: 60_000 };
const begun = {
  id: 'd',
  containerSeq: 1,
  number: 1,
  kind: 'create',
  spec: createBody.parse({ name: 'web', project_name: 'web', ecr_image_uri: 'registry/web:v1' }),
  plan: { progression: 'clock', readsPerStage: 1, times, mode: null, failure: null },
  cost: 0,
  startedAt: 50_000,
  requestId: null,
  interventions: [],
  reads: 0,
  refundedAt: null,
  graces: [],
  turn: 1,
} satisfies Omit<Deployment, 'timeline'>;
const deployment: Deployment = { ...begun, timeline: timelineOf(begun) };

it.each([49_999, 0])(
  'the state of a container at an instant before its creation is that of its creation, at %d',
  (at) => {
    const state = containerAt([deployment], at);
    expect(state).toMatchObject({ status: 'pending', since: 50_000, nextAt: 51_000 });
    expect(progressOf(state, at)).toBe(0);
  },
);
