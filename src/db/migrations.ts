// The steps that bring the tables of older files to those of schema.ts.

/**
 * Step n brings the tables of a file of version n + 1 to version n + 2; a new file starts at the latest. A step says
 * only what changes in existing tables: missing tables are created afterwards.
 */
export const migrations: readonly string[] = [
  `
ALTER TABLE rate_windows ADD COLUMN full_until INTEGER;
ALTER TABLE organizations ADD COLUMN fail_nth INTEGER;
ALTER TABLE containers ADD COLUMN graces TEXT;
INSERT INTO effects SELECT 'billing.run', '', (json_extract(value, '$.floor') / 86400000 + 1) * 86400000
FROM meta WHERE key = 'clock';
INSERT INTO meta SELECT 'journal', json_object('number', last, 'seq', last)
FROM (SELECT max(last_seq) AS last FROM journal) WHERE last IS NOT NULL;
DROP TABLE journal;
INSERT INTO meta SELECT 'beginning', json_object(
  'at', json_extract(value, '$.floor'), 'frozen', json(iif(json_extract(value, '$.speed') = 0, 'true', 'false'))
) FROM meta WHERE key = 'clock';
`,
  `
ALTER TABLE api_keys ADD COLUMN expires_sent INTEGER;
`,
  '',
  `
DROP TABLE images;
`,
  `
ALTER TABLE containers ADD COLUMN stack TEXT;
`,
  `
CREATE TABLE IF NOT EXISTS container_requests (
  container_seq INTEGER, seq INTEGER, at INTEGER, place INTEGER, method TEXT, path TEXT, status INTEGER, ms INTEGER
);
CREATE TABLE container_lines (
  container_seq INTEGER NOT NULL REFERENCES containers(seq) ON DELETE CASCADE, seq INTEGER NOT NULL, at INTEGER NOT NULL,
  place INTEGER NOT NULL, level TEXT NOT NULL, message TEXT NOT NULL, PRIMARY KEY (container_seq, seq)
) WITHOUT ROWID;
INSERT INTO container_lines
SELECT container_seq, seq, at, place, iif(status >= 500, 'error', iif(status >= 400, 'warn', 'info')),
  printf('%s %s %d %dms', method, path, status, ms) FROM container_requests;
DROP TABLE container_requests;
`,
  // The key of a wallet's last sign-in was found by its name; each sign-in ended all others of that name. Accounts of one
  // instant were in the order of their ids; those of before keep it.
  `
INSERT INTO meta SELECT 'sign-in key of ' || user_id, id FROM (
  SELECT user_id, id, max(seq) FROM api_keys WHERE name = 'SIWE sign-in' AND is_active = 1
  AND user_id IN (SELECT id FROM users WHERE wallet_address IS NOT NULL) GROUP BY user_id
) WHERE true ON CONFLICT DO NOTHING;
ALTER TABLE organizations ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
`,
  // What happened to a container at one instant was in the order of its deployments; variables were a part of the spec.
  `
ALTER TABLE deployments ADD COLUMN turn INTEGER NOT NULL DEFAULT 0;
ALTER TABLE deployments ADD COLUMN environment_vars TEXT NOT NULL DEFAULT '{}';
UPDATE deployments SET turn = number, spec = json_remove(spec, '$.environment_vars'),
  environment_vars = coalesce(json_extract(spec, '$.environment_vars'), '{}');
`,
  // All interventions on a deployment were one JSON text.
  `
CREATE TABLE interventions (
  container_seq INTEGER NOT NULL REFERENCES containers(seq) ON DELETE CASCADE, deployment INTEGER NOT NULL,
  number INTEGER NOT NULL, intervention TEXT NOT NULL, PRIMARY KEY (container_seq, deployment, number)
) WITHOUT ROWID;
ALTER TABLE deployments ADD COLUMN interventions INTEGER NOT NULL DEFAULT 0;
UPDATE deployments SET interventions = json_array_length(acts) WHERE acts <> '[]';
INSERT INTO interventions
SELECT d.container_seq, d.number, act.key + 1, act.value FROM deployments AS d, json_each(d.acts) AS act;
ALTER TABLE deployments DROP COLUMN acts;
CREATE TABLE IF NOT EXISTS voice_jobs (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, organization_id TEXT NOT NULL, user_id TEXT NOT NULL,
  voice_id TEXT NOT NULL, voice_name TEXT NOT NULL, kind TEXT NOT NULL, plan TEXT NOT NULL, act TEXT,
  cost INTEGER NOT NULL, price_rule TEXT NOT NULL, request_id TEXT NOT NULL, refunded_at INTEGER,
  created_at INTEGER NOT NULL
);
ALTER TABLE voice_jobs ADD COLUMN occurrence INTEGER NOT NULL DEFAULT 0;
INSERT INTO counters SELECT 'occurrences', max(number) FROM (
  SELECT max(turn) AS number FROM deployments
  UNION ALL SELECT max(json_extract(intervention, '$.turn')) FROM interventions
  UNION ALL SELECT max(json_extract(grace.value, '$.endedTurn')) FROM containers, json_each(graces) AS grace
) HAVING max(number) IS NOT NULL;
`,
];

/** The version written into `user_version` of every file. */
export const schemaVersion = migrations.length + 1;
