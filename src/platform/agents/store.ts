// Agents, as they are stored. Texts that search and sorting compare are folded here, as SQLite folds ASCII only.

import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';
import type { SqlValues } from '../../db/sql-value.js';
import { findRow, listRows } from '../../db/stored-json.js';

/** The blockchain token of an agent. */
export interface Token {
  address: string | null;
  chain: string | null;
  name: string | null;
  ticker: string | null;
}

/** How an agent is offered once it is public. */
export interface Publishing {
  monetizationEnabled: boolean;
  markupPercentage: number;
  payoutWalletAddress: string | null;
  a2aEnabled: boolean;
  mcpEnabled: boolean;
}

export interface Agent {
  seq: number;
  id: string;
  organization_id: string;
  user_id: string;
  name: string;
  username: string;
  bio: string[];
  category: string | null;
  avatar_url: string | null;
  tags: string[];
  is_public: boolean;
  publishing: Publishing;
  token: Token;
  created_at: number;
  updated_at: number;
}

/** A user's own agents, or (without it) the public ones of everybody. */
export interface Whose {
  userId?: string | undefined;
}

export interface AgentQuery extends Whose {
  /** Only these, which a search has found. */
  found?: readonly number[] | undefined;
  category?: string | undefined;
  sortBy: 'newest' | 'updated' | 'name';
  order: 'asc' | 'desc';
  limit: number;
  offset: number;
}

export function insertAgent(db: Db, agent: Agent): void {
  insert(db, 'agents', {
    ...agent,
    name_key: fold(agent.name),
    bio_key: fold(agent.bio.join('\n')),
    token_key: tokenKey(agent.token),
  });
}

export function findAgent(db: Db, id: string): Agent | undefined {
  return findRow(db, 'agents', `SELECT ${columns} FROM agents WHERE id = @id`, { id });
}

/** The id of the agent that has a token. */
export function findByToken(db: Db, token: Token): string | undefined {
  return db.get<{ id: string }>('SELECT id FROM agents WHERE token_key = @token_key', { token_key: tokenKey(token) })
    ?.id;
}

export function usernameTaken(db: Db, username: string): boolean {
  return db.get('SELECT 1 FROM agents WHERE username = @username', { username }) !== undefined;
}

export function countAgents(db: Db, organizationId: string): number {
  return (
    db.get<{ n: number }>('SELECT count(*) AS n FROM agents WHERE organization_id = @organizationId', {
      organizationId,
    })?.n ?? 0
  );
}

const sortColumns = { newest: 'created_at', updated: 'updated_at', name: 'name_key' };

/** The agents of one page by their numbers, and how many there are on all pages. */
export function pageAgents(db: Db, query: AgentQuery): { seqs: number[]; total: number } {
  const { where, values } = conditions(query);
  const total = db.get<{ n: number }>(`SELECT count(*) AS n FROM agents WHERE ${where}`, values)?.n ?? 0;
  // Beyond the end no query is needed, and the offset may be greater than SQLite's integers.
  if (query.offset >= total) return { seqs: [], total };
  const direction = query.order === 'asc' ? 'ASC' : 'DESC';
  const rows = db.all<{ seq: number }>(
    `SELECT seq FROM agents WHERE ${where}
      ORDER BY ${sortColumns[query.sortBy]} ${direction}, seq ${direction} LIMIT @limit OFFSET @offset`,
    { ...values, limit: query.limit, offset: query.offset },
  );
  return { seqs: rows.map(({ seq }) => seq), total };
}

/** Agents by their numbers, in the order of these; those that are gone are left out. */
export function readAgents(db: Db, seqs: readonly number[]): Agent[] {
  const sql = `SELECT ${columns} FROM json_each(@seqs) JOIN agents ON seq = value ORDER BY key`;
  return listRows(db, 'agents', sql, { seqs: JSON.stringify(seqs) });
}

// All but the keys that searches compare: they are as long as the texts, and nobody else reads them.
const columns = `agents.seq, agents.id, organization_id, user_id, name, username, bio, category, avatar_url, tags, is_public,
  publishing, token, created_at, updated_at`;

/** The numbers of the agents whose name or bio has a text in it, in any case. */
export function searchAgents(db: Db, { userId }: Whose, search: string): number[] {
  // instr knows no wildcards: % and _ mean themselves.
  const sql = `SELECT seq FROM agents WHERE ${ownersIn({ userId })}
    AND (instr(name_key, @search) > 0 OR instr(bio_key, @search) > 0)`;
  return db.all<{ seq: number }>(sql, { userId: userId ?? null, search: fold(search) }).map(({ seq }) => seq);
}

export function saveVisibility(db: Db, { seq, is_public, publishing, updated_at }: Agent): void {
  db.run(
    'UPDATE agents SET is_public = @is_public, publishing = @publishing, updated_at = @updated_at WHERE seq = @seq',
    { is_public, publishing, updated_at, seq },
  );
}

export function deleteAgent(db: Db, { seq }: Pick<Agent, 'seq'>): void {
  db.run('DELETE FROM agents WHERE seq = @seq', { seq });
}

function conditions({ userId, found, category = '' }: AgentQuery): { where: string; values: SqlValues } {
  const parts = [ownersIn({ userId })];
  if (category !== '') parts.push('category = @category');
  if (found !== undefined) parts.push('seq IN (SELECT value FROM json_each(@found))');
  const values = { userId: userId ?? null, category, found: JSON.stringify(found ?? null) };
  return { where: parts.join(' AND '), values };
}

function ownersIn({ userId }: Whose): string {
  return userId === undefined ? 'is_public = 1' : 'user_id = @userId';
}

// The key that two agents must not share, from address and chain; null without an address.
function tokenKey({ address, chain }: Token): string | null {
  if (address === null) return null;
  // The case of a hexadecimal address is only its checksum; elsewhere addresses differ by case.
  const exact = /^0x[0-9a-f]+$/i.test(address) ? address.toLowerCase() : address;
  return JSON.stringify([(chain ?? '').toLowerCase(), exact]);
}

/**
 * The key of a text. SQLite folds ASCII only, so keys are made here and stored beside the text.
 *
 * @example fold('STRASSE') === fold('Straße') // true
 */
function fold(text: string): string {
  // By way of upper case ß becomes ss; the two small sigmas are one letter; composed and decomposed accents are one too.
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}
