// Takes documents in: cuts them into fragments that can be found, before the transaction, and keeps all or none.

import { afterThisTick } from '../../core/clock.js';
import { counted } from '../../core/words.js';
import type { HandlerContext } from '../../http/endpoint.js';
import { type JsonAnswer, json } from '../../http/response.js';
import { bytesOf, embed } from '../models/embeddings/vector.js';
import type { ReadDocument } from './files.js';
import { presentDocument } from './present.js';
import { type Fragment, insertDocument, type KnowledgeDocument, vectorSize } from './store.js';

/** A document that is to be kept. */
export interface Prepared extends ReadDocument {
  metadata: Record<string, unknown>;
  characterId: string | null;
  fragments: Fragment[];
}

/** Documents with their fragments. */
export async function prepareDocuments(
  documents: readonly ReadDocument[],
  more: Pick<Prepared, 'metadata' | 'characterId'>,
): Promise<Prepared[]> {
  const prepared: Prepared[] = [];
  for (const document of documents)
    prepared.push({ ...document, ...more, fragments: await makeFragments(document.text) });
  return prepared;
}

/** Keeps documents; returns the response. */
export function keepDocuments(
  call: Pick<HandlerContext, 'world' | 'caller' | 'now'>,
  prepared: readonly Prepared[],
): JsonAnswer {
  const data = prepared.map((document) => presentDocument(keep(call, document)));
  const count = data.length;
  return json(201, {
    success: true,
    data,
    document: data[0],
    message: `${counted(count, 'document')} uploaded`,
    successCount: count,
    failedCount: 0,
    totalCount: count,
  });
}

function keep(
  { world, caller, now }: Pick<HandlerContext, 'world' | 'caller' | 'now'>,
  prepared: Prepared,
): KnowledgeDocument {
  const seq = world.nextNumber('knowledge');
  const document: KnowledgeDocument = {
    seq,
    id: world.random.uuid('knowledge', seq),
    organization_id: caller.organizationId,
    user_id: caller.userId,
    character_id: prepared.characterId,
    name: prepared.name,
    type: prepared.type,
    bytes: prepared.bytes,
    fragments: prepared.fragments.length,
    metadata: JSON.stringify(prepared.metadata),
    created_at: now,
  };
  insertDocument(world.db, document, prepared.fragments);
  return document;
}

const longest = 800;
const shortest = 200;
/** Fragments made in one go: a few milliseconds' work. */
const sliceFragments = 50;
/** Where to cut, best first: after paragraphs, lines, sentences, words. */
const ends = [/\n\s*\n/g, /\n/g, /[.!?。！？]\s*/g, /\s/g];

/** The parts of a text. */
function cut(text: string): string[] {
  const parts: string[] = [];
  for (let from = 0; from < text.length; ) {
    const to = cutAfter(text, from);
    parts.push(text.slice(from, to));
    from = to;
  }
  return parts;
}

/** The fragments of a text; made in slices, with room for others between them. */
async function makeFragments(text: string): Promise<Fragment[]> {
  const fragments: Fragment[] = [];
  for (const content of cut(text)) {
    fragments.push({ content, vector: bytesOf(embed(content.trim(), vectorSize)) });
    if (fragments.length % sliceFragments === 0) await new Promise<void>((resolve) => afterThisTick(resolve));
  }
  return fragments;
}

// A paragraph of some length is a fragment of its own; longer ones end where their last sentence or word does.
function cutAfter(text: string, from: number): number {
  const window = text.slice(from, from + longest);
  const paragraph = endsIn(window, ends[0]).find((end) => end >= shortest);
  if (paragraph !== undefined) return from + paragraph;
  if (from + longest >= text.length) return text.length;
  for (const pattern of ends.slice(1)) {
    const last = endsIn(window, pattern).at(-1);
    if (last !== undefined && last >= shortest) return from + last;
  }
  const splitsPair = /[\ud800-\udbff]$/.test(window);
  return from + longest - (splitsPair ? 1 : 0);
}

function endsIn(window: string, pattern: RegExp | undefined): number[] {
  return pattern === undefined ? [] : [...window.matchAll(pattern)].map((match) => match.index + match[0].length);
}
