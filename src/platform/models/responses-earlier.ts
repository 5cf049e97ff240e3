// Reads the earlier responses that a request refers to: each of them once, however often it is referred to, and all of them
// together within a bound.

import { createBudget } from '../../core/budget.js';
import { type ApiError, invalid } from '../../core/errors.js';
import { storedJson } from '../../db/stored-json.js';
import type { Asking } from './conversation.js';
import type { InputItem } from './responses-schema.js';
import { findOutput, findOutputOfItem, findResponse } from './store.js';

// More than any model's context window holds.
const mostCharacters = 8_000_000;
const mostItems = 50_000;

/** An item of a conversation, with the field that brings it in. */
export interface Placed {
  item: InputItem;
  path: string;
}

/** Reads earlier responses for one request. */
export interface Earlier {
  /**
   * The items of a response and of all those that it goes on from, the oldest first.
   *
   * @throws ApiError VALIDATION_ERROR for what names nothing that is kept, and for more than one request may take
   */
  chain(last: string): Placed[];
  /** Items with what they refer to in place of references; throws as `chain` does. */
  resolved(items: readonly Placed[]): Placed[];
}

/** An item, and how long its JSON is. */
interface Known {
  item: InputItem;
  characters: number;
}

export function readEarlier({ world: { db }, organizationId }: Asking): Earlier {
  const characters = createBudget({ most: mostCharacters, of: 'characters of earlier responses', path: 'input' });
  const items = createBudget({ most: mostItems, of: 'items of earlier responses', path: 'input' });
  const outputs = new Map<number, InputItem[]>();
  const referredItems = new Map<string, Known>();

  function outputOf(seq: number, path: string): InputItem[] {
    const before = outputs.get(seq);
    if (before !== undefined) return before;
    const text = findOutput(db, seq);
    characters.spend(text.length, path);
    const output = storedJson<InputItem[]>(text, 'ai_responses.output');
    outputs.set(seq, output);
    return output;
  }

  function referred(id: string, path: string): Known {
    const before = referredItems.get(id);
    if (before !== undefined) return before;
    const seq = findOutputOfItem(db, organizationId, id);
    const item = seq === undefined ? undefined : outputOf(seq, path).find((one) => one.id === id);
    if (item === undefined) throw unknownId(`${path}.id`, 'an item', id);
    const found = { item, characters: JSON.stringify(item).length };
    referredItems.set(id, found);
    return found;
  }

  function resolved(given: readonly Placed[]): Placed[] {
    const all: Placed[] = [];
    for (const placed of given) {
      const { item, path } = placed;
      if (item.type !== 'item_reference') {
        all.push(placed);
        continue;
      }
      const there = referred(item.id ?? '', path);
      characters.spend(there.characters, path);
      all.push({ item: there.item, path });
    }
    return all;
  }

  function chain(last: string): Placed[] {
    const path = 'previous_response_id';
    const parts: Placed[][] = [];
    for (let id: string | null = last; id !== null; ) {
      const row = findResponse(db, organizationId, id);
      if (row === undefined) throw unknownId(path, 'a response', last);
      characters.spend(row.input.length, path);
      const input = storedJson<InputItem[]>(row.input, 'ai_responses.input');
      const all = [...input, ...outputOf(row.seq, path)];
      items.spend(all.length, path);
      parts.push(resolved(all.map((item) => ({ item, path }))));
      id = row.previous_id;
    }
    return parts.reverse().flat();
  }

  return { chain, resolved };
}

function unknownId(path: string, what: string, id: string): ApiError {
  return invalid({
    path,
    message: `must name ${what} that is kept: the last 500 are, except with store: false`,
    received: JSON.stringify(id.slice(0, 60)),
  });
}
