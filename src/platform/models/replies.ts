// Selects the reply to a conversation: one queued by a control, else that of the first fixture that matches, else none.
// Fixtures are those of the settings, then those of the user's files, then the shipped ones.

import { longForm, type Reply, type ReplyFixture, type ReplyMatch } from '../../config/replies.js';
import { type ReplySource, readReplyFile, replySources } from '../../config/reply-file.js';
import { memoizeMany } from '../../core/memoize-last.js';
import { fitsStars } from '../../core/patterns.js';
import { hashSecret } from '../../core/random.js';
import { readRegex, regexFinds } from '../../core/safe-regex.js';
import type { World } from '../../world/world.js';
import { type Asked, type Situation, situationOf } from './conversation.js';
import { countUse, listQueued, takeQueued, usesOf } from './store.js';

/** A queued reply or that of a fixture, and the function that counts its use. */
export interface Chosen {
  reply: Reply;
  /** Must be called in the transaction of the request that gets the reply. */
  take: () => void;
}

/**
 * The reply that a control or a fixture sets for a conversation, or for another request to a model.
 *
 * @param warn receives a warning for each file that cannot be used
 */
export function chosenReply(world: World, conversation: Asked, warn: (text: string) => void): Chosen | undefined {
  const { db } = world;
  const ordered = listQueued(db).find(({ model }) => model === null || matchesModel(model, conversation.model));
  if (ordered !== undefined) return { reply: ordered.reply, take: () => takeQueued(db, ordered) };
  const { fixtures, problems } = knownFixtures(world);
  for (const problem of problems) warn(`replies that cannot be used: ${problem}`);
  const choice = selectReply(fixtures, situationOf(conversation), (key) => usesOf(db, key));
  if (choice === undefined) return undefined;
  const { reply, counts } = choice;
  return { reply, take: () => counts !== undefined && countUse(db, counts) };
}

/** A fixture, and the key under which its uses are counted. */
interface KnownFixture {
  fixture: ReplyFixture;
  key: string;
}

interface Choice {
  reply: Reply;
  /** The key under which the uses of its fixture are counted, if they are. */
  counts?: string;
}

const lookedAt = 100_000;

/**
 * The reply of the first fixture that matches.
 *
 * @param uses how often a fixture has replied already
 */
function selectReply(
  fixtures: readonly KnownFixture[],
  situation: Situation,
  uses: (key: string) => number,
): Choice | undefined {
  for (const { fixture, key } of fixtures) {
    if (!matches(fixture.match, situation)) continue;
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

/** Whether a fixture matches a situation. */
function matches({ model, text, turn, step }: ReplyMatch, situation: Situation): boolean {
  if (turn !== undefined && turn !== situation.turn) return false;
  if (step !== undefined && step !== situation.step) return false;
  if (model !== undefined && !matchesModel(model, situation.model)) return false;
  return text === undefined || matchesText(text, situation.text);
}

/** Whether a pattern matches a model, with or without its owner. */
function matchesModel(pattern: string, model: string): boolean {
  return fitsStars(pattern, model) || fitsStars(pattern, model.slice(model.indexOf('/') + 1));
}

function matchesText(pattern: string, text: string): boolean {
  const regex = readRegex(pattern);
  if (regex !== undefined) return regexFinds(regex, text, lookedAt);
  return pattern === text || fitsStars(pattern.trim(), text.trim());
}

// The user's message stays the same while tools are called: a reply that calls them would do so for ever.
function wouldRepeatCalls({ reply, match }: ReplyFixture, chosen: Reply, { step }: Situation): boolean {
  return reply !== undefined && chosen.toolCalls !== undefined && step > 1 && match.step === undefined;
}

interface Known {
  fixtures: KnownFixture[];
  /** Files that cannot be used, a line each. */
  problems: string[];
}

/** All fixtures, in the order in which they are tried. Edited files are read again. */
function knownFixtures({ config }: World): Known {
  const { fixtures, problems } = inFiles(JSON.stringify(replySources(config.replies)));
  return { fixtures: [...config.replies.fixtures.map(keyed), ...fixtures], problems };
}

// Worlds may have folders of their own.
const inFiles = memoizeMany(20, (sources: string): Known => {
  const files = (JSON.parse(sources) as ReplySource[]).map(({ file }) => ({ file, ...readReplyFile(file) }));
  return {
    fixtures: files.flatMap(({ fixtures }) => fixtures.map(keyed)),
    problems: files.flatMap(({ file, problems }) => problems.slice(0, 1).map((problem) => `${file}: ${problem}`)),
  };
});

// An edited fixture begins to count anew.
function keyed(fixture: KnownFixture['fixture']): KnownFixture {
  return { fixture, key: fixture.sequence === undefined ? '' : hashSecret(JSON.stringify(fixture)).slice(0, 32) };
}
