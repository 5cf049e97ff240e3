// Organizations and their credits under control.

import * as z from 'zod';
import { ApiError, invalid } from '../../core/errors.js';
import { toCredits, toMicros } from '../../core/money.js';
import { describe } from '../../core/problems.js';
import { checkInput } from '../../http/validate.js';
import { characters, iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { createOrganization, plans } from '../accounts/create-organization.js';
import { findOrganization, listOrganizations, type Organization } from '../accounts/store.js';
import { credit } from '../credits/ledger.js';
import { type LedgerFilter, listLedger, setFailNth } from '../credits/store.js';
import { mintKey } from '../keys/mint.js';

export interface ControlledOrganization {
  id: string;
  name: string;
  slug: string;
  plan: string;
  credits: number;
  /** Which of its next charges is refused; null: none. */
  failNth: number | null;
}

/** An organization that was just made, with the key of its owner. */
export interface NewOrganization extends ControlledOrganization {
  apiKey: string;
  userId: string;
}

export const organizationRequest = z.object({
  name: characters(1, 100).optional().describe('Name'),
  credits: z
    .number()
    .min(0)
    .max(1_000_000_000)
    .optional()
    .describe('Initial balance; by default that of the seeded organization'),
  plan: z.enum(plans).optional().describe('Plan; by default free'),
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

const most = 1_000_000_000;

export const creditChange = z
  .strictObject({
    set: z.number().min(0).max(most).optional().describe('The new balance, in credits'),
    add: z.number().min(-most).max(most).optional().describe('Credits to add; a negative number subtracts'),
    failNth: z
      .int()
      .min(1)
      .max(1_000_000)
      .nullable()
      .optional()
      .describe('Which of its next charges fails for lack of credits, 1 being the next; null: none'),
  })
  .refine((change) => Object.values(change).filter((value) => value !== undefined).length === 1, {
    message: 'must have one of set, add and failNth',
  });

/** Sets a balance, adds to it (negative: takes), or has the n-th next charge refused. */
export type CreditChange = z.input<typeof creditChange>;

export type CreditControls = ReturnType<typeof createCreditControls>;

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
          const { organization, user } = createOrganization(world, { name, plan, owner, at }, number);
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
       * Sets or changes a balance, which the ledger shows as an adjustment and which pays what is owed; or has a charge
       * refused with 402 INSUFFICIENT_CREDITS though the balance suffices. Days of running containers are no charges in
       * this sense.
       *
       * @example controls.organizations.credits(id, { set: 0.4 })
       * @example controls.organizations.credits(id, { failNth: 2 }) // the next charge passes, the one after does not
       * @throws ApiError NOT_FOUND or VALIDATION_ERROR
       */
      credits(id: string, change: CreditChange): ControlledOrganization {
        const wanted = checkInput(creditChange, change, { strict: true, warn: () => {} });
        world.settle(world.clock.now());
        world.db.transaction(() => {
          const organization = organizationOf(world, id);
          if (wanted.failNth !== undefined) setFailNth(world.db, id, wanted.failNth);
          else adjust(world, organization, wanted);
        });
        world.settle(world.clock.now());
        return view(organizationOf(world, id));
      },
    },
    /**
     * Every movement of credits, oldest first.
     *
     * @param filter only those that have all of it
     * @example controls.ledger({ operation: 'billing.daily', subject: containerId })
     */
    ledger(filter: LedgerFilter = {}): LedgerEntry[] {
      world.settle(world.clock.now());
      return listLedger(world.db, filter).map((row) => ({
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

function organizationOf({ db }: World, id: string): Organization {
  const organization = findOrganization(db, id);
  if (organization === undefined) throw new ApiError('NOT_FOUND', { message: 'Organization not found' });
  return organization;
}

function adjust(world: World, { id, balance }: Organization, { set, add = 0 }: z.output<typeof creditChange>): void {
  const difference = set === undefined ? toMicros(add) : toMicros(set) - balance;
  if (balance + difference < 0) {
    throw invalid({
      path: 'add',
      message: `must leave no debt: the balance is ${toCredits(balance)}`,
      received: describe(add),
    });
  }
  credit(world, id, difference, {
    type: 'adjustment',
    reason:
      set === undefined ? `${add < 0 ? 'Taken' : 'Added'} by the control plane` : `Set to ${set} by the control plane`,
    operation: 'control.organizations.credits',
    at: world.clock.now(),
  });
}

function view({ id, name, slug, plan, balance, fail_nth: failNth }: Organization): ControlledOrganization {
  return { id, name, slug, plan, credits: toCredits(balance), failNth };
}
