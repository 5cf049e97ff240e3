CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;

CREATE TABLE organizations (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, slug TEXT NOT NULL UNIQUE, plan TEXT NOT NULL,
  balance INTEGER NOT NULL, created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE users (
  id TEXT PRIMARY KEY, organization_id TEXT NOT NULL REFERENCES organizations(id) ON DELETE CASCADE,
  email TEXT, name TEXT NOT NULL, role TEXT NOT NULL, wallet_address TEXT UNIQUE, avatar TEXT, nickname TEXT,
  work_function TEXT, preferences TEXT, response_notifications INTEGER NOT NULL DEFAULT 1,
  email_notifications INTEGER NOT NULL DEFAULT 1, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY, seq INTEGER NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organizations(id) ON DELETE CASCADE, user_id TEXT NOT NULL,
  name TEXT NOT NULL, description TEXT, environment TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, prefix TEXT NOT NULL,
  recipe TEXT, permissions TEXT, rate_limit INTEGER NOT NULL, is_active INTEGER NOT NULL,
  usage_count INTEGER NOT NULL, last_used_at INTEGER, expires_at INTEGER, created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX api_keys_by_organization ON api_keys (organization_id, seq);

CREATE TABLE ledger (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL, organization_id TEXT NOT NULL, type TEXT NOT NULL,
  amount INTEGER NOT NULL, balance_before INTEGER NOT NULL, balance_after INTEGER NOT NULL, reason TEXT NOT NULL,
  price_rule TEXT, operation TEXT, request_id TEXT, subject TEXT, created_at INTEGER NOT NULL
);
CREATE INDEX ledger_by_organization ON ledger (organization_id, seq);

CREATE TABLE agents (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, organization_id TEXT NOT NULL, user_id TEXT NOT NULL,
  name TEXT NOT NULL, name_key TEXT NOT NULL, username TEXT NOT NULL UNIQUE, bio TEXT NOT NULL, bio_key TEXT NOT NULL,
  category TEXT, avatar_url TEXT, tags TEXT NOT NULL, is_public INTEGER NOT NULL, publishing TEXT NOT NULL,
  token TEXT NOT NULL, token_key TEXT UNIQUE, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
);
CREATE INDEX agents_by_user ON agents (user_id, created_at);
CREATE INDEX agents_by_organization ON agents (organization_id);
CREATE INDEX agents_in_marketplace ON agents (created_at) WHERE is_public = 1;

CREATE TABLE containers (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, organization_id TEXT NOT NULL, user_id TEXT NOT NULL, api_key_id TEXT,
  name TEXT NOT NULL, project_name TEXT NOT NULL, slug TEXT NOT NULL UNIQUE, description TEXT,
  listener_port INTEGER, created_at INTEGER NOT NULL,
  UNIQUE (organization_id, project_name), UNIQUE (organization_id, name)
);
CREATE TABLE deployments (
  container_seq INTEGER NOT NULL REFERENCES containers(seq) ON DELETE CASCADE, number INTEGER NOT NULL, id TEXT NOT NULL,
  kind TEXT NOT NULL, spec TEXT NOT NULL, plan TEXT NOT NULL, cost INTEGER NOT NULL, price_rule TEXT, request_id TEXT,
  started_at INTEGER NOT NULL, acts TEXT NOT NULL, reads INTEGER NOT NULL, refunded_at INTEGER,
  PRIMARY KEY (container_seq, number)
) WITHOUT ROWID;
CREATE TABLE images (
  repository TEXT NOT NULL, tag TEXT NOT NULL, digest TEXT NOT NULL, architectures TEXT NOT NULL,
  pushed_at INTEGER NOT NULL, PRIMARY KEY (repository, tag)
) WITHOUT ROWID;

CREATE TABLE effects (
  kind TEXT NOT NULL, subject TEXT NOT NULL, due_at INTEGER NOT NULL, PRIMARY KEY (kind, subject)
) WITHOUT ROWID;
CREATE INDEX effects_by_due ON effects (due_at);

CREATE TABLE rate_windows (
  caller TEXT NOT NULL, bucket TEXT NOT NULL, started_at INTEGER NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY (caller, bucket)
) WITHOUT ROWID;
CREATE TABLE journal (
  last_seq INTEGER PRIMARY KEY, entries TEXT NOT NULL
);
