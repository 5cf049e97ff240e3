// What statements take and give.

export type SqlValue = string | number | bigint | null | Buffer;

/** What is written as one: lists and records as JSON, true and false as 1 and 0. */
export type Storable = SqlValue | boolean | object;

/** The values of a statement's parameters (`@name`), by name. */
export type SqlValues = Readonly<Record<string, SqlValue>>;
