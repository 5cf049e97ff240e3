// Replies in pieces: what is said, where it ends, and what it costs.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Reply } from '../../../src/config/replies.js';
import { type Bounds, type Chunking, produce, saidBy } from '../../../src/platform/models/chunking.js';

import { countTokens } from '../../../src/platform/models/tokens.js';

const bounds: Bounds = { stop: [], maxTokens: 1_000, chunkSize: 1, callId: (index) => `call_${index}` };
const chunkingOf = (reply: Reply, more: Partial<Bounds> = {}): Chunking =>
  produce(saidBy(reply, { toolChoice: 'auto' }), { ...bounds, ...more });
const texts = (reply: Reply, more: Partial<Bounds> = {}): string[] =>
  chunkingOf(reply, more)
    .pieces(0, Infinity)
    .map(({ text }) => text);

describe('pieces', () => {
  it.each<[string, Reply, Partial<Bounds>, string[]]>([
    ['of a token each', { text: 'One two three' }, {}, ['One', ' two', ' three']],
    ['of several', { text: 'One two three' }, { chunkSize: 2 }, ['One two', ' three']],
    ['as they are given', { chunks: ['On', 'e two'] }, {}, ['On', 'e two']],
    ['of a value', { value: { a: 1 } }, { chunkSize: 100 }, ['{"a":1}']],
    ['of nothing', { text: '' }, {}, ['']],
    ['before a stop text', { text: 'One two three' }, { stop: ['x', ' three', 'two'] }, ['One', ' ']],
    ['before one that lies across chunks', { chunks: ['One t', 'wo', ' three'] }, { stop: ['two'] }, ['One ']],
    ['before one at the beginning', { text: 'One' }, { stop: ['O'] }, ['']],
    ['within a bound', { text: 'One two three' }, { maxTokens: 2 }, ['One', ' two']],
    ['within one that cuts a chunk', { text: 'One two three' }, { maxTokens: 2, chunkSize: 3 }, ['One two']],
    ['of arguments', { toolCalls: [{ name: 'look', arguments: { a: 1 } }] }, { chunkSize: 4 }, ['{"a"', ':1}']],
    ['of arguments that are a text', { toolCalls: [{ name: 'look', arguments: '{"a' }] }, {}, ['{', '"', 'a']],
    ['of arguments that are empty', { toolCalls: [{ name: 'look', arguments: '' }] }, {}, ['']],
  ])('%s', (_, reply, more, expected) => {
    expect(texts(reply, more)).toEqual(expected);
  });
});

it.each<[string, Reply, Partial<Bounds>, string]>([
  ['an end', { text: 'One' }, {}, 'stop'],
  ['a stop text', { text: 'One two' }, { stop: [' two'] }, 'stop'],
  ['a bound', { text: 'One two' }, { maxTokens: 1 }, 'length'],
  ['an exact fit', { text: 'One two' }, { maxTokens: 2 }, 'stop'],
  ['calls', { toolCalls: [{ name: 'look', arguments: {} }] }, {}, 'tool_calls'],
  ['calls that do not fit', { toolCalls: [{ name: 'look', arguments: {} }] }, { maxTokens: 2 }, 'length'],
  ['what is ordered', { text: 'One', finishReason: 'content_filter' }, {}, 'content_filter'],
])('%s is the reason for the end of a reply', (_, reply, more, expected) => {
  expect(chunkingOf(reply, more).finish).toBe(expected);
});

it('a reply never says or costs more than is allowed, and costs what it says', () => {
  const reply = fc.record({
    text: fc.string({ maxLength: 60 }),
    toolCalls: fc.array(
      fc.record({ name: fc.string({ minLength: 1, maxLength: 10 }), arguments: fc.string({ maxLength: 40 }) }),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
  });
  const limits = fc.record({ maxTokens: fc.integer({ min: 1, max: 40 }), chunkSize: fc.integer({ min: 1, max: 5 }) });
  fc.assert(
    fc.property(reply, limits, ({ text, toolCalls }, limit) => {
      const { count, pieces: piecesOf, parts, finish, tokensAfter } = chunkingOf({ text, toolCalls }, limit);
      const pieces = piecesOf(0, count);
      expect(pieces).toHaveLength(count);
      // In any portions.
      expect([0, 1, 2, 3].flatMap((i) => piecesOf(i * 5, i < 3 ? i * 5 + 5 : count))).toEqual(pieces);
      const total = tokensAfter(count);
      expect(total).toBeLessThanOrEqual(limit.maxTokens);
      expect(tokensAfter(count + 5)).toBe(total);
      const said = parts[0]?.pieces.join('') ?? '';
      expect(text.startsWith(said)).toBe(true);
      if (finish === 'tool_calls') {
        expect(said).toBe(text);
        expect(parts.slice(1).map((part) => part.pieces.join(''))).toEqual(toolCalls.map((call) => call.arguments));
      }
      expect(tokensAfter(parts[0]?.pieces.length ?? 0)).toBe(countTokens(said));
      for (const part of parts) {
        const own = pieces.filter((piece) => piece.part === part);
        expect(own.map(({ isFirst }) => isFirst)).toEqual(own.map((_, i) => i === 0));
        expect(own.map(({ isLast }) => isLast)).toEqual(own.map((_, i) => i === own.length - 1));
        expect(own.length).toBeGreaterThan(0);
      }
    }),
  );
});
