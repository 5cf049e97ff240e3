// Agents, as they are stored.

import type { Db, SqlValue } from '../../db/db.js';
import { fold } from './fold.js';
import { type Token, tokenKey } from './token.js';

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

interface AgentRow extends Omit<Agent, 'bio' | 'tags' | 'is_public' | 'publishing' | 'token'> {
  bio: string;
  tags: string;
  is_public: number;
  publishing: string;
  token: string;
}

export interface AgentQuery {
  /** A user's own agents, or (without it) the public ones of everybody. */
  userId?: string;
  search?: string | undefined;
  category?: string | undefined;
  sortBy: 'newest' | 'updated' | 'name';
  order: 'asc' | 'desc';
  limit: number;
  offset: number;
}

export function insertAgent(db: Db, agent: Agent): void {
  db.run(
    `INSERT INTO agents (seq, id, organization_id, user_id, name, name_key, username, bio, bio_key, category, avatar_url,
       tags, is_public, publishing, token, token_key, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    agent.seq,
    agent.id,
    agent.organization_id,
    agent.user_id,
    agent.name,
    fold(agent.name),
    agent.username,
    JSON.stringify(agent.bio),
    fold(agent.bio.join('\n')),
    agent.category,
    agent.avatar_url,
    JSON.stringify(agent.tags),
    agent.is_public ? 1 : 0,
    JSON.stringify(agent.publishing),
    JSON.stringify(agent.token),
    tokenKey(agent.token),
    agent.created_at,
    agent.updated_at,
  );
}

export function findAgent(db: Db, id: string): Agent | undefined {
  const row = db.get<AgentRow>('SELECT * FROM agents WHERE id = ?', id);
  return row === undefined ? undefined : readAgent(row);
}

/** The id of the agent that stands for a token. */
export function findByToken(db: Db, token: Token): string | undefined {
  return db.get<{ id: string }>('SELECT id FROM agents WHERE token_key = ?', tokenKey(token))?.id;
}

export function usernameTaken(db: Db, username: string): boolean {
  return db.get('SELECT 1 FROM agents WHERE username = ?', username) !== undefined;
}

export function countAgents(db: Db, organizationId: string): number {
  return db.get<{ n: number }>('SELECT count(*) AS n FROM agents WHERE organization_id = ?', organizationId)?.n ?? 0;
}

const sortColumns = { newest: 'created_at', updated: 'updated_at', name: 'name_key' };

/** One page of agents, and how many there are on all pages. */
export function listAgents(db: Db, query: AgentQuery): { agents: Agent[]; total: number } {
  const { where, values } = conditions(query);
  const total = db.get<{ n: number }>(`SELECT count(*) AS n FROM agents WHERE ${where}`, ...values)?.n ?? 0;
  // Beyond the end there is nothing to ask for, and the offset may be greater than SQLite's integers.
  if (query.offset >= total) return { agents: [], total };
  const direction = query.order === 'asc' ? 'ASC' : 'DESC';
  const rows = db.all<AgentRow>(
    `SELECT * FROM agents WHERE ${where}
     ORDER BY ${sortColumns[query.sortBy]} ${direction}, seq ${direction} LIMIT ? OFFSET ?`,
    ...values,
    query.limit,
    query.offset,
  );
  return { agents: rows.map(readAgent), total };
}

export function saveVisibility(db: Db, { seq, is_public, publishing, updated_at }: Agent): void {
  db.run(
    'UPDATE agents SET is_public = ?, publishing = ?, updated_at = ? WHERE seq = ?',
    is_public ? 1 : 0,
    JSON.stringify(publishing),
    updated_at,
    seq,
  );
}

export function deleteAgent(db: Db, seq: number): void {
  db.run('DELETE FROM agents WHERE seq = ?', seq);
}

function conditions({ userId, search = '', category = '' }: AgentQuery): { where: string; values: SqlValue[] } {
  const parts: string[] = [];
  const values: SqlValue[] = [];
  if (userId === undefined) parts.push('is_public = 1');
  else {
    parts.push('user_id = ?');
    values.push(userId);
  }
  if (category !== '') {
    parts.push('category = ?');
    values.push(category);
  }
  if (search !== '') {
    // instr knows no wildcards: % and _ mean themselves.
    parts.push('(instr(name_key, ?) > 0 OR instr(bio_key, ?) > 0)');
    values.push(fold(search), fold(search));
  }
  return { where: parts.join(' AND '), values };
}

function readAgent({ bio, tags, publishing, token, is_public, ...row }: AgentRow): Agent {
  return {
    ...row,
    bio: JSON.parse(bio) as string[],
    tags: JSON.parse(tags) as string[],
    is_public: is_public === 1,
    publishing: JSON.parse(publishing) as Publishing,
    token: JSON.parse(token) as Token,
  };
}
