// The format of our files, and the steps that bring the tables of older ones to those of schema.ts.

/**
 * Step n brings the tables of a file of version n + 1 to version n + 2; a new file starts at the latest. A step says
 * only what changes in existing tables: missing tables are created afterwards.
 */
export const migrations: readonly string[] = [
  // The name of a container's stack has come to be that of its slug.
  'DROP INDEX containers_by_stack; ALTER TABLE containers DROP COLUMN stack',
  // The table of the history comes.
  'SELECT 1',
  // The tables of hosted agents, and of what came with them, come, the login of a command line knows its key, and an
  // account may be on hold.
  'ALTER TABLE cli_sessions ADD COLUMN key_id TEXT; ALTER TABLE organizations ADD COLUMN billing_hold INTEGER NOT NULL DEFAULT 0',
  // On today's server a project may have several containers, and names are not unique. SQLite removes what makes them
  // so only with the table.
  `CREATE TABLE new_containers (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, organization_id TEXT NOT NULL, user_id TEXT NOT NULL, api_key_id TEXT,
    name TEXT NOT NULL, project_name TEXT NOT NULL, slug TEXT NOT NULL UNIQUE, description TEXT,
    listener_port INTEGER, created_at INTEGER NOT NULL, graces TEXT);
  INSERT INTO new_containers SELECT seq, id, organization_id, user_id, api_key_id, name, project_name, slug, description,
    listener_port, created_at, graces FROM containers;
  DROP TABLE containers;
  ALTER TABLE new_containers RENAME TO containers`,
];

/** The version written into `user_version` of every file. */
export const schemaVersion = migrations.length + 1;

/** SQLite's `application_id` of every file: files of builds before the first release have none. */
export const applicationId = 0x636c6d75;

/** Pragmas that mark a database as one of ours, in the present format. */
export const formatMark = (database = 'main'): string =>
  `PRAGMA ${database}.application_id = ${applicationId}; PRAGMA ${database}.user_version = ${schemaVersion};`;
