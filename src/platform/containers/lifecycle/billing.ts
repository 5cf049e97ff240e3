// Daily billing: running containers are charged at midnight, for the day that begins or, on today's server, for the time that
// has passed; what is not covered opens a grace, at whose end they stop.

import { isTodaysServer } from '../../../config/profiles.js';
import { dayMs, lastInstant } from '../../../core/instant.js';
import type { Effect } from '../../../db/effects.js';
import { nextOccurrence } from '../../../db/occurrences.js';
import type { World } from '../../../world/world.js';
import { chargeIfCovered } from '../../credits/ledger.js';
import { type Due, insertDue, listDues, removeDue, removeDuesOf } from '../../credits/store.js';
import { type ContainerRecord, findContainer, listContainers, saveGraces } from '../store.js';
import type { Spec } from '../wire/schema.js';
import { readFailure } from './failures.js';
import { type Grace, openGrace } from './grace.js';
import { containerAt, viewOf } from './lifecycle.js';
import { dailyPrice, shareOf } from './pricing.js';
import { scheduleRefund } from './refunds.js';

/**
 * The effects of midnight and of a grace's end. Effects of one instant run in order of their names: a grace ends
 * before its debts can be paid (credits' `billing.payment`) and before the next day is charged.
 */
export const dayEffect = 'billing.run';
export const graceEndEffect = 'billing.end';

// Earlier days affect nothing that is still shown.
const remembered = 20;

/** The next 00:00 UTC. */
export function nextMidnight(now: number): number {
  return (Math.floor(now / dayMs) + 1) * dayMs;
}

/** Schedules the first midnight of a new world; the settings decide at each one whether anything is billed. */
export function scheduleBilling(world: World, now: number): void {
  world.schedule(dayEffect, '', nextMidnight(now));
}

/** Charges each running container, the oldest first. */
export function billDay(world: World, { due_at: midnight }: Pick<Effect, 'due_at'>): void {
  world.schedule(dayEffect, '', midnight + dayMs);
  if (!world.config.billing.daily) return;
  for (const record of listContainers(world.db).reverse()) {
    const { serving } = containerAt(record.deployments, midnight);
    if (serving !== undefined) billContainer(world, record, serving.deployment.spec, midnight);
  }
}

function billContainer(world: World, record: ContainerRecord, spec: Spec, midnight: number): void {
  const day = dailyPrice(world.config, spec);
  const { amount, rule } = isTodaysServer(world.config)
    ? shareOf(day, midnight - unbilledSince(record, midnight))
    : day;
  if (amount === 0) return;
  const due = {
    organization_id: record.organization_id,
    subject: record.id,
    amount,
    reason: `Daily charge for ${record.project_name}, ${new Date(midnight).toISOString().slice(0, 10)}`,
    price_rule: rule,
    due_at: midnight,
  };
  const graces = gracesOf(record);
  const grace = openGrace(graces, midnight);
  // Days are paid in order: an unpaid day leaves the next one unpaid too.
  if (grace === undefined && pay(world, due, midnight)) return;
  const until = Math.min(midnight + world.config.billing.grace, lastInstant);
  insertDue(world.db, { ...due, ends_at: until });
  if (grace === undefined) changeGraces(world, record, [...graces, newGrace(midnight, until, amount)]);
}

// From the last midnight at which it ran, as each of them was charged or is owed; the first charge is for a day at most.
function unbilledSince({ deployments, created_at: created }: ContainerRecord, midnight: number): number {
  for (let last = midnight - dayMs; last >= created; last -= dayMs)
    if (viewOf(deployments, last).serving !== undefined) return last;
  return Math.max(created, midnight - dayMs);
}

/** Pays what an organization owes, the oldest debt first, as far as its credits reach. */
export function payDues(world: World, organizationId: string, creditedAt: number): void {
  const dues = listDues(world.db, organizationId);
  // A request may have begun before the midnight that its credits pay.
  const at = Math.max(creditedAt, dues.at(-1)?.due_at ?? creditedAt);
  const paid = new Set<string>();
  const owing = new Map<string, Due[]>();
  for (const due of dues) {
    const { subject } = due;
    const unpaid = owing.get(subject);
    if (unpaid !== undefined) unpaid.push(due);
    else if (pay(world, due, at)) {
      removeDue(world.db, due.seq);
      paid.add(subject);
    } else owing.set(subject, [due]);
  }
  for (const subject of paid) {
    const record = findContainer(world.db, subject);
    if (record !== undefined) endGrace(world, record, at, owing.get(subject));
  }
}

// A remaining debt keeps the grace of its oldest day.
function endGrace(world: World, record: ContainerRecord, at: number, rest: readonly Due[] = []): void {
  const ended = gracesOf(record).map((grace) =>
    openGrace([grace], at) ? { ...grace, endedAt: at, endedTurn: nextOccurrence(world.db) } : grace,
  );
  const [oldest] = rest;
  const owed = rest.reduce((sum, { amount }) => sum + amount, 0);
  const next =
    oldest === undefined
      ? []
      : [{ ...newGrace(at, Math.max(at, oldest.ends_at), owed), turn: nextOccurrence(world.db) }];
  changeGraces(world, record, [...ended, ...next]);
}

/** Writes off the debt of a container that its grace has stopped. */
export function graceOver(world: World, containerId: string): void {
  removeDuesOf(world.db, containerId);
  world.bus.emit(`container:${containerId}`);
}

/** Writes off the debt of a container that is being deleted. */
export function forgiveDues(world: World, record: ContainerRecord, now: number): void {
  if (openGrace(gracesOf(record), now) === undefined) return;
  removeDuesOf(world.db, record.id);
  endGrace(world, record, now);
}

/** The graces of a container, the oldest first. */
export function gracesOf({ deployments }: ContainerRecord): readonly Grace[] {
  return deployments.at(-1)?.graces ?? [];
}

function newGrace(at: number, until: number, owed: number): Grace {
  const stopped = readFailure('credits-exhausted').phases.find(({ status }) => status === 'stopped');
  return { at, until, owed, stopped: stopped ?? { status: 'stopped' } };
}

function changeGraces(world: World, record: ContainerRecord, all: readonly Grace[]): void {
  const graces = all.slice(-remembered);
  saveGraces(world.db, record.seq, graces);
  const last = graces.at(-1);
  world.schedule(graceEndEffect, record.id, last?.endedAt === undefined ? last?.until : undefined);
  // A deployment that has not ended yet may now fail by the grace, or no longer.
  for (const deployment of record.deployments) scheduleRefund(world, { ...deployment, graces });
  world.bus.emit(`container:${record.id}`);
}

function pay(world: World, due: Omit<Due, 'seq' | 'ends_at'>, at: number): boolean {
  return chargeIfCovered(world, due.organization_id, due.amount, {
    reason: at === due.due_at ? due.reason : `${due.reason}, paid late`,
    priceRule: due.price_rule,
    operation: 'billing.daily',
    subject: due.subject,
    at,
  });
}
