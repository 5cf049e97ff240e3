// Reads the containers of a whole world, of all its organizations.

import type { Db } from '../../db/db.js';
import type { ContainerRecord } from './store.js';

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
