// Times, durations and amounts as texts.

const two = (value: number): string => String(value).padStart(2, '0');

/** The time of day of an instant, in UTC: 12:03:07.250. */
export function timeText(at: string | number): string {
  const date = new Date(at);
  return `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
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

/** A tick of an axis of time: 12:03:07, and at midnight the day that begins, 01-31. */
export function tickText(at: string | number): string {
  const time = timeText(at);
  return time === '00:00:00' ? dayText(at).slice(5) : time;
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

/** A duration for people: 850 ms, 12.4 s, 3 min 20 s, 2 h 5 min, 3 d 4 h. */
export function durationText(ms: number): string {
  const abs = Math.abs(ms);
  if (abs < 1_000) return `${Math.round(abs)} ms`;
  if (abs < 60_000) return `${Number((abs / 1_000).toFixed(abs < 10_000 ? 1 : 0))} s`;
  const units: [string, number][] = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1_000],
  ];
  let rest = Math.round(abs / 1_000) * 1_000;
  const parts = units.flatMap(([unit, size]) => {
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
