// Durations: what people write ("90s", "1h30m", 1500), and milliseconds.

const unitMs: Record<string, number> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/**
 * Milliseconds of a duration, or undefined when the text is not one.
 *
 * @example parseDuration('1h30m') // 5_400_000
 * @example parseDuration(250) // 250
 */
export function parseDuration(value: string | number): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined;
  const text = value.trim().toLowerCase();
  if (/^\d+$/.test(text)) return Number.isFinite(Number(text)) ? Number(text) : undefined;
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d|w)\s*)+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/g)) {
    total += Number(amount) * (unitMs[unit ?? ''] ?? 0);
  }
  return Number.isFinite(total) ? Math.round(total) : undefined;
}

/** The milliseconds of a duration that was checked. */
export function milliseconds(duration: string | number): number {
  return parseDuration(duration) ?? 0;
}

/**
 * A duration for people, at most two units.
 *
 * @example formatDuration(612_000) // '10m12s'
 */
export function formatDuration(ms: number): string {
  if (Math.round(ms) < 1_000) return `${Math.round(ms)}ms`;
  return partsOf(1_000 * Math.round(ms / 1_000))
    .slice(0, 2)
    .join('');
}

/**
 * A duration to the millisecond, which reads back as the same number.
 *
 * @example exactDuration(3_723_004) // '1h2m3s4ms'
 */
export function exactDuration(ms: number): string {
  return partsOf(Math.round(ms)).join('') || '0s';
}

function partsOf(ms: number): string[] {
  let rest = ms;
  return (['d', 'h', 'm', 's', 'ms'] as const).flatMap((unit) => {
    const size = unitMs[unit] ?? 1;
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? [] : `${count}${unit}`;
  });
}
