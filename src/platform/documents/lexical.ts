// Finding documents by the words of a question: 1 where a text has the whole question, else the share of its words.

import { textsFinder } from '../../core/find-texts.js';
import type { Db } from '../../db/db.js';
import { type KnowledgeDocument, readContent } from '../knowledge/store.js';
import { listInScope, type Scope } from './store.js';

/** A document with its similarity to a question, from 0, exclusive, to 1. */
export interface FoundDocument {
  document: KnowledgeDocument;
  similarity: number;
  text: string;
}

/** The documents that have something of a question, the most similar first; among equals by their ids. */
export function findDocuments(db: Db, scope: Scope, query: string): FoundDocument[] {
  const similarityOf = scorer(query);
  const found: FoundDocument[] = [];
  for (const document of listInScope(db, scope)) {
    const text = readContent(db, document.seq);
    const similarity = similarityOf(text.toLowerCase());
    if (similarity > 0) found.push({ document, similarity, text });
  }
  return found.sort((a, b) => b.similarity - a.similarity || (a.document.id < b.document.id ? -1 : 1));
}

/** How similar texts in small letters are to a question. */
export function scorer(query: string): (text: string) => number {
  const whole = query.toLowerCase();
  const words = [...new Set(whole.split(/\s+/).filter((word) => word.length > 1))];
  const texts = [...new Set([whole, ...words])];
  const placeOf = new Map(texts.map((text, place) => [text, place]));
  const places = words.map((word) => placeOf.get(word) ?? -1);
  const find = textsFinder(texts);
  return (text) => {
    const found = find(text);
    if (found.has(0)) return 1;
    return places.length === 0 ? 0 : places.filter((place) => found.has(place)).length / places.length;
  };
}
