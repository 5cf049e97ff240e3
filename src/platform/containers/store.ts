// Stored containers and their deployments.

import type { Micros } from '../../core/money.js';
import { cached } from '../../db/cached-reads.js';
import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';
import { storedJson } from '../../db/stored-json.js';
import {
  type DeploymentRow,
  deploymentColumns,
  lastDeployments,
  readDeployments,
  remembered,
} from './deployment-store.js';
import type { Grace } from './lifecycle/grace.js';
import type { Intervention } from './lifecycle/phases.js';
import type { Deployment } from './lifecycle/timeline.js';

export interface ContainerRow {
  seq: number;
  id: string;
  organization_id: string;
  user_id: string;
  api_key_id: string | null;
  name: string;
  project_name: string;
  /** Identifies it in its address and in its stack's name: organization and project. */
  slug: string;
  description: string | null;
  listener_port: number | null;
  created_at: number;
  /** JSON; null: none. */
  graces: string | null;
}

/** A container with its deployments, oldest first. */
export interface ContainerRecord extends ContainerRow {
  deployments: Deployment[];
}

/** Stores a container and returns its slug: the wanted one, with a number appended where it is taken. */
export function insertContainer(db: Db, { deployments: _, ...row }: ContainerRecord): Pick<ContainerRow, 'slug'> {
  const { slug } = row;
  // Two project names may map to one slug.
  if (insert(db, 'containers', row, 'ON CONFLICT (slug) DO NOTHING') > 0) return { slug };
  // A full stop follows a hyphen.
  const numbered = db.all<{ slug: string }>('SELECT slug FROM containers WHERE slug > @from AND slug < @to', {
    from: `${slug}-`,
    to: `${slug}.`,
  });
  const taken = new Set(numbered.map((other) => other.slug));
  let n = 2;
  while (taken.has(`${slug}-${n}`)) n++;
  insert(db, 'containers', { ...row, slug: `${slug}-${n}` });
  return { slug: `${slug}-${n}` };
}

export function insertDeployment(db: Db, deployment: Deployment, priceRule: string | null): void {
  const { environment_vars: variables, ...spec } = deployment.spec;
  insert(db, 'deployments', {
    container_seq: deployment.containerSeq,
    number: deployment.number,
    id: deployment.id,
    kind: deployment.kind,
    spec,
    plan: deployment.plan,
    cost: deployment.cost,
    price_rule: priceRule,
    request_id: deployment.requestId,
    started_at: deployment.startedAt,
    reads: deployment.reads,
    turn: deployment.turn,
    environment_vars: variables,
  });
}

const recordOf = cached(['containers', 'deployments'], (db, id: string) => {
  const row = db.get<ContainerRow>('SELECT * FROM containers WHERE id = @id', { id });
  return row === undefined ? undefined : withDeployments(db, row);
});

/** A container by id, of one organization or (without it) of any. */
export function findContainer(db: Db, id: string, organizationId?: string): ContainerRecord | undefined {
  const record = recordOf(db, id);
  return organizationId === undefined || record?.organization_id === organizationId ? record : undefined;
}

/** The projects of the containers with these ids, by id; those that are gone are left out. */
export function projectNames(db: Db, ids: readonly string[]): Map<string, string> {
  const rows = db.all<{ id: string; project_name: string }>(
    'SELECT id, project_name FROM containers WHERE id IN (SELECT value FROM json_each(@ids))',
    { ids: JSON.stringify(ids) },
  );
  return new Map(rows.map(({ id, project_name: name }) => [id, name]));
}

/** The names of containers by their numbers, as far as they are there. */
export function containerNames(db: Db, seqs: readonly number[]): Map<number, string> {
  const rows = db.all<{ seq: number; name: string }>(
    'SELECT seq, name FROM containers WHERE seq IN (SELECT value FROM json_each(@seqs))',
    { seqs: JSON.stringify(seqs) },
  );
  return new Map(rows.map(({ seq, name }) => [seq, name]));
}

/** An organization's newest container of a project name, and whether another of its projects uses a display name. */
export function findNamesakes(
  db: Db,
  organizationId: string,
  { name, projectName }: { name: string; projectName: string },
): { existing: ContainerRecord | undefined; nameTaken: boolean } {
  // With OR in place of the subquery, SQLite reads all containers of the organization.
  const rows = db.all<ContainerRow>(
    `SELECT * FROM containers WHERE seq IN (
      SELECT seq FROM containers WHERE organization_id = @organizationId AND project_name = @projectName
      UNION ALL SELECT seq FROM containers WHERE organization_id = @organizationId AND name = @name) ORDER BY seq DESC`,
    { organizationId, projectName, name },
  );
  const row = rows.find((other) => other.project_name === projectName);
  return {
    existing: row === undefined ? undefined : withDeployments(db, row),
    nameTaken: rows.some((other) => other.project_name !== projectName && other.name === name),
  };
}

/** An organization's containers of a project, the newest first; only on today's server there are several. */
export function listOfProject(db: Db, organizationId: string, projectName: string): ContainerRecord[] {
  return readContainers(db, 'organization_id = @organizationId AND project_name = @projectName', {
    organizationId,
    projectName,
  });
}

export function findBySlug(db: Db, slug: string): ContainerRecord | undefined {
  const row = db.get<ContainerRow>('SELECT * FROM containers WHERE slug = @slug', { slug });
  return row === undefined ? undefined : withDeployments(db, row);
}

/** Containers, newest first: of one organization, or (without it) of the world. */
export function listContainers(db: Db, organizationId?: string): ContainerRecord[] {
  return [...(organizationId === undefined ? all(db) : allOf(db, organizationId))];
}

const allOf = cached(['containers', 'deployments'], (db, organizationId: string): readonly ContainerRecord[] =>
  readContainers(db, 'organization_id = @organizationId', { organizationId }),
);
const all = cached(['containers', 'deployments'], (db): readonly ContainerRecord[] => readContainers(db, 'true', {}));

// Two queries for all of them.
function readContainers(db: Db, condition: string, values: Record<string, string>): ContainerRecord[] {
  const rows = db.all<ContainerRow>(`SELECT * FROM containers WHERE ${condition} ORDER BY seq DESC`, values);
  const deployments = new Map<number, DeploymentRow[]>(rows.map(({ seq }) => [seq, []]));
  const deploymentRows = db.all<DeploymentRow>(
    `SELECT ${deploymentColumns} FROM containers AS c CROSS JOIN deployments AS d ON d.container_seq = c.seq
      WHERE ${condition} AND d.number > (SELECT max(number) FROM deployments WHERE container_seq = c.seq) - ${remembered}
      ORDER BY d.container_seq, d.number`,
    values,
  );
  for (const deployment of deploymentRows) deployments.get(deployment.container_seq)?.push(deployment);
  return rows.map((row) => ({
    ...row,
    deployments: readDeployments(db, deployments.get(row.seq) ?? [], gracesOf(row)),
  }));
}

/** Containers whose address was shown, so that it must be open again after a restart. */
export function listListening(db: Db): ContainerRow[] {
  return db.all<ContainerRow>('SELECT * FROM containers WHERE listener_port IS NOT NULL ORDER BY seq');
}

export function countContainers(db: Db, organizationId: string): number {
  const sql = 'SELECT count(*) AS n FROM containers WHERE organization_id = @organizationId';
  return db.get<{ n: number }>(sql, { organizationId })?.n ?? 0;
}

export function renameContainer(db: Db, seq: number, name: string, description: string | null): void {
  db.run('UPDATE containers SET name = @name, description = coalesce(@description, description) WHERE seq = @seq', {
    name,
    description,
    seq,
  });
}

export function setListenerPorts(db: Db, ports: readonly { seq: number; port: number }[]): void {
  db.transaction(() => {
    for (const each of ports) db.run('UPDATE containers SET listener_port = @port WHERE seq = @seq', each);
  });
}

export function saveGraces(db: Db, seq: number, graces: readonly Grace[]): void {
  db.run('UPDATE containers SET graces = @graces WHERE seq = @seq', { graces, seq });
}

/** Removes a container with its deployments. */
export function deleteContainer(db: Db, { seq }: Pick<ContainerRow, 'seq'>): void {
  db.run('DELETE FROM containers WHERE seq = @seq', { seq });
}

/** Adds the next intervention on a deployment, and stores its number of GETs. */
export function saveIntervention(
  db: Db,
  { containerSeq, number, interventions, reads }: Deployment,
  intervention: Intervention,
): void {
  const count = interventions.length + 1;
  insert(db, 'interventions', {
    container_seq: containerSeq,
    deployment: number,
    number: count,
    intervention,
  });
  db.run(
    `UPDATE deployments SET interventions = @count, reads = @reads
      WHERE container_seq = @containerSeq AND number = @number`,
    { count, reads, containerSeq, number },
  );
}

export function saveReads(db: Db, { containerSeq, number, reads }: Deployment): void {
  db.run('UPDATE deployments SET reads = @reads WHERE container_seq = @containerSeq AND number = @number', {
    reads,
    containerSeq,
    number,
  });
}

/** The latest deployment of a container whose charge was not refunded. */
export function findPaidDeployment(
  db: Db,
  containerSeq: number,
): { number: number; cost: Micros; started_at: number } | undefined {
  const paid = `SELECT number, cost, started_at FROM deployments
    WHERE container_seq = @containerSeq AND cost > 0 AND refunded_at IS NULL ORDER BY number DESC LIMIT 1`;
  return db.get(paid, { containerSeq });
}

/** The data of a deployment that a refund needs. */
interface RefundBasis {
  id: string;
  kind: string;
  organization_id: string;
  cost: number;
  price_rule: string | null;
  request_id: string | null;
}

/** Marks a deployment as refunded; undefined when it is gone or already refunded. */
export function takeRefund(db: Db, containerSeq: number, number: number, at: number): RefundBasis | undefined {
  const marked = db.run(
    `UPDATE deployments SET refunded_at = @at
       WHERE container_seq = @containerSeq AND number = @number AND refunded_at IS NULL`,
    { at, containerSeq, number },
  );
  if (marked === 0) return undefined;
  return db.get<RefundBasis>(
    `SELECT d.id, d.kind, c.organization_id, d.cost, d.price_rule, d.request_id
      FROM deployments d JOIN containers c ON c.seq = d.container_seq
       WHERE d.container_seq = @containerSeq AND d.number = @number`,
    { containerSeq, number },
  );
}

function withDeployments(db: Db, row: ContainerRow): ContainerRecord {
  return { ...row, deployments: lastDeployments(db, row.seq, gracesOf(row)) };
}

function gracesOf({ graces }: ContainerRow): readonly Grace[] {
  return graces === null ? [] : storedJson<Grace[]>(graces, 'containers.graces');
}

// Reads the containers of a whole world, of all its organizations.

/** The ids of the oldest containers of an organization. */
export function oldestContainers(db: Db, organizationId: string, most: number): string[] {
  const sql = 'SELECT id FROM containers WHERE organization_id = @organizationId ORDER BY seq LIMIT @most';
  return db.all<{ id: string }>(sql, { organizationId, most }).map(({ id }) => id);
}

/** Containers of a project, of all organizations, or (without it) all; the newest first. */
export function listProjects(
  db: Db,
  project?: string,
): Pick<ContainerRecord, 'id' | 'project_name' | 'organization_id'>[] {
  const sql = 'SELECT id, project_name, organization_id FROM containers';
  return project === undefined
    ? db.all(`${sql} ORDER BY seq DESC`)
    : db.all(`${sql} WHERE project_name = @project ORDER BY seq DESC`, { project });
}
