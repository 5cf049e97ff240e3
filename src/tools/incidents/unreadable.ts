// What no reader takes.

/** A file is no recording that can be read; the message says what it is instead, and what helps. */
export class Unreadable extends Error {}

/** One with more requests than are read. */
export const tooMany = (): Unreadable =>
  new Unreadable(
    `holds more than ${most.exchanges.toLocaleString('en')} requests: cut out the part around the incident`,
  );

/** One that would fill the memory. */
export const tooDense = (parts: number = most.parts): Unreadable =>
  new Unreadable(`holds more than ${parts.toLocaleString('en')} values in one part, where a recording has none`);

/** What one file may hold, whatever its format: beyond it, it is refused with the bound. */
export const most = {
  bytes: 512 * 1_024 * 1_024,
  /** Of a format that is read whole, and of one entry of one that is not. */
  whole: 32 * 1_024 * 1_024,
  /** Of YAML, which is slow to read. */
  yaml: 16 * 1_024 * 1_024,
  yamlParts: 200_000,
  /** Values in a part that is read whole. */
  parts: 1_000_000,
  exchanges: 50_000,
  depth: 200,
} as const;
