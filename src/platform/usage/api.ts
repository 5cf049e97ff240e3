// Endpoints that show a caller's usage: of each rate limit, and in the summary of credits and agents.

import * as z from 'zod';
import { type Feature, featureOperations, features } from '../../config/limit-features.js';
import { toCredits } from '../../core/money.js';
import { type Endpoint, endpoint } from '../../http/endpoint.js';
import { ok } from '../../http/response.js';
import { iso, isoTime, success } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { countAgents } from '../agents/store.js';
import { organizationOf } from '../credits/api.js';
import { presentSummary } from '../credits/present.js';
import { summaryAnswer } from '../credits/schema.js';
import { latestMovements, spentSince } from '../credits/store.js';
import { type Bucket, endpointBucket, keyBucket, operationBucket } from '../limits/presets.js';
import { limitsSet } from '../limits/store.js';

const standing = z.lazy(() => z.object({ used: z.int(), limit: z.int(), window_seconds: z.number() }));

const credits = z.lazy(() => z.object({ used: z.number(), limit: z.number(), periodEnd: isoTime }));

/** How many movements a summary shows. */
const recentCount = 10;

export const usageEndpoints: Endpoint[] = [
  endpoint({
    id: 'usage.get',
    method: 'GET',
    harmless: true,
    path: '/api/quotas/usage',
    summary: 'Get the requests used and allowed in the current window, by feature, and the credits of the week',
    permission: 'unrestricted',
    responses: {
      200: {
        description: 'The report',
        schema: z.object({
          success,
          period: z.string(),
          usage: z.record(z.string(), standing),
          data: z.object({ global: credits, modelSpecific: z.record(z.string(), credits) }),
        }),
      },
    },
    assumptions: ['usage.report'],
    handle({ world, caller, now }) {
      const report = ({ name, size, length }: Bucket) => ({
        used: world.usage.shown(caller.bucketOwner, name, length, now).count,
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
      const data = { global: creditsOfWeek(world, caller.organizationId, now), modelSpecific: {} };
      return ok({ success: true, period: 'current_minute', usage, data });
    },
  }),
  endpoint({
    method: 'GET',
    permission: 'unrestricted',
    id: 'account.summary',
    path: '/api/v1/credits/summary',
    summary: 'Get the credits of the organization and their last movements',
    harmless: true,
    responses: { 200: { description: 'The summary', schema: summaryAnswer } },
    assumptions: ['credits.summary', 'money'],
    handle({ world, caller }) {
      const organization = organizationOf(world, caller.organizationId);
      const agents = countAgents(world.db, organization.id);
      const creditsPerDollar = world.config.credits.perDollar;
      const recent = latestMovements(world.db, organization.id, 0, { limit: recentCount });
      return ok(presentSummary(organization, { agents, creditsPerDollar, recent }));
    },
  }),
];

const weekMs = 7 * 86_400_000;
/** A Monday at 00:00 UTC. */
const firstMonday = Date.UTC(1970, 0, 5);

// Nothing but the balance bounds what may be spent: the limit is all that this week has had and has.
function creditsOfWeek(world: World, organizationId: string, now: number): z.output<typeof credits> {
  const begin = now - ((((now - firstMonday) % weekMs) + weekMs) % weekMs);
  const used = spentSince(world.db, organizationId, begin);
  const { balance } = organizationOf(world, organizationId);
  return { used: toCredits(used), limit: toCredits(used + balance), periodEnd: iso(begin + weekMs) };
}

// Those of features are in the report already, under the feature's name.
function ownOperations(world: World): Set<string> {
  const set = limitsSet(world.db).filter(({ kind }) => kind === 'operation');
  const all = new Set([...Object.keys(world.config.rateLimits.operations), ...set.map(({ name }) => name)]);
  for (const id of Object.values(featureOperations)) all.delete(id);
  return all;
}
