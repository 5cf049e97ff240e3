// Instants as people and programs write them.

/** The last instant that the wire can carry: years have four digits there. */
export const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export const hourMs = 3_600_000;
export const dayMs = 86_400_000;
const minuteMs = 60_000;

const date = /^(\d{4})(?:(\d\d)(\d\d)|-?(\d{3})|-?W(\d\d)(?:-?([1-7]))?|-(\d\d)(?:-(\d\d))?)?/i;
const time = /^(\d\d)(?::?(\d\d)(?::?(\d\d))?)?(?:[.,](\d+))?/;
// A `+` that a query string holds unescaped arrives as a space.
const zone = /^(?:z|([+\- −])(\d\d)(?::?(\d\d))?)?$/i;

/**
 * The milliseconds since the epoch of any ISO 8601 date or date-time, or undefined: calendar, week and ordinal dates,
 * extended or basic, fractions of any length, any offset. Without a zone it is UTC, without a time midnight.
 */
export function parseInstant(text: string): number | undefined {
  const day = date.exec(text);
  if (day === null) return undefined;
  const midnight = midnightOf(day);
  const rest = text.slice(day[0].length);
  if (midnight === undefined || rest === '') return midnight;
  const clock = /^[T ]/i.test(rest) ? time.exec(rest.slice(1)) : null;
  if (clock === null) return undefined;
  const sinceMidnight = timeOf(clock);
  const offset = offsetOf(rest.slice(1 + clock[0].length));
  if (sinceMidnight === undefined || offset === undefined) return undefined;
  return Math.floor(midnight + sinceMidnight - offset);
}

/**
 * The first millisecond that is not before such an instant: lines carry milliseconds, and clients that ask for what
 * follows a line add a nanosecond to its time.
 */
export function parseLowerBound(text: string): number | undefined {
  const instant = parseInstant(text);
  const isLater = /[T ]\d\d(:?)\d\d\1\d\d[.,]\d{3}\d*[1-9]/i.test(text);
  return instant !== undefined && isLater ? instant + 1 : instant;
}

/** The milliseconds since the epoch of an RFC 3339 time with its zone, or undefined; also for a date that does not exist. */
export function parseTimestamp(text: string): number | undefined {
  const isWhole = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(text);
  return isWhole && !/T24|:60/i.test(text) ? parseInstant(text) : undefined;
}

function midnightOf([, year, basicMonth, basicDay, ordinal, week, weekday, month, day]: RegExpExecArray):
  | number
  | undefined {
  const first = calendarDay(Number(year), 1, 1) ?? 0;
  if (ordinal !== undefined) {
    const isLeap = calendarDay(Number(year), 2, 29) !== undefined;
    const number = Number(ordinal);
    return number >= 1 && number <= (isLeap ? 366 : 365) ? first + (number - 1) * dayMs : undefined;
  }
  if (week !== undefined) return weekDay(Number(year), Number(week), Number(weekday ?? 1));
  return calendarDay(Number(year), Number(month ?? basicMonth ?? 1), Number(day ?? basicDay ?? 1));
}

function calendarDay(year: number, month: number, day: number): number | undefined {
  const made = new Date(0);
  made.setUTCFullYear(year, month - 1, day);
  return made.getUTCMonth() === month - 1 && made.getUTCDate() === day ? made.getTime() : undefined;
}

// Week 1 is the one with the 4th of January, and weeks begin on Mondays.
function weekDay(year: number, week: number, weekday: number): number | undefined {
  const fourth = calendarDay(year, 1, 4) ?? 0;
  const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * dayMs;
  const nextFourth = calendarDay(year + 1, 1, 4) ?? 0;
  const nextMonday = nextFourth - ((new Date(nextFourth).getUTCDay() + 6) % 7) * dayMs;
  const begins = monday + (week - 1) * 7 * dayMs;
  return week >= 1 && begins < nextMonday ? begins + (weekday - 1) * dayMs : undefined;
}

// A fraction belongs to the smallest unit that is given.
function timeOf([, hours, minutes, seconds, fraction]: RegExpExecArray): number | undefined {
  const [h, m, s] = [Number(hours), Number(minutes ?? 0), Number(seconds ?? 0)];
  const unit = seconds !== undefined ? 1_000 : minutes !== undefined ? minuteMs : 60 * minuteMs;
  const part = fraction === undefined ? 0 : Number(`0.${fraction}`) * unit;
  const total = (h * 60 + m) * minuteMs + s * 1_000 + part;
  return h <= 24 && m <= 59 && s <= 60 && (h < 24 || total === dayMs) ? total : undefined;
}

function offsetOf(text: string): number | undefined {
  const match = zone.exec(text);
  if (match === null) return undefined;
  const [, sign, hours, minutes] = match;
  if (sign === undefined) return 0;
  const [h, m] = [Number(hours), Number(minutes ?? 0)];
  if (h > 23 || m > 59) return undefined;
  return (sign === '+' || sign === ' ' ? 1 : -1) * (h * 60 + m) * minuteMs;
}
