// Finding fragments: by how near their vectors are to a question's, and by how many of its words they have.

import type { Db } from '../../db/db.js';
import { cosine, embed, isCommon, wordsOf } from '../models/embeddings/vector.js';
import { type KnowledgeDocument, type Pointer, readFragment, type Selection, vectorSize, vectorsOf } from './store.js';

/** How many are looked at word by word. */
const candidates = 100;
const overlapShare = 0.4;
/** Words that begin with the same letters may be forms of one. */
const beginningLength = 3;
const leastLikeness = 0.6;

export interface Found {
  document: KnowledgeDocument;
  number: number;
  content: string;
  /** From 0 to 1. */
  score: number;
}

export interface Question extends Selection {
  query: string;
  limit: number;
  minScore: number;
}

/** The fragments that fit a question best, the best first; among equals the oldest. */
export function findFragments(db: Db, question: Question): Found[] {
  const near = findNear(db, question);
  const wanted = wantedWords(question.query);
  const fragments: Found[] = [];
  for (const { pointer, similarity } of near) {
    const fragment = readFragment(db, pointer);
    // The document was deleted in the meantime.
    if (fragment === undefined) continue;
    const { content, ...document } = fragment;
    const score = scoreOf(similarity, overlap(wanted, content));
    if (score >= question.minScore) fragments.push({ document, number: pointer.number, content, score });
  }
  return fragments
    .sort((a, b) => b.score - a.score || a.document.seq - b.document.seq || a.number - b.number)
    .slice(0, question.limit);
}

interface Near {
  pointer: Pointer;
  similarity: number;
}

/** The fragments whose vectors are nearest. */
function findNear(db: Db, question: Question): Near[] {
  const vector = embed(question.query.trim(), vectorSize);
  const most = Math.max(candidates, question.limit);
  return vectorsOf(db, question)
    .map((pointer) => ({ pointer, similarity: cosine(vector, pointer.vector) }))
    .sort((a, b) => b.similarity - a.similarity)
    .slice(0, most);
}

function scoreOf(similarity: number, shared: number): number {
  const score = (1 - overlapShare) * Math.max(0, similarity) + overlapShare * shared;
  return Math.round(Math.min(1, score) * 1e6) / 1e6;
}

// Common words count only in a question that has no others.
function wantedWords(query: string): Set<string> {
  const words = wordsOf(query);
  const telling = words.filter((word) => !isCommon(word));
  return new Set(telling.length > 0 ? telling : words);
}

// The share of the words that a fragment has; another form of a word counts by the part that both have in common.
function overlap(wanted: ReadonlySet<string>, content: string): number {
  if (wanted.size === 0) return 0;
  const beginnings = new Map<string, Set<string>>();
  for (const word of wordsOf(content)) {
    const beginning = word.slice(0, beginningLength);
    const words = beginnings.get(beginning) ?? new Set();
    beginnings.set(beginning, words.add(word));
  }
  let sum = 0;
  for (const word of wanted) sum += bestLikeness(word, beginnings.get(word.slice(0, beginningLength)));
  return sum / wanted.size;
}

function bestLikeness(word: string, others: ReadonlySet<string> | undefined): number {
  if (others === undefined) return 0;
  return others.has(word) ? 1 : Math.max(...[...others].map((other) => likeness(word, other)));
}

function likeness(a: string, b: string): number {
  let common = 0;
  while (common < a.length && common < b.length && a[common] === b[common]) common++;
  const share = common / Math.max(a.length, b.length);
  return share >= leastLikeness ? share : 0;
}
