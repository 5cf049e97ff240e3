// All tables of a world, on one page.

/**
 * Instants are virtual milliseconds since the epoch, money is micro-credits, documents are JSON text.
 * Secrets are stored as SHA-256 only.
 */
export const schema = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;

CREATE TABLE organizations (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, slug TEXT NOT NULL UNIQUE, plan TEXT NOT NULL,
  balance INTEGER NOT NULL, created_at INTEGER NOT NULL, fail_nth INTEGER,
  seq INTEGER NOT NULL DEFAULT 0, billing_hold INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE users (
  id TEXT PRIMARY KEY, organization_id TEXT NOT NULL REFERENCES organizations(id) ON DELETE CASCADE,
  email TEXT, name TEXT NOT NULL, role TEXT NOT NULL, wallet_address TEXT UNIQUE, avatar TEXT, nickname TEXT,
  work_function TEXT, preferences TEXT, response_notifications INTEGER NOT NULL DEFAULT 1,
  email_notifications INTEGER NOT NULL DEFAULT 1, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
  seq INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY, seq INTEGER NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organizations(id) ON DELETE CASCADE, user_id TEXT NOT NULL,
  name TEXT NOT NULL, description TEXT, environment TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, prefix TEXT NOT NULL,
  recipe TEXT, permissions TEXT, rate_limit INTEGER NOT NULL, is_active INTEGER NOT NULL,
  usage_count INTEGER NOT NULL, last_used_at INTEGER, expires_at INTEGER, expires_sent INTEGER,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX api_keys_by_organization ON api_keys (organization_id, seq);
CREATE TABLE sessions (
  id TEXT PRIMARY KEY, seq INTEGER NOT NULL UNIQUE, user_id TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  origin TEXT NOT NULL, iat INTEGER NOT NULL, exp INTEGER NOT NULL, created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL, revoked_at INTEGER
) WITHOUT ROWID;
CREATE TABLE cli_sessions (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
  completed_at INTEGER, key_recipe TEXT, told_at INTEGER, key_id TEXT
);

CREATE TABLE ledger (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL, organization_id TEXT NOT NULL, type TEXT NOT NULL,
  amount INTEGER NOT NULL, balance_before INTEGER NOT NULL, balance_after INTEGER NOT NULL, reason TEXT NOT NULL,
  price_rule TEXT, operation TEXT, request_id TEXT, subject TEXT, created_at INTEGER NOT NULL
);
CREATE INDEX ledger_by_organization ON ledger (organization_id, seq);
CREATE INDEX ledger_of_days ON ledger (subject, created_at, amount) WHERE operation = 'billing.daily';
CREATE TABLE dues (
  seq INTEGER PRIMARY KEY, organization_id TEXT NOT NULL, subject TEXT NOT NULL, amount INTEGER NOT NULL,
  reason TEXT NOT NULL, price_rule TEXT NOT NULL, due_at INTEGER NOT NULL, ends_at INTEGER NOT NULL
);
CREATE TABLE reservations (
  seq INTEGER PRIMARY KEY, organization_id TEXT NOT NULL, amount INTEGER NOT NULL, reason TEXT NOT NULL,
  operation TEXT NOT NULL, request_id TEXT NOT NULL
);
CREATE INDEX dues_by_organization ON dues (organization_id, seq);
CREATE INDEX dues_by_subject ON dues (subject);

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
  listener_port INTEGER, created_at INTEGER NOT NULL, graces TEXT);
CREATE INDEX containers_by_project ON containers (organization_id, project_name);
CREATE INDEX containers_by_name ON containers (organization_id, name);
CREATE TABLE deployments (
  container_seq INTEGER NOT NULL REFERENCES containers(seq) ON DELETE CASCADE, number INTEGER NOT NULL, id TEXT NOT NULL,
  kind TEXT NOT NULL, spec TEXT NOT NULL, plan TEXT NOT NULL, cost INTEGER NOT NULL, price_rule TEXT, request_id TEXT,
  started_at INTEGER NOT NULL, interventions INTEGER NOT NULL DEFAULT 0, reads INTEGER NOT NULL, refunded_at INTEGER,
  turn INTEGER NOT NULL DEFAULT 0, environment_vars TEXT NOT NULL DEFAULT '{}', PRIMARY KEY (container_seq, number)
) WITHOUT ROWID;
CREATE TABLE interventions (
  container_seq INTEGER NOT NULL REFERENCES containers(seq) ON DELETE CASCADE, deployment INTEGER NOT NULL,
  number INTEGER NOT NULL, intervention TEXT NOT NULL, PRIMARY KEY (container_seq, deployment, number)
) WITHOUT ROWID;
CREATE TABLE container_lines (
  container_seq INTEGER NOT NULL REFERENCES containers(seq) ON DELETE CASCADE, seq INTEGER NOT NULL, at INTEGER NOT NULL,
  place INTEGER NOT NULL, level TEXT NOT NULL, message TEXT NOT NULL, PRIMARY KEY (container_seq, seq)
) WITHOUT ROWID;
CREATE INDEX container_lines_by_time ON container_lines (container_seq, at);
CREATE TABLE registry_manifests (
  repository TEXT NOT NULL, digest TEXT NOT NULL, media_type TEXT NOT NULL, body BLOB NOT NULL, subject TEXT,
  artifact_type TEXT, refers_to TEXT NOT NULL, config TEXT, bytes INTEGER NOT NULL, pushed_at INTEGER NOT NULL,
  PRIMARY KEY (repository, digest)
) WITHOUT ROWID;
CREATE INDEX registry_referrers ON registry_manifests (repository, subject) WHERE subject IS NOT NULL;
CREATE TABLE registry_tags (
  repository TEXT NOT NULL, tag TEXT NOT NULL, digest TEXT NOT NULL, pushed_at INTEGER NOT NULL,
  PRIMARY KEY (repository, tag)
) WITHOUT ROWID;
CREATE TABLE registry_blobs (
  repository TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (repository, digest)
) WITHOUT ROWID;
CREATE INDEX registry_blobs_by_digest ON registry_blobs (digest);

CREATE TABLE voices (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, provider_id TEXT NOT NULL UNIQUE, organization_id TEXT NOT NULL,
  user_id TEXT NOT NULL, name TEXT NOT NULL, description TEXT, clone_type TEXT NOT NULL, settings TEXT NOT NULL,
  samples TEXT NOT NULL, cost INTEGER NOT NULL, ready_at INTEGER, is_active INTEGER NOT NULL,
  usage_count INTEGER NOT NULL, last_used_at INTEGER, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
);
CREATE INDEX voices_by_organization ON voices (organization_id, seq);
CREATE TABLE voice_jobs (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, organization_id TEXT NOT NULL, user_id TEXT NOT NULL,
  voice_id TEXT NOT NULL, voice_name TEXT NOT NULL, kind TEXT NOT NULL, plan TEXT NOT NULL, act TEXT,
  cost INTEGER NOT NULL, price_rule TEXT NOT NULL, request_id TEXT NOT NULL, refunded_at INTEGER,
  created_at INTEGER NOT NULL, occurrence INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX voice_jobs_by_organization ON voice_jobs (organization_id, seq);
CREATE INDEX voice_jobs_by_voice ON voice_jobs (voice_id);

CREATE TABLE hosted_agents (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, organization_id TEXT NOT NULL, user_id TEXT NOT NULL,
  name TEXT NOT NULL, character_id TEXT, config TEXT NOT NULL, environment_vars TEXT NOT NULL, docker_image TEXT,
  tier TEXT NOT NULL, failure TEXT, base TEXT NOT NULL, job_seq INTEGER, activated_at INTEGER, paid_until INTEGER,
  paid_as TEXT, total_billed INTEGER NOT NULL, billing TEXT NOT NULL, request_id TEXT, created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL, occurrence INTEGER NOT NULL);
CREATE INDEX hosted_agents_by_organization ON hosted_agents (organization_id, seq);
CREATE TABLE agent_jobs (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, organization_id TEXT NOT NULL, user_id TEXT NOT NULL,
  agent_id TEXT NOT NULL, agent_name TEXT NOT NULL, type TEXT NOT NULL, plan TEXT NOT NULL, act TEXT,
  previous TEXT NOT NULL, request_id TEXT, created_at INTEGER NOT NULL, occurrence INTEGER NOT NULL);
CREATE INDEX agent_jobs_by_agent ON agent_jobs (agent_id, seq);
CREATE INDEX agent_jobs_by_organization ON agent_jobs (organization_id, seq);
CREATE TABLE agent_acts (agent_id TEXT NOT NULL, turn INTEGER NOT NULL, at INTEGER NOT NULL, previous TEXT NOT NULL,
  status TEXT NOT NULL, error TEXT, after INTEGER NOT NULL, PRIMARY KEY (agent_id, turn)) WITHOUT ROWID;

CREATE TABLE reply_queue (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL, model TEXT, reply TEXT NOT NULL, times INTEGER NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE TABLE reply_uses (key TEXT PRIMARY KEY, uses INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE ai_responses (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, organization_id TEXT NOT NULL, previous_id TEXT,
  input TEXT NOT NULL, output TEXT NOT NULL, created_at INTEGER NOT NULL
);
CREATE TABLE ai_items (
  id TEXT PRIMARY KEY, response_seq INTEGER NOT NULL REFERENCES ai_responses(seq) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX ai_items_by_response ON ai_items (response_seq);

CREATE TABLE knowledge_documents (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, organization_id TEXT NOT NULL, user_id TEXT NOT NULL,
  character_id TEXT, name TEXT NOT NULL, type TEXT NOT NULL, bytes INTEGER NOT NULL, fragments INTEGER NOT NULL,
  metadata TEXT NOT NULL, created_at INTEGER NOT NULL
);
CREATE INDEX knowledge_documents_by_organization ON knowledge_documents (organization_id, seq);
CREATE TABLE knowledge_fragments (
  document_seq INTEGER NOT NULL REFERENCES knowledge_documents(seq) ON DELETE CASCADE, number INTEGER NOT NULL,
  content TEXT NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (document_seq, number)
) WITHOUT ROWID;
CREATE TABLE document_uploads (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, organization_id TEXT NOT NULL, user_id TEXT NOT NULL,
  name TEXT NOT NULL, type TEXT NOT NULL, bytes INTEGER NOT NULL, text TEXT NOT NULL, created_at INTEGER NOT NULL
);

CREATE TABLE pairings (
  seq INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, agent_id TEXT NOT NULL, organization_id TEXT NOT NULL,
  user_id TEXT NOT NULL, permissions TEXT, origin TEXT NOT NULL, created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL, used_at INTEGER
);
CREATE TABLE agent_conversations (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, agent_id TEXT NOT NULL REFERENCES hosted_agents(id) ON DELETE CASCADE,
  room_id TEXT NOT NULL, title TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
);
CREATE INDEX agent_conversations_by_agent ON agent_conversations (agent_id, seq);
CREATE TABLE agent_messages (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
  conversation_seq INTEGER NOT NULL REFERENCES agent_conversations(seq) ON DELETE CASCADE,
  role TEXT NOT NULL, text TEXT NOT NULL, created_at INTEGER NOT NULL
);
CREATE INDEX agent_messages_by_conversation ON agent_messages (conversation_seq, seq);
CREATE TABLE relay_sessions (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, organization_id TEXT NOT NULL, user_id TEXT NOT NULL,
  runtime_agent_id TEXT NOT NULL, agent_name TEXT, created_at INTEGER NOT NULL, last_seen_at INTEGER NOT NULL
);
CREATE TABLE relay_requests (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL, session_seq INTEGER NOT NULL REFERENCES relay_sessions(seq) ON DELETE CASCADE,
  rpc TEXT NOT NULL, queued_at INTEGER NOT NULL, fetched_at INTEGER, answered_at INTEGER, answer TEXT,
  UNIQUE (session_seq, id)
);

CREATE TABLE siwe_nonces (
  seq INTEGER PRIMARY KEY, nonce TEXT NOT NULL UNIQUE, domain TEXT NOT NULL, uri TEXT NOT NULL, chain_id INTEGER NOT NULL,
  client_time INTEGER NOT NULL, expires_at INTEGER NOT NULL, used_at INTEGER
);
CREATE TABLE wallet_replays (
  seq INTEGER PRIMARY KEY, address TEXT NOT NULL, timestamp INTEGER NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL,
  UNIQUE (address, timestamp, method, path)
);
CREATE TABLE test_wallets (number INTEGER PRIMARY KEY, address TEXT NOT NULL UNIQUE);

CREATE TABLE payments (
  seq INTEGER PRIMARY KEY, chain_id INTEGER NOT NULL, asset TEXT NOT NULL, payer TEXT NOT NULL, payee TEXT NOT NULL,
  nonce TEXT NOT NULL, amount INTEGER NOT NULL, version INTEGER NOT NULL, status TEXT NOT NULL, reason TEXT, hash TEXT,
  operation TEXT NOT NULL, request_id TEXT NOT NULL, created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX payments_once ON payments (chain_id, asset, payer, nonce) WHERE status = 'settled';
CREATE TABLE checkouts (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, organization_id TEXT NOT NULL, user_id TEXT NOT NULL,
  amount INTEGER NOT NULL, success_url TEXT NOT NULL, cancel_url TEXT NOT NULL, agent_id TEXT, idempotency_key TEXT,
  created_at INTEGER NOT NULL, paid_at INTEGER
);
CREATE INDEX checkouts_by_organization ON checkouts (organization_id, seq);
CREATE INDEX checkouts_by_key ON checkouts (organization_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE TABLE billing_settings (
  organization_id TEXT PRIMARY KEY, auto_top_up INTEGER NOT NULL, amount INTEGER NOT NULL, threshold INTEGER NOT NULL,
  from_earnings INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE usdc_balances (address TEXT PRIMARY KEY, balance INTEGER NOT NULL) WITHOUT ROWID;

CREATE TABLE effects (
  kind TEXT NOT NULL, subject TEXT NOT NULL, due_at INTEGER NOT NULL, PRIMARY KEY (kind, subject)
) WITHOUT ROWID;
CREATE INDEX effects_by_due ON effects (due_at);

CREATE TABLE rate_windows (
  caller TEXT NOT NULL, bucket TEXT NOT NULL, started_at INTEGER NOT NULL, count INTEGER NOT NULL, full_until INTEGER,
  PRIMARY KEY (caller, bucket)
) WITHOUT ROWID;
CREATE TABLE limits (
  seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, size INTEGER NOT NULL, window_ms INTEGER,
  UNIQUE (kind, name)
);
CREATE TABLE faults (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, rule TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER
);
CREATE TABLE fault_counts (
  fault_seq INTEGER PRIMARY KEY REFERENCES faults(seq) ON DELETE CASCADE, seen INTEGER NOT NULL, hits INTEGER NOT NULL,
  lost TEXT, lost_at INTEGER
);
CREATE TABLE journal (
  last_seq INTEGER PRIMARY KEY, count INTEGER NOT NULL, records TEXT NOT NULL
);
CREATE TABLE history (
  last_seq INTEGER PRIMARY KEY, count INTEGER NOT NULL, bytes INTEGER NOT NULL, entries TEXT NOT NULL, image BLOB
);
`;

/** Creates the missing tables and indexes. */
export const missingTables = schema.replace(/CREATE (TABLE|INDEX|UNIQUE INDEX)/g, 'CREATE $1 IF NOT EXISTS');

interface Table {
  name: string;
  text: string;
  columns: readonly string[];
  /** The tables that its rows point at, which come first. */
  parents: readonly string[];
}

/** All tables. */
export const tables: readonly Table[] = schema
  .split('CREATE TABLE ')
  .slice(1)
  .map((text) => ({
    name: /^\w+/.exec(text)?.[0] ?? '',
    text: `CREATE TABLE ${text.split(';', 1)[0]}`,
    columns: [...text.matchAll(/(\w+) (?:TEXT|INTEGER|BLOB)\b/g)].map(([, column = '']) => column),
    parents: [...text.matchAll(/REFERENCES (\w+)/g)].map(([, parent = '']) => parent),
  }));

/** The names of all tables. */
export const tableNames: readonly string[] = tables.map(({ name }) => name);

/** Those of the data: records of the past belong to no image. */
export const dataTables = tables.filter(({ name }) => name !== 'journal' && name !== 'history');

/** The columns that are true or false. */
export const flagColumns: readonly (readonly [table: string, column: string])[] = [
  ['agents', 'is_public'],
  ['voices', 'is_active'],
];

/** The columns that hold JSON, and what of it; they may also be NULL where their table allows it. */
export const jsonColumns: readonly (readonly [table: string, column: string, holds: 'object' | 'array'])[] = [
  ['api_keys', 'permissions', 'array'],
  ['agents', 'bio', 'array'],
  ['agents', 'tags', 'array'],
  ['agents', 'publishing', 'object'],
  ['agents', 'token', 'object'],
  ['containers', 'graces', 'array'],
  ['deployments', 'spec', 'object'],
  ['deployments', 'environment_vars', 'object'],
  ['deployments', 'plan', 'object'],
  ['interventions', 'intervention', 'object'],
  ['registry_manifests', 'body', 'object'],
  ['registry_manifests', 'refers_to', 'array'],
  ['registry_manifests', 'config', 'object'],
  ['voices', 'settings', 'object'],
  ['voices', 'samples', 'array'],
  ['voice_jobs', 'plan', 'object'],
  ['voice_jobs', 'act', 'object'],
  ['hosted_agents', 'config', 'object'],
  ['hosted_agents', 'environment_vars', 'object'],
  ['hosted_agents', 'base', 'object'],
  ['agent_jobs', 'plan', 'object'],
  ['agent_jobs', 'act', 'object'],
  ['reply_queue', 'reply', 'object'],
  ['ai_responses', 'input', 'array'],
  ['ai_responses', 'output', 'array'],
  ['knowledge_documents', 'metadata', 'object'],
  ['relay_requests', 'rpc', 'object'],
  ['relay_requests', 'answer', 'object'],
  ['faults', 'rule', 'object'],
];
