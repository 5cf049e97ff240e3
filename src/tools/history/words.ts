// Changes of rows in the words of the domain: "credits 1000 → 999.5", "container web: created".

import type { ChangedField, ChangedRow, ChangedTable } from '../journal/row-changes.js';

/** The nouns of tables whose names are not their plural. */
const nouns: Record<string, string> = {
  api_keys: 'key',
  organizations: 'organization',
  knowledge_documents: 'document',
  knowledge_fragments: 'part of a document',
  document_uploads: 'uploaded file',
  voice_jobs: 'cloning job',
  hosted_agents: 'hosted agent',
  agent_jobs: 'job of agent',
  cli_sessions: 'sign-in of a command line',
  agent_conversations: 'conversation with a hosted agent',
  agent_messages: 'message of a conversation',
  relay_sessions: 'session of a local agent',
  relay_requests: 'request to a local agent',
  registry_manifests: 'image',
  registry_tags: 'tag',
  registry_blobs: 'layer',
  fault_counts: 'counts of fault',
  reply_queue: 'ordered reply',
  ai_responses: 'response',
  usdc_balances: 'USDC of',
  interventions: 'intervention in container',
  dues: 'running cost',
  effects: 'what is due:',
  meta: 'world:',
};

/** Rows that only say again what another one says. */
const unsaid = new Set([
  'ledger',
  'agent_acts',
  'ai_items',
  'registry_blobs',
  'knowledge_fragments',
  'wallet_replays',
  'reply_uses',
]);

/** Fields that say again what another row says, or when. */
const ownNotes = new Set(['updated_at', 'interventions', 'turn', 'reads']);

const mostFields = 4;
const longest = 60;

/** The changes that people want to know, each as a few words. */
export function wordsOf(tables: readonly ChangedTable[]): string[] {
  return tables.flatMap(({ table, rows }) =>
    unsaid.has(table) ? [] : rows.filter((row) => isSaid(table, row)).map((row) => wordsOfRow(table, row)),
  );
}

const isSaid = (table: string, { change, fields }: ChangedRow): boolean =>
  change === 'changed' ? fields.some(({ name }) => !ownNotes.has(name)) : table !== 'fault_counts';

/** A changed row as a few words. */
export function wordsOfRow(table: string, row: ChangedRow): string {
  const { change, fields } = row;
  const balance = fields.find(({ name }) => name === 'balance');
  if (table === 'organizations' && change === 'changed' && balance !== undefined)
    return `credits ${balance.before} → ${balance.after}`;
  if (table === 'effects') return `${change === 'removed' ? 'no longer due' : 'due'}: ${row.key.replace(/ \/ $/, '')}`;
  if (table === 'meta' && row.key === 'clock') return `clock ${fieldsOf(fields)}`;
  const of = row.name === null ? '' : ` of ${row.name}`;
  if (table === 'deployments' && change !== 'changed')
    return `deployment${of}: ${change === 'added' ? 'begun' : 'removed'}`;
  if (table === 'interventions' && change === 'added') return `container ${row.name ?? row.key}: ${kindOf(fields)}`;
  const noun = nouns[table] ?? table.replaceAll('_', ' ').replace(/s$/, '');
  const id = table === 'faults' ? fields.find(({ name }) => name === 'id') : undefined;
  const thing = `${noun} ${row.name ?? id?.after ?? id?.before ?? row.key}`;
  if (change === 'added') return `${thing}: created`;
  if (change === 'removed') return `${thing}: removed`;
  return `${thing}: ${fieldsOf(fields)}`;
}

function kindOf(fields: readonly ChangedField[]): string {
  return fields.find(({ name }) => name === 'intervention.kind')?.after ?? 'changed by hand';
}

function fieldsOf(fields: readonly ChangedField[]): string {
  const meant = fields.filter(({ name }) => !ownNotes.has(name));
  const shown = meant
    .slice(0, mostFields)
    .map(({ name, before, after }) => `${name} ${short(before)} → ${short(after)}`);
  const rest = meant.length - shown.length;
  return shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

function short(value: string | null): string {
  if (value === null) return 'none';
  return value.length <= longest ? value : `${value.slice(0, longest)}…`;
}
