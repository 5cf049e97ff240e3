// Which deployments of a container are read, and how their rows become timelines.

import type { Db } from '../../db/db.js';
import { storedJson } from '../../db/stored-json.js';
import type { Grace } from './grace.js';
import type { Intervention } from './phases.js';
import type { Plan } from './plan.js';
import type { Spec } from './schema.js';
import { type Deployment, segmentAt, timelineOf } from './timeline.js';

export interface DeploymentRow {
  container_seq: number;
  number: number;
  id: string;
  kind: string;
  spec: string;
  plan: string;
  cost: number;
  price_rule: string | null;
  request_id: string | null;
  started_at: number;
  acts: string;
  reads: number;
  refunded_at: number | null;
}

/** So many deployments are always read; older ones only where they are still open. */
export const remembered = 20;

/** The deployments of a container that affect what is shown, oldest first. */
export function lastDeployments(db: Db, containerSeq: number, graces: readonly Grace[]): Deployment[] {
  const rows = db.all<DeploymentRow>(
    // Part of the SQL text, not a value: SQLite would prepare the statement anew at each run.
    `SELECT * FROM deployments WHERE container_seq = @seq ORDER BY number DESC LIMIT ${remembered}`,
    { seq: containerSeq },
  );
  return readDeployments(db, rows.reverse(), graces);
}

/** Deployments from the last rows of a container, oldest first, behind older ones that are still open. */
export function readDeployments(db: Db, rows: readonly DeploymentRow[], graces: readonly Grace[]): Deployment[] {
  const last = rows.map((row) => readDeployment(row, graces));
  return [...openBefore(db, last, graces), ...last];
}

// The older deployments that serve, or are in progress, when the newest begins. None is left once a later one has run:
// usually one of the last has, and nothing more is read. A refund tells that one had failed, without reading its plan.
function openBefore(db: Db, last: readonly Deployment[], graces: readonly Grace[]): Deployment[] {
  const since = last.at(-1)?.startedAt ?? 0;
  const open: Deployment[] = [];
  for (let read = last; (read[0]?.number ?? 1) > 1 && !read.some((one) => hasRun(one, since)); ) {
    const rows = db.all<DeploymentRow>(
      `SELECT * FROM deployments WHERE container_seq = @containerSeq AND number < @number
        AND (@hasGraces OR refunded_at IS NULL OR refunded_at >= @since OR acts <> '[]')
        ORDER BY number DESC LIMIT ${remembered}`,
      {
        containerSeq: read[0]?.containerSeq ?? 0,
        number: read[0]?.number ?? 0,
        since,
        hasGraces: graces.length > 0 ? 1 : 0,
      },
    );
    read = rows.reverse().map((row) => readDeployment(row, graces));
    const serving = read.findLastIndex((one) => hasRun(one, since));
    open.unshift(...read.filter((one, index) => index === serving || (index > serving && !hasFailed(one, since))));
  }
  return open;
}

function hasRun({ timeline = [] }: Deployment, by: number): boolean {
  return timeline.some(({ phase, at }) => phase.status === 'running' && at <= by);
}

// One that failed may have been recovered.
function hasFailed({ timeline = [] }: Deployment, by: number): boolean {
  return segmentAt(timeline, by).phase.status === 'failed';
}

function readDeployment(row: DeploymentRow, graces: readonly Grace[]): Deployment {
  const deployment: Deployment = {
    id: row.id,
    containerSeq: row.container_seq,
    number: row.number,
    kind: row.kind,
    spec: storedJson<Spec>(row.spec, 'deployments.spec'),
    plan: storedJson<Plan>(row.plan, 'deployments.plan'),
    cost: row.cost,
    startedAt: row.started_at,
    interventions: row.acts === '[]' ? [] : storedJson<Intervention[]>(row.acts, 'deployments.acts'),
    reads: row.reads,
    refundedAt: row.refunded_at,
    graces,
  };
  deployment.timeline = timelineOf(deployment);
  return deployment;
}
