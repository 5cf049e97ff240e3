// Control operations of organizations and their credits.

import * as z from 'zod';
import { byId, listed, operation } from '../../control/operation.js';
import { noSuch } from '../../control/options.js';
import { invalid } from '../../core/errors.js';
import { toCredits, toMicros } from '../../core/money.js';
import { describe } from '../../core/problems.js';
import { characters } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { createOrganization, plans } from '../accounts/create-organization.js';
import { findOrganization, listOrganizations, type Organization } from '../accounts/store.js';
import { credit } from '../credits/ledger.js';
import { setBillingHold, setFailNth } from '../credits/store.js';
import { mintKey } from '../keys/mint.js';

/** The most credits that an organization can be given: further, their millionths are no longer exact. */
export const mostCredits = 1_000_000_000;

export const organization = z.lazy(() =>
  z.object({
    id: z.string(),
    name: z.string(),
    slug: z.string(),
    plan: z.string(),
    credits: z.number(),
    failNth: z.int().nullable().describe('Which of its next charges is refused; null: none'),
    hold: z.boolean().describe('Whether its account is on hold'),
  }),
);

export type ControlledOrganization = z.output<typeof organization>;

export const newOrganization = z.lazy(() => organization.unwrap().extend({ apiKey: z.string(), userId: z.string() }));

/** An organization that was just made, with the key of its owner. */
export type NewOrganization = z.output<typeof newOrganization>;

export const organizationRequest = z.lazy(() =>
  z.object({
    name: characters(1, 100).optional().describe('Name'),
    credits: z
      .number()
      .min(0)
      .max(mostCredits)
      .optional()
      .describe('Initial balance; by default that of the seeded organization'),
    plan: z.enum(plans).optional().describe('Plan; by default free'),
  }),
);

export type OrganizationRequest = z.input<typeof organizationRequest>;

export const creditChange = z.lazy(() =>
  z
    .strictObject({
      set: z.number().min(0).max(mostCredits).optional().describe('The new balance, in credits'),
      add: z
        .number()
        .min(-mostCredits)
        .max(mostCredits)
        .optional()
        .describe('Credits to add; a negative number subtracts'),
      failNth: z
        .int()
        .min(1)
        .max(1_000_000)
        .nullable()
        .optional()
        .describe('Which of its next charges fails for lack of credits, 1 being the next; null: none'),
      hold: z
        .boolean()
        .optional()
        .describe('Put the account on hold: it starts no dedicated agent (402 billing_hold_active); false lifts that'),
    })
    .refine((change) => Object.values(change).filter((value) => value !== undefined).length === 1, {
      message: 'must have one of `set`, `add`, `failNth` and `hold`',
    }),
);

/** Sets a balance, adds to it (a negative number subtracts), has the n-th next charge refused, or puts the account on hold. */
export type CreditChange = z.input<typeof creditChange>;

export const organizationOperations = {
  /** Lists all organizations with their balances. */
  list: operation({
    id: 'control.organizations.list',
    route: 'GET /organizations',
    summary: 'List organizations and their balances',
    output: listed('organizations', organization),
    command: {
      line: 'organization list',
      examples: [['organization list', 'organizations and their balances']],
    },
    run: ({ world }): ControlledOrganization[] => organizationsIn(world),
  }),
  /**
   * Creates an organization with an owner and a key. By default it gets the initial credits of the seeded one.
   *
   * @example controls.organizations.create({ credits: 0.4, plan: 'pro' })
   * @throws ApiError VALIDATION_ERROR
   */
  create: operation({
    id: 'control.organizations.create',
    route: 'POST /organizations',
    summary: 'Create an organization with an owner, credits and a key',
    body: organizationRequest,
    bodyOptional: true,
    output: newOrganization,
    command: {
      line: 'organization create',
      examples: [['organization create --credits 0.4 --plan pro', 'prints its key']],
    },
    run: ({ world }, request: OrganizationRequest = {}): NewOrganization => addOrganization(world, request),
  }),
  /**
   * Sets or changes a balance, which the ledger shows as an adjustment and which pays debts; or makes a charge fail with
   * 402 INSUFFICIENT_CREDITS even if the balance suffices. Daily charges do not count for that. An account on hold starts no
   * dedicated agent.
   *
   * @example controls.organizations.credits(id, { set: 0.4 })
   * @example controls.organizations.credits(id, { failNth: 2 }) // the next charge passes, the one after does not
   * @throws ApiError NOT_FOUND or VALIDATION_ERROR
   */
  credits: operation({
    id: 'control.organizations.credits',
    route: 'POST /organizations/{id}/credits',
    summary: 'Set a balance, add to it, make a charge fail, or put the account on hold',
    params: byId('organization'),
    body: creditChange,
    errors: ['NOT_FOUND'],
    output: organization,
    command: {
      line: 'organization credits <id>',
      valueIs: 'set',
      needs:
        'organization credits needs one of --set, --add, --fail-nth and --hold: `cloudemu organization credits <id> --set 10`',
      examples: [
        ['organization credits 30a05d5a-617c-… --set 0.4', 'not enough for a deployment'],
        ['organization credits 30a05d5a-617c-… --add -5', 'subtracts five'],
        ['organization credits 30a05d5a-617c-… --fail-nth 2', 'the second charge from now on fails'],
        ['organization credits 30a05d5a-617c-… --hold', 'starts no dedicated agent, until --no-hold'],
      ],
    },
    run: ({ world }, id: string, change: CreditChange): ControlledOrganization => changeCredits(world, id, change),
  }),
};

/** The organizations of a world, after everything that is due. */
export function organizationsIn(world: World): ControlledOrganization[] {
  world.settle(world.clock.now());
  return listOrganizations(world.db).map(view);
}

/** Makes an organization with an owner and a key. */
export function addOrganization(world: World, request: OrganizationRequest): NewOrganization {
  const at = world.clock.now();
  return world.db.transaction(() => {
    const number = world.nextNumber('organizations');
    const { name = `Organization ${number}`, plan, credits = world.config.credits.seeded } = request;
    const owner = { name: `Owner ${number}`, email: `owner-${number}@example.test` };
    const made = createOrganization(world, { name, plan, owner, at }, number);
    const { id: organizationId } = made.organization;
    const { value } = mintKey(world, { organizationId, userId: made.user.id, name: 'Test key', tellable: true, at });
    credit(world, organizationId, toMicros(credits), { type: 'seed', reason: 'Credits of a new organization', at });
    return {
      ...view(findOrganization(world.db, organizationId) ?? made.organization),
      apiKey: value,
      userId: made.user.id,
    };
  });
}

/**
 * Changes what an organization can pay.
 *
 * @throws ApiError NOT_FOUND, or VALIDATION_ERROR for a change that leaves a debt, or more than an organization can have
 */
export function changeCredits(world: World, id: string, change: CreditChange): ControlledOrganization {
  world.settle(world.clock.now());
  world.db.transaction(() => {
    const found = organizationOf(world, id);
    if (change.failNth !== undefined) setFailNth(world.db, id, change.failNth);
    else if (change.hold !== undefined) setBillingHold(world.db, id, change.hold);
    else adjust(world, found, change);
  });
  world.settle(world.clock.now());
  return view(organizationOf(world, id));
}

function organizationOf({ db }: World, id: string): Organization {
  const found = findOrganization(db, id);
  if (found === undefined) throw noSuch('organization', id);
  return found;
}

function adjust(world: World, { id, balance }: Organization, { set, add = 0 }: CreditChange): void {
  const difference = set === undefined ? toMicros(add) : toMicros(set) - balance;
  if (balance + difference < 0) {
    throw invalid({
      path: 'add',
      message: `must leave no debt: the balance is ${toCredits(balance)}`,
      received: describe(add),
    });
  }
  if (balance + difference > toMicros(mostCredits)) {
    throw invalid({
      path: 'add',
      message: `must leave at most ${mostCredits} credits: the balance is ${toCredits(balance)}`,
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

function view({
  id,
  name,
  slug,
  plan,
  balance,
  fail_nth: failNth,
  billing_hold,
}: Organization): ControlledOrganization {
  return { id, name, slug, plan, credits: toCredits(balance), failNth, hold: billing_hold === 1 };
}
