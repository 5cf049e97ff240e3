// The usage report: where a caller stands in each rate limit.

import * as z from 'zod';
import { ok } from '../../api/answer.js';
import { type Endpoint, endpoint } from '../../api/endpoint.js';
import {
  type Bucket,
  endpointBucket,
  type Feature,
  featureOperations,
  features,
  keyBucket,
  operationBucket,
} from '../../api/presets.js';
import { success } from '../../api/wire.js';
import type { World } from '../../worlds/world.js';

const standing = z.object({ used: z.int(), limit: z.int(), window_seconds: z.number() });

export const usageEndpoints: Endpoint[] = [
  endpoint({
    id: 'usage.get',
    method: 'GET',
    path: '/api/quotas/usage',
    summary: 'Requests used and allowed in the present window, by feature',
    auth: 'caller',
    permission: 'unrestricted',
    responses: {
      200: {
        description: 'The report',
        schema: z.object({ success, period: z.string(), usage: z.record(z.string(), standing) }),
      },
    },
    assumptions: ['usage.report'],
    handle({ world, caller, now }) {
      const report = ({ name, size, length }: Bucket) => ({
        used: world.usage.used(caller.bucketOwner, name, length, now),
        limit: size,
        window_seconds: length / 1_000,
      });
      const usage: Record<string, ReturnType<typeof report>> = {
        all: report(keyBucket(world.config, caller.rateLimit)),
      };
      for (const feature of Object.keys(features) as Feature[]) {
        const bucket = endpointBucket(world, { id: featureOperations[feature], limit: feature });
        if (bucket !== undefined) usage[feature] = report(bucket);
      }
      for (const id of ownOperations(world)) {
        const bucket = operationBucket(world, { id });
        if (bucket !== undefined && bucket !== 'none') usage[id] = report(bucket);
      }
      return ok({ success: true, period: 'current_minute', usage });
    },
  }),
];

// Those of features are in the report already, under the feature's name.
function ownOperations({ config, limits }: World): Set<string> {
  const set = limits.list().filter(({ kind }) => kind === 'operation');
  const all = new Set([...Object.keys(config.rateLimits.operations), ...set.map(({ name }) => name)]);
  for (const id of Object.values(featureOperations)) all.delete(id);
  return all;
}
