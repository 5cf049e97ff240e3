// Matches fixtures against a conversation; the first match counts. Pure.

import { longForm, type Reply, type ReplyFixture, type ReplyMatch } from '../../config/replies.js';
import { fitsStars } from '../../core/patterns.js';
import { readRegex, regexFinds } from '../../core/safe-regex.js';
import type { Situation } from './conversation.js';

/** A fixture and what its uses are counted under. */
export interface KnownFixture {
  fixture: ReplyFixture;
  key: string;
}

export interface Choice {
  reply: Reply;
  /** Of a fixture whose uses count. */
  counts?: string;
}

const lookedAt = 100_000;

/**
 * The reply of the first fixture that fits.
 *
 * @param uses how often a fixture has replied already
 */
export function selectReply(
  fixtures: readonly KnownFixture[],
  situation: Situation,
  uses: (key: string) => number,
): Choice | undefined {
  for (const { fixture, key } of fixtures) {
    if (!fits(fixture.match, situation)) continue;
    const { reply, steps, sequence } = fixture;
    if (sequence !== undefined) {
      const next = sequence[Math.min(uses(key), sequence.length - 1)];
      if (next !== undefined) return { reply: longForm(next), counts: key };
      continue;
    }
    const found = reply ?? steps?.[situation.step - 1];
    if (found === undefined || wouldRepeatCalls(fixture, longForm(found), situation)) continue;
    return { reply: longForm(found) };
  }
  return undefined;
}

/** Whether a reply is meant for a situation. */
export function fits({ model, text, turn, step }: ReplyMatch, situation: Situation): boolean {
  if (turn !== undefined && turn !== situation.turn) return false;
  if (step !== undefined && step !== situation.step) return false;
  if (model !== undefined && !fitsModel(model, situation.model)) return false;
  return text === undefined || fitsText(text, situation.text);
}

/** Whether a model is meant, with or without the name of its owner. */
export function fitsModel(pattern: string, model: string): boolean {
  return fitsStars(pattern, model) || fitsStars(pattern, model.slice(model.indexOf('/') + 1));
}

function fitsText(pattern: string, text: string): boolean {
  const regex = readRegex(pattern);
  if (regex !== undefined) return regexFinds(regex, text, lookedAt);
  return pattern === text || fitsStars(pattern.trim(), text.trim());
}

// What is asked stays the same while tools are called: a reply that calls them would do so for ever.
function wouldRepeatCalls({ reply, match }: ReplyFixture, chosen: Reply, { step }: Situation): boolean {
  return reply !== undefined && chosen.toolCalls !== undefined && step > 1 && match.step === undefined;
}
