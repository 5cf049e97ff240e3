// The content of a reply as texts, and the bound on how much of it one request may ask for.

import type { Reply } from '../../config/replies.js';
import { createBudget } from '../../core/budget.js';
import type { Conversation } from './conversation.js';
import { countTokens } from './tokens.js';

/** The content of a reply. */
export interface Said {
  /** Undefined when it has no text; an empty text is one. */
  text: { kind: 'text' | 'refusal'; chunks: readonly string[]; isChunked: boolean } | undefined;
  calls: { name: string; id: string | undefined; text: string }[];
  finishReason: Reply['finishReason'];
}

/** The content of a reply to a conversation. */
export function saidBy(reply: Reply, { toolChoice }: Pick<Conversation, 'toolChoice'>): Said {
  const { text, value, chunks, refusal, toolCalls, finishReason } = reply;
  const whole = refusal ?? text ?? (value === undefined ? undefined : JSON.stringify(value));
  const all = whole === undefined ? chunks : [whole];
  const kind = refusal === undefined ? 'text' : 'refusal';
  return {
    text: all && { kind, chunks: all, isChunked: whole === undefined },
    calls: (toolCalls ?? []).map(({ name, id, arguments: given }) => ({
      name,
      id,
      text: typeof given === 'string' ? given : JSON.stringify(given),
    })),
    // A call that the request demands by its name is no decision of the model to call a tool, so the reason is `stop`, as at
    // OpenAI.
    finishReason: finishReason ?? (typeof toolChoice === 'object' ? 'stop' : undefined),
  };
}

/** The most that all answers to one request may have together. */
const mostCharacters = 1_000_000;
const mostTokens = 500_000;

/**
 * Refuses what would be too long together: each answer is made, and sent, as often as it is requested.
 *
 * @param maxTokens where an answer ends at the latest
 * @throws ApiError VALIDATION_ERROR
 */
export function checkSize({ text, calls }: Said, { count, maxTokens }: { count: number; maxTokens: number }): void {
  const path = count > 1 ? 'n' : '(whole)';
  const characters = createBudget({ most: mostCharacters, of: 'characters of answers', path });
  const tokens = createBudget({ most: mostTokens, of: 'tokens of answers', path });
  const texts = [...(text?.chunks ?? []), ...calls.map((call) => call.text)];
  for (const one of texts) characters.spend(one.length * count);
  let left = maxTokens;
  for (const one of texts) {
    const found = countTokens(one, left);
    tokens.spend(found * count);
    left -= found;
  }
}
