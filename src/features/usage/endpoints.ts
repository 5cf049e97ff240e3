// The usage report: where a caller stands in each rate limit.

import * as z from 'zod';
import { ok } from '../../api/answer.js';
import { type Endpoint, endpoint } from '../../api/endpoint.js';
import { type Feature, featureBucket, features, keyBucket } from '../../api/presets.js';
import { success } from '../../api/wire.js';

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
      const report = (name: string, size: number, length: number) => ({
        used: world.usage.used(caller.bucketOwner, name, length, now),
        limit: size,
        window_seconds: length / 1_000,
      });
      const all = keyBucket(world.config, caller.rateLimit);
      const usage: Record<string, ReturnType<typeof report>> = { all: report(all.name, all.size, all.length) };
      for (const feature of Object.keys(features) as Feature[]) {
        const bucket = featureBucket(world.config, { id: operations[feature], limit: feature });
        if (bucket !== undefined) usage[feature] = report(bucket.name, bucket.size, bucket.length);
      }
      return ok({ success: true, period: 'current_minute', usage });
    },
  }),
];

/** The operation of each feature, by which settings override its preset. */
const operations: Record<Feature, string> = {
  chat: 'chat.completions',
  responses: 'responses.create',
  embeddings: 'embeddings.create',
  images: 'images.generate',
  video: 'videos.generate',
  knowledge: 'knowledge.query',
  agents: 'agents.create',
  siweNonce: 'auth.siweNonce',
  siweVerify: 'auth.siweVerify',
};
