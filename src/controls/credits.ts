// Organizations and their credits under control.

import * as z from 'zod';
import { checkInput } from '../api/validate.js';
import { characters, iso } from '../api/wire.js';
import { foundOrganization, plans } from '../features/accounts/found.js';
import { findOrganization, listOrganizations, type Organization } from '../features/accounts/store.js';
import { credit } from '../features/credits/ledger.js';
import { listLedger } from '../features/credits/store.js';
import { mintKey } from '../features/keys/mint.js';
import { ApiError, invalid } from '../kernel/errors.js';
import { toCredits, toMicros } from '../kernel/money.js';
import { describe } from '../kernel/problems.js';
import type { World } from '../worlds/world.js';

export interface ControlledOrganization {
  id: string;
  name: string;
  slug: string;
  plan: string;
  credits: number;
}

/** An organization that was just made, with the key of its owner. */
export interface NewOrganization extends ControlledOrganization {
  apiKey: string;
  userId: string;
}

export const organizationRequest = z.object({
  name: characters(1, 100).optional(),
  credits: z.number().min(0).max(1_000_000_000).optional().describe('Without it as many as the seeded one had'),
  plan: z.enum(plans).optional(),
});

export type OrganizationRequest = z.input<typeof organizationRequest>;

export interface LedgerEntry {
  id: string;
  organizationId: string;
  type: string;
  /** In credits; negative for what was taken. */
  amount: number;
  balanceBefore: number;
  balanceAfter: number;
  reason: string;
  priceRule: string | null;
  operation: string | null;
  requestId: string | null;
  subject: string | null;
  at: string;
}

/** Sets a balance, or adds to it (negative: takes). */
export type CreditChange = { set: number; add?: undefined } | { add: number; set?: undefined };

/** The credit controls of a world. */
export function createCreditControls(world: World) {
  return {
    organizations: {
      list: (): ControlledOrganization[] => {
        world.settle(world.clock.now());
        return listOrganizations(world.db).map(view);
      },
      /**
       * Makes an organization with an owner and a key, and credits as the seeded one has unless told otherwise.
       *
       * @example controls.organizations.create({ credits: 0.4, plan: 'pro' })
       * @throws ApiError VALIDATION_ERROR
       */
      create(request: OrganizationRequest = {}): NewOrganization {
        const wanted = checkInput(organizationRequest, request, { strict: true, warn: () => {} });
        const at = world.clock.now();
        return world.db.transaction(() => {
          const number = world.nextNumber('organizations');
          const { name = `Organization ${number}`, plan, credits = world.config.credits.seeded } = wanted;
          const owner = { name: `Owner ${number}`, email: `owner-${number}@example.test` };
          const { organization, user } = foundOrganization(world, { name, plan, owner, at }, number);
          const { id: organizationId } = organization;
          const { value } = mintKey(world, { organizationId, userId: user.id, name: 'Test key', tellable: true, at });
          credit(world, organizationId, toMicros(credits), {
            type: 'seed',
            reason: 'Credits of a new organization',
            at,
          });
          return {
            ...view(findOrganization(world.db, organizationId) ?? organization),
            apiKey: value,
            userId: user.id,
          };
        });
      },
      /**
       * Sets or changes a balance; the ledger shows it as an adjustment.
       *
       * @example controls.organizations.credits(id, { set: 0.4 })
       * @throws ApiError NOT_FOUND or VALIDATION_ERROR
       */
      credits(id: string, change: CreditChange): ControlledOrganization {
        const amount = change.set ?? change.add;
        if (amount === undefined || !Number.isFinite(amount) || Math.abs(amount) > 1e9 || (change.set ?? 0) < 0) {
          throw invalid({
            path: change.set === undefined ? 'add' : 'set',
            message: 'must be a number of credits',
            received: describe(amount),
          });
        }
        world.settle(world.clock.now());
        return world.db.transaction(() => {
          const organization = findOrganization(world.db, id);
          if (organization === undefined) throw new ApiError('NOT_FOUND', { message: 'Organization not found' });
          const difference = change.set === undefined ? toMicros(amount) : toMicros(amount) - organization.balance;
          if (organization.balance + difference < 0) {
            throw invalid({
              path: 'add',
              message: `must leave no debt: the balance is ${toCredits(organization.balance)}`,
              received: describe(amount),
            });
          }
          credit(world, id, difference, {
            type: 'adjustment',
            reason: 'Set by the control plane',
            at: world.clock.now(),
          });
          return view(findOrganization(world.db, id) ?? organization);
        });
      },
    },
    /** Every movement of credits, oldest first. */
    ledger(options: { organizationId?: string | undefined } = {}): LedgerEntry[] {
      world.settle(world.clock.now());
      return listLedger(world.db, options.organizationId).map((row) => ({
        id: row.id,
        organizationId: row.organization_id,
        type: row.type,
        amount: toCredits(row.amount),
        balanceBefore: toCredits(row.balance_before),
        balanceAfter: toCredits(row.balance_after),
        reason: row.reason,
        priceRule: row.price_rule,
        operation: row.operation,
        requestId: row.request_id,
        subject: row.subject,
        at: iso(row.created_at),
      }));
    },
  };
}

function view(organization: Organization): ControlledOrganization {
  const { id, name, slug, plan, balance } = organization;
  return { id, name, slug, plan, credits: toCredits(balance) };
}
