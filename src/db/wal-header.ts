// The header of an SQLite file says at two places whether the file has a write-ahead log: 2, or 1 for a rollback journal.

/** The bytes of a file as they are without a log: SQLite opens none that misses its log. */
export function withoutWal(bytes: Buffer): Buffer {
  return bytes[18] === 2 ? changed(bytes, 1) : bytes;
}

/** The same as they are with one, as the file of a world is used: otherwise its first opening would write it once more. */
export function withWal(bytes: Buffer): Buffer {
  return changed(bytes, 2);
}

function changed(bytes: Buffer, version: 1 | 2): Buffer {
  const copy = Buffer.from(bytes);
  copy.fill(version, 18, 20);
  return copy;
}
