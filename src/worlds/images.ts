// Closed worlds as bytes: read from their directories, and made ready to be written there.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '../db/connection.js';
import { asRollbackJournalled } from '../db/snapshot.js';
import { listBlobsOfImage } from '../modules/registry/store.js';

/** The closed world of a directory as the bytes of an SQLite file. */
export function imageAt(path: string): Buffer {
  const db = connect(join(path, 'world.db'));
  try {
    return asRollbackJournalled(db.serialize());
  } finally {
    db.close();
  }
}

/** The layers of the images of a closed world. */
export function blobsAt(path: string): string[] {
  return existsSync(join(path, 'world.db')) ? listBlobsOfImage(imageAt(path)) : [];
}

/** An image as the file of a world will be used: otherwise its first opening would write it once more. */
export function walJournalled(image: Buffer): Buffer {
  const changed = Buffer.from(image);
  changed.fill(2, 18, 20);
  return changed;
}
