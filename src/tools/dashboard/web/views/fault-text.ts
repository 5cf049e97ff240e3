// Fault rules in words.

import type { FaultEffect, FaultMatch, FaultWhen } from '../../../faults/rule.js';
import { durationText } from '../text.js';

/** The requests that a rule matches, in words. */
export function matchText({ operation, method, path, headers = {}, key, organization }: FaultMatch): string {
  const named = [operation, method, path].filter((text) => text !== undefined).join(' ');
  const sent = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return joined([named, ...sent, word('key', key), word('organization', organization)]) || 'every request';
}

/** On which of the matching requests a rule fires. */
export function conditionText({ nth, every, after, times, probability, from, until, expiresIn }: FaultWhen): string {
  const texts = [
    nth && `on the ${ordinal(nth)} request`,
    every && (every === 1 ? 'on every request' : `on every ${ordinal(every)} request`),
    after && (after === 1 ? 'after the first request' : `after the first ${after} requests`),
    times && (times === 1 ? 'once' : `${times} times`),
    probability === undefined ? undefined : `with ${Number((probability * 100).toPrecision(3))} % probability`,
    from && `from ${durationText(from)} on`,
    until && `until ${durationText(until)}`,
    expiresIn && `for ${durationText(expiresIn)}`,
  ];
  return joined(texts) || 'always';
}

/** The effect of a rule, in words. */
export function effectText(effect: FaultEffect): string {
  const { error, status, body, retryAfter, set = {}, drop = {}, remove = [], delay, network, afterEvents } = effect;
  const range = typeof delay === 'object' ? delay : undefined;
  const texts = [
    error,
    word('status', status),
    body === undefined ? undefined : `body ${typeof body === 'string' ? body : JSON.stringify(body)}`,
    retryAfter === undefined ? undefined : `retry after ${retryAfter} s`,
    ...Object.entries(set).map(([field, value]) => `${field} becomes ${JSON.stringify(value)}`),
    ...Object.entries(drop).map(
      ([list, count]) => `${list} without its last ${count === 1 ? 'entry' : `${count} entries`}`,
    ),
    ...remove.map((field) => `without ${field}`),
    typeof delay === 'number' ? `delay ${durationText(delay)}` : undefined,
    range && `delay ${durationText(range.min)} to ${durationText(range.max)}`,
    word('network', network),
    afterEvents && `after ${afterEvents === 1 ? 'one event' : `${afterEvents} events`}`,
  ];
  return joined(texts) || 'none';
}

function joined(texts: readonly (string | number | undefined)[]): string {
  return texts.filter((text) => text !== undefined && text !== '' && text !== 0).join(', ');
}

function word(name: string, value: string | number | undefined): string | undefined {
  return value === undefined ? undefined : `${name} ${value}`;
}

const endings: Record<string, string> = { one: 'st', two: 'nd', few: 'rd' };
const rules = new Intl.PluralRules('en', { type: 'ordinal' });

function ordinal(count: number): string {
  return `${count}${endings[rules.select(count)] ?? 'th'}`;
}
