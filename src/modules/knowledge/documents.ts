// Takes documents in, all or none, and removes them: many fragments in parts, while nobody sees their document.

import { nextTurn } from '../../core/clock.js';
import { counted } from '../../core/words.js';
import type { HandlerContext } from '../../http/endpoint.js';
import { overtaken } from '../../http/pipeline.js';
import { type JsonAnswer, json, type LaterAnswer } from '../../http/response.js';
import type { WorldPart } from '../../world/parts.js';
import type { PartKey, World } from '../../world/world.js';
import type { ReadDocument } from './files.js';
import { makeFragments, requireRoom } from './fragments.js';
import { presentDocument } from './present.js';
import {
  countFragments,
  deleteDocument,
  deleteFragments,
  type Fragment,
  hideDocument,
  insertDocument,
  insertFragments,
  type KnowledgeDocument,
  listHidden,
  nobody,
  showDocument,
} from './store.js';

/** A document that is to be kept. */
export interface Prepared extends ReadDocument {
  metadata: Record<string, unknown>;
  characterId: string | null;
  fragments: Fragment[];
}

type Call = Pick<HandlerContext, 'world' | 'caller' | 'now'>;

/** Documents with their fragments. */
export async function prepareDocuments(
  { world, caller }: Pick<HandlerContext, 'world' | 'caller'>,
  documents: readonly ReadDocument[],
  more: Pick<Prepared, 'metadata' | 'characterId'>,
): Promise<Prepared[]> {
  const there = countFragments(world.db, caller.organizationId);
  const texts = documents.map(({ text }) => text);
  const made = await makeFragments(texts, there);
  return documents.map((document, index) => ({ ...document, ...more, fragments: made[index] ?? [] }));
}

/** Fragments that are written or deleted in one go: a few milliseconds' work. */
const writtenAtOnce = 250;

/**
 * Keeps documents; returns the response.
 *
 * @param answerOf the response that tells of them, in their order
 */
export function keepDocuments(
  call: Call,
  prepared: readonly Prepared[],
  answerOf: (documents: readonly KnowledgeDocument[]) => JsonAnswer = uploaded,
): JsonAnswer | LaterAnswer {
  const { world, caller } = call;
  const count = prepared.reduce((sum, { fragments }) => sum + fragments.length, 0);
  // Another request may have kept documents in the meantime.
  requireRoom(countFragments(world.db, caller.organizationId) + count);
  const documents = prepared.map((one) => ({ ...one, document: documentOf(call, one) }));
  const answer = answerOf(documents.map(({ document }) => document));
  if (count <= writtenAtOnce) {
    for (const { document, fragments } of documents) {
      insertDocument(world.db, document);
      insertFragments(world.db, document.seq, fragments, 0);
    }
    return answer;
  }
  for (const { document } of documents) insertDocument(world.db, { ...document, organization_id: nobody });
  const seqs = documents.map(({ document }) => document.seq);
  return inParts(world, seqs, answer, async (goOn) => {
    for (const { document, fragments } of documents) {
      for (let at = 0; at < fragments.length; at += writtenAtOnce) {
        const part = fragments.slice(at, at + writtenAtOnce);
        world.db.transaction(() => insertFragments(world.db, document.seq, part, at));
        await goOn();
      }
    }
    world.db.transaction(() => {
      for (const seq of seqs) showDocument(world.db, seq, caller.organizationId);
    });
  });
}

/** Removes a document; returns the response. */
export function removeDocument(world: World, { seq, fragments }: KnowledgeDocument, answer: JsonAnswer) {
  if (fragments <= writtenAtOnce) {
    deleteDocument(world.db, seq);
    return answer;
  }
  hideDocument(world.db, seq);
  return inParts(world, [seq], answer, (goOn) => remove(world, seq, goOn));
}

/** Lets others have their turn; throws where the world was replaced meanwhile. */
type GoOn = () => Promise<void>;

async function remove(world: World, seq: number, goOn: GoOn): Promise<void> {
  while (world.db.transaction(() => deleteFragments(world.db, seq, writtenAtOnce)) > 0) await goOn();
  world.db.transaction(() => deleteDocument(world.db, seq));
}

/** The hidden documents that this process is writing or removing; others were left by one that ended meanwhile. */
interface UnderWay extends WorldPart {
  seqs: Set<number>;
}

const underWayKey: PartKey<UnderWay> = {
  name: 'knowledge',
  create() {
    const seqs = new Set<number>();
    return { seqs, isBusy: () => seqs.size > 0 };
  },
};

function inParts(
  world: World,
  seqs: readonly number[],
  answer: JsonAnswer,
  work: (goOn: GoOn) => Promise<void>,
): LaterAnswer {
  const { epoch } = world;
  const underWay = world.part(underWayKey).seqs;
  for (const seq of seqs) underWay.add(seq);
  const goOn = async (): Promise<void> => {
    await nextTurn();
    if (world.epoch !== epoch) throw overtaken();
  };
  return {
    kind: 'later',
    async ready() {
      const left = listHidden(world.db).filter((seq) => !underWay.has(seq));
      try {
        await goOn();
        for (const seq of left) await remove(world, seq, goOn);
        await work(goOn);
      } finally {
        // The next upload or deletion removes what a failure has left.
        for (const seq of seqs) underWay.delete(seq);
      }
      return answer;
    },
  };
}

function uploaded(documents: readonly KnowledgeDocument[]): JsonAnswer {
  const data = documents.map(presentDocument);
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

function documentOf({ world, caller, now }: Call, prepared: Prepared): KnowledgeDocument {
  const seq = world.nextNumber('knowledge');
  return {
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
}
