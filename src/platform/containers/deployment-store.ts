// Reads the deployments of a container, and turns their rows into timelines.

import { cached } from '../../db/cached-reads.js';
import type { Db } from '../../db/db.js';
import { storedJson } from '../../db/stored-json.js';
import type { Grace } from './lifecycle/grace.js';
import type { Intervention } from './lifecycle/phases.js';
import type { Plan } from './lifecycle/plan.js';
import { type Deployment, segmentAt, timelineOf } from './lifecycle/timeline.js';
import type { Spec } from './wire/schema.js';

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
  /** How many there are. */
  interventions: number;
  reads: number;
  refunded_at: number | null;
  turn: number;
  /** JSON; null: the values are long, and are read when they are needed. */
  environment_vars: string | null;
}

/** The columns of deployments `d`, as SQL. Values of variables may take 1.6 MB, and few deployments are asked for theirs. */
export const deploymentColumns = `d.container_seq, d.number, d.id, d.kind, d.spec, d.plan, d.cost, d.price_rule,
  d.request_id, d.started_at, d.interventions, d.reads, d.refunded_at, d.turn,
  iif(octet_length(d.environment_vars) <= 4000, d.environment_vars, NULL) AS environment_vars`;

/** So many deployments are always read; older ones only where they are still open, or where the past is shown. */
export const remembered = 20;
/** So many deployments of a container are shown at most: in its log, its history and its list of deployments. */
export const mostShown = 1_000;

/** The deployments of a container that affect what it is, oldest first. */
export function lastDeployments(db: Db, containerSeq: number, graces: readonly Grace[]): Deployment[] {
  const rows = db.all<DeploymentRow>(
    // Part of the SQL text, not a value: SQLite would prepare the statement anew at each run.
    `SELECT ${deploymentColumns} FROM deployments AS d WHERE container_seq = @seq ORDER BY number DESC LIMIT ${remembered}`,
    { seq: containerSeq },
  );
  return readDeployments(db, rows.reverse(), graces);
}

/** The deployments of a container that are shown, oldest first, from those that affect what it is. */
export function shownDeployments(db: Db, deployments: readonly Deployment[]): readonly Deployment[] {
  const [oldest] = deployments;
  if (oldest === undefined || oldest.number === 1) return deployments;
  const older = olderDeployments(db, oldest.containerSeq, deployments);
  const known = new Set(older.map(({ number }) => number));
  return [...older, ...deployments.filter(({ number }) => !known.has(number))].sort((a, b) => a.number - b.number);
}

const olderDeployments = cached(
  ['containers', 'deployments'],
  (db, containerSeq: number, deployments: readonly Deployment[]): readonly Deployment[] => {
    const newest = deployments.at(-1)?.number ?? 0;
    const sql = `SELECT ${deploymentColumns} FROM deployments AS d
      WHERE container_seq = @containerSeq AND number > @from AND number < @number ORDER BY number`;
    return db
      .all<DeploymentRow>(sql, { containerSeq, from: newest - mostShown, number: newest - remembered + 1 })
      .map((row) => readDeployment(db, row, deployments.at(-1)?.graces ?? []));
  },
);

/** Deployments from the last rows of a container, oldest first, behind older ones that are still open. */
export function readDeployments(db: Db, rows: readonly DeploymentRow[], graces: readonly Grace[]): Deployment[] {
  const last = rows.map((row) => readDeployment(db, row, graces));
  return [...openBefore(db, last, graces), ...last];
}

// The older deployments that serve, or are in progress, when the newest begins. None is left once a later one has run:
// usually one of the last has, and nothing more is read. A refund tells that one had failed, without reading its plan.
function openBefore(db: Db, last: readonly Deployment[], graces: readonly Grace[]): Deployment[] {
  const since = last.at(-1)?.startedAt ?? 0;
  const open: Deployment[] = [];
  for (let read = last; (read[0]?.number ?? 1) > 1 && !read.some((one) => hasRun(one, since)); ) {
    const rows = db.all<DeploymentRow>(
      `SELECT ${deploymentColumns} FROM deployments AS d WHERE container_seq = @containerSeq AND number < @number
        AND (@hasGraces OR refunded_at IS NULL OR refunded_at >= @since OR interventions > 0)
        ORDER BY number DESC LIMIT ${remembered}`,
      {
        containerSeq: read[0]?.containerSeq ?? 0,
        number: read[0]?.number ?? 0,
        since,
        hasGraces: graces.length > 0 ? 1 : 0,
      },
    );
    read = rows.reverse().map((row) => readDeployment(db, row, graces));
    const serving = read.findLastIndex((one) => hasRun(one, since));
    // A failed deployment may have been recovered.
    const hasFailed = ({ timeline }: Deployment) => segmentAt(timeline, since).phase.status === 'failed';
    open.unshift(...read.filter((one, index) => index === serving || (index > serving && !hasFailed(one))));
  }
  return open;
}

function hasRun({ timeline }: Deployment, by: number): boolean {
  return timeline.some(({ phase, at }) => phase.status === 'running' && at <= by);
}

function readDeployment(db: Db, row: DeploymentRow, graces: readonly Grace[]): Deployment {
  const stored = {
    id: row.id,
    containerSeq: row.container_seq,
    number: row.number,
    kind: row.kind,
    spec: readSpec(db, row),
    plan: storedJson<Plan>(row.plan, 'deployments.plan'),
    cost: row.cost,
    startedAt: row.started_at,
    requestId: row.request_id,
    interventions: row.interventions === 0 ? [] : readInterventions(db, row),
    reads: row.reads,
    refundedAt: row.refunded_at,
    graces,
    turn: row.turn,
  };
  return { ...stored, timeline: timelineOf(stored) };
}

function readInterventions(db: Db, { container_seq: containerSeq, number }: DeploymentRow): Intervention[] {
  const sql = `SELECT intervention FROM interventions
    WHERE container_seq = @containerSeq AND deployment = @number ORDER BY number`;
  return db
    .all<{ intervention: string }>(sql, { containerSeq, number })
    .map(({ intervention }) => storedJson<Intervention>(intervention, 'interventions.intervention'));
}

function readSpec(
  db: Db,
  { container_seq: containerSeq, number, spec: text, environment_vars: variables }: DeploymentRow,
) {
  const spec = storedJson<Spec>(text, 'deployments.spec');
  const column = 'deployments.environment_vars';
  if (variables !== null) {
    spec.environment_vars = storedJson(variables, column);
    return spec;
  }
  return Object.defineProperty(spec, 'environment_vars', {
    enumerable: true,
    get: () => {
      const sql = 'SELECT environment_vars FROM deployments WHERE container_seq = @containerSeq AND number = @number';
      const row = db.get<{ environment_vars: string }>(sql, { containerSeq, number });
      return row === undefined ? {} : storedJson(row.environment_vars, column);
    },
  });
}
