// What statements take and give.

export type SqlValue = string | number | bigint | null | Buffer;

/** The values of a statement's parameters (`@name`), by name. */
export type SqlValues = Readonly<Record<string, SqlValue>>;
