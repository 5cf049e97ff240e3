// Times, durations, amounts and fault rules as texts.

import type { FaultEffect, FaultMatch, FaultWhen } from '../../faults/rule.js';

/** The time of day of an instant, in UTC: 12:03:07. */
export function timeText(at: string | number): string {
  return new Date(at).toISOString().slice(11, 19);
}

/** The day of an instant, in UTC: 2026-01-31. */
export function dayText(at: string | number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Day and time. */
export function instantText(at: string | number): string {
  return `${dayText(at)} ${timeText(at)}`;
}

/**
 * Time alone on the day that is `today`; on others with the day: 12:03:07, 01-31 12:03:07, 2025-12-31 12:03:07; `isShort`:
 * where it has a day, no seconds and no year.
 */
export function whenText(at: string | number, today: string, isShort = false): string {
  const day = dayText(at);
  if (day === today) return timeText(at);
  if (isShort) return `${day.slice(5)} ${timeText(at).slice(0, 5)}`;
  return `${day.slice(0, 4) === today.slice(0, 4) ? day.slice(5) : day} ${timeText(at)}`;
}

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** A tick of an axis of time, as exact as the step to the next one: 12:03:07, 12:03, and at midnight the day that begins, 01-31. */
export function tickText(at: string | number, step = second): string {
  const text = new Date(at).toISOString();
  if (step >= day || Date.parse(text) % day === 0) return text.slice(5, 10);
  if (step >= minute) return text.slice(11, 16);
  return text.slice(11, step >= second ? 19 : 21);
}

/** A number for people: 1,000. */
export function numberText(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 6 }).replace('-', '−');
}

/** Credits, as the API and the commands write them: with all the decimals that there are, at most six. */
export function creditsText(value: number): string {
  return String(Number(value.toFixed(6))).replace('-', '−');
}

/** An amount that is added or taken: +10 or −0.5. */
export function signedText(amount: number): string {
  return amount > 0 ? `+${creditsText(amount)}` : creditsText(amount);
}

/** The result of an entry of the timeline: an amount as amounts are written, anything else as it is. */
export function resultText(result: string): string {
  return /^[+-]\d/.test(result) ? signedText(Number(result)) : result;
}

/** A thing and how many of it there are: 1 request, 1,000 requests. */
export function countText(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** A duration for people: 850 ms, 12.4 s, 3 min 20 s, 2 h 5 min, 3 d 4 h. */
export function durationText(ms: number): string {
  const abs = Math.abs(ms);
  if (abs < second) return `${Math.round(abs)} ms`;
  if (abs < minute) return `${Number((abs / second).toFixed(abs < 10 * second ? 1 : 0))} s`;
  let rest = Math.round(abs / second) * second;
  const parts = Object.entries({ d: day, h: hour, min: minute, s: second }).flatMap(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? [] : [`${count} ${unit}`];
  });
  return parts.slice(0, 2).join(' ');
}

/** How far an instant is from now: in 12 s, 3 min 20 s ago. */
export function distanceText(at: number, now: number): string {
  if (Math.abs(at - now) < 500) return 'now';
  return at > now ? `in ${durationText(at - now)}` : `${durationText(now - at)} ago`;
}

/** A text in single quotes for a POSIX shell. */
export function shellQuoted(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`;
}

/** The requests that a rule matches, in words. */
export function matchText({ operation, method, path, headers = {}, key, organization }: FaultMatch): string {
  const named = [operation, method, path].filter(Boolean).join(' ');
  const sent = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return joined([named, ...sent, key && `key ${key}`, organization && `organization ${organization}`], 'every request');
}

/** On which of the matching requests a rule fires. */
export function conditionText({ nth, every, after, times, probability, from, until, expiresIn }: FaultWhen): string {
  const texts = [
    nth && `on the ${ordinal(nth)} request`,
    every && `on every ${every === 1 ? '' : `${ordinal(every)} `}request`,
    after && `after the first ${after === 1 ? 'request' : countText(after, 'request')}`,
    times && (times === 1 ? 'once' : countText(times, 'time')),
    probability !== undefined && `with ${Number((probability * 100).toPrecision(3))} % probability`,
    from && `from ${durationText(from)} on`,
    until && `until ${durationText(until)}`,
    expiresIn && `for ${durationText(expiresIn)}`,
  ];
  return joined(texts, 'always');
}

/** The effect of a rule, in words. */
export function effectText(effect: FaultEffect): string {
  const { error, status, body, retryAfter, set = {}, drop = {}, remove = [], delay, network, afterEvents } = effect;
  const [least, most] = typeof delay === 'object' ? [delay.min, delay.max] : [delay, undefined];
  const texts = [
    error,
    status && `status ${status}`,
    body !== undefined && `body ${typeof body === 'string' ? body : JSON.stringify(body)}`,
    retryAfter !== undefined && `retry after ${retryAfter} s`,
    ...Object.entries(set).map(([field, value]) => `${field} becomes ${JSON.stringify(value)}`),
    ...Object.entries(drop).map(
      ([list, count]) => `${list} without its last ${count === 1 ? 'entry' : `${count} entries`}`,
    ),
    ...remove.map((field) => `without ${field}`),
    least !== undefined && `delay ${durationText(least)}${most === undefined ? '' : ` to ${durationText(most)}`}`,
    network && `network ${network}`,
    afterEvents && `after ${afterEvents === 1 ? 'one event' : `${afterEvents} events`}`,
  ];
  return joined(texts, 'none');
}

function joined(texts: readonly (string | number | false | undefined)[], nothing: string): string {
  return texts.filter(Boolean).join(', ') || nothing;
}

const endings: Record<string, string> = { one: 'st', two: 'nd', few: 'rd' };
const rules = new Intl.PluralRules('en', { type: 'ordinal' });

function ordinal(count: number): string {
  return `${count}${endings[rules.select(count)] ?? 'th'}`;
}
