// Warnings of ordered replies that say what no model would, given the request: what a client does with them, it never
// does with a model.

import type { Reply } from '../../config/replies.js';
import type { Conversation } from './conversation.js';

type Asked = Pick<Conversation, 'tools' | 'toolChoice' | 'isParallel'>;

/** How a reply contradicts the request that it answers, a text for each way. */
export function contradictionsOf({ toolCalls = [], refusal, ...reply }: Reply, asked: Asked): string[] {
  const { tools, toolChoice, isParallel } = asked;
  const called = [...new Set(toolCalls.map(({ name }) => name))];
  const isOffered = (name: string): boolean => tools.some((tool) => tool.name === name);
  const strangers = called.filter((name) => !isOffered(name));
  const wanted = typeof toolChoice === 'object' ? toolChoice.name : undefined;
  const saysSomething = [reply.text, reply.value, reply.chunks].some((content) => content !== undefined);
  const contradictions: string[] = [];
  if (strangers.length > 0) contradictions.push(`it calls ${listed(strangers)}, which the request does not offer`);
  if (toolChoice === 'none' && called.length > 0) contradictions.push('it calls a tool, and tool_choice is none');
  if (!isParallel && toolCalls.length > 1)
    contradictions.push(`it calls ${toolCalls.length} tools, and parallel_tool_calls is false`);
  // A model may always refuse.
  if (called.length === 0 && saysSomething && refusal === undefined) {
    if (toolChoice === 'required') contradictions.push('it calls no tool, and tool_choice is required');
    if (wanted !== undefined) contradictions.push(`it calls no tool, and tool_choice names ${listed([wanted])}`);
  }
  const others = called.filter((name) => name !== wanted && isOffered(name));
  if (wanted !== undefined && others.length > 0)
    contradictions.push(`it calls ${listed(others)}, and tool_choice names ${listed([wanted])}`);
  return contradictions;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => name.slice(0, 60));
  return [...shown, ...(names.length > shown.length ? ['others'] : [])].join(', ');
}
