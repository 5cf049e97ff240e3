// Stored conversations with hosted agents, and their messages.

import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';

export interface AgentConversation {
  seq: number;
  id: string;
  agent_id: string;
  /** The client's name for the place where they talk. */
  room_id: string;
  title: string;
  created_at: number;
  updated_at: number;
}

export interface AgentMessage {
  seq: number;
  id: string;
  conversation_seq: number;
  role: 'user' | 'assistant';
  text: string;
  created_at: number;
}

/** The newest messages of a conversation that are kept. */
const keptMessages = 200;
/** The newest conversations of an agent that are kept. */
const keptConversations = 200;

/** Begins a conversation, and forgets the oldest of the agent where there are many. */
export function insertConversation(db: Db, conversation: AgentConversation): void {
  insert(db, 'agent_conversations', conversation);
  db.run(
    `DELETE FROM agent_conversations WHERE agent_id = @agentId AND seq NOT IN (
       SELECT seq FROM agent_conversations WHERE agent_id = @agentId ORDER BY seq DESC LIMIT @kept)`,
    { agentId: conversation.agent_id, kept: keptConversations },
  );
}

/** The conversations with an agent, newest first. */
export function listConversations(db: Db, agentId: string): AgentConversation[] {
  return db.all<AgentConversation>('SELECT * FROM agent_conversations WHERE agent_id = @agentId ORDER BY seq DESC', {
    agentId,
  });
}

export function findConversation(db: Db, agentId: string, id: string): AgentConversation | undefined {
  return db.get<AgentConversation>('SELECT * FROM agent_conversations WHERE agent_id = @agentId AND id = @id', {
    agentId,
    id,
  });
}

/** The conversation of a room: the newest, if there are several. */
export function findRoom(db: Db, agentId: string, roomId: string): AgentConversation | undefined {
  return db.get<AgentConversation>(
    'SELECT * FROM agent_conversations WHERE agent_id = @agentId AND room_id = @roomId ORDER BY seq DESC LIMIT 1',
    { agentId, roomId },
  );
}

/** Adds a message, and forgets the oldest where there are many. */
export function insertMessage(db: Db, message: AgentMessage): void {
  insert(db, 'agent_messages', message);
  db.run(
    `DELETE FROM agent_messages WHERE conversation_seq = @conversation AND seq NOT IN (
       SELECT seq FROM agent_messages WHERE conversation_seq = @conversation ORDER BY seq DESC LIMIT @kept)`,
    { conversation: message.conversation_seq, kept: keptMessages },
  );
  db.run('UPDATE agent_conversations SET updated_at = @at WHERE seq = @conversation', {
    at: message.created_at,
    conversation: message.conversation_seq,
  });
}

/** The newest messages of a conversation, the oldest of them first. */
export function listMessages(db: Db, conversationSeq: number, most = keptMessages): AgentMessage[] {
  return db
    .all<AgentMessage>(
      'SELECT * FROM agent_messages WHERE conversation_seq = @conversationSeq ORDER BY seq DESC LIMIT @most',
      { conversationSeq, most },
    )
    .reverse();
}
