// The stored registry of a world: manifests with their tags, and the blobs of each repository.

import { cached } from '../../db/cached-reads.js';
import { connect } from '../../db/connection.js';
import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';
import { nextNumber } from '../../db/numbers.js';
import { requireRoom } from '../../db/room.js';
import { findRow, listRows, storedJson } from '../../db/stored-json.js';
import type { World } from '../../world/world.js';
import type { ImageConfig } from './manifest.js';

export interface ManifestRow {
  repository: string;
  digest: string;
  media_type: string;
  body: Buffer;
  /** The digest of the manifest that it refers to as its subject. */
  subject: string | null;
  artifact_type: string | null;
  /** The digests that it refers to: blobs of an image, manifests of an index. */
  refers_to: string[];
  /** The config blob of a runnable image. */
  config: ImageConfig | null;
  /** The total size of a pull, in bytes. */
  bytes: number;
  pushed_at: number;
}

interface TagRow {
  repository: string;
  tag: string;
  digest: string;
  pushed_at: number;
}

/**
 * Whether a repository ever received a push or a generated image, also if all were deleted since. The count is written
 * with manifests only.
 */
export const wasPushedTo = cached(
  ['registry_manifests'],
  (db, repository: string) =>
    hasRepository(db, repository) ||
    db.get('SELECT 1 FROM counters WHERE name = @name', { name: pushesTo(repository) }) !== undefined,
);

const pushesTo = (repository: string): string => `pushes to ${repository}`;

/** Whether a repository has an image. */
export const hasRepository = cached(
  ['registry_manifests'],
  (db, repository: string) =>
    db.get('SELECT 1 FROM registry_manifests WHERE repository = @repository LIMIT 1', { repository }) !== undefined,
);

export function listRepositories(db: Db): string[] {
  return db
    .all<{ repository: string }>('SELECT DISTINCT repository FROM registry_manifests ORDER BY repository')
    .map(({ repository }) => repository);
}

/** A manifest by tag or digest. */
export function findManifest(db: Db, repository: string, reference: string): ManifestRow | undefined {
  const digest = reference.includes(':') ? reference : tagDigest(db, repository, reference);
  if (digest === undefined) return undefined;
  const sql = 'SELECT * FROM registry_manifests WHERE repository = @repository AND digest = @digest';
  return findRow(db, 'registry_manifests', sql, { repository, digest });
}

function tagDigest(db: Db, repository: string, tag: string): string | undefined {
  return db.get<TagRow>('SELECT * FROM registry_tags WHERE repository = @repository AND tag = @tag', {
    repository,
    tag,
  })?.digest;
}

/** Every manifest of a repository, or of all, oldest first. */
export function listManifests(db: Db, repository?: string): ManifestRow[] {
  const sql = `SELECT * FROM registry_manifests WHERE repository = ifnull(@repository, repository)
    ORDER BY pushed_at, repository, digest`;
  return listRows(db, 'registry_manifests', sql, { repository: repository ?? null });
}

/** The manifests with a digest: one for each repository that has it. */
export function findDigest(db: Db, digest: string): ManifestRow[] {
  const sql = 'SELECT * FROM registry_manifests WHERE digest = @digest ORDER BY repository';
  return listRows(db, 'registry_manifests', sql, { digest });
}

/** Manifests whose subject is a digest. */
export function listReferrers(db: Db, repository: string, subject: string): ManifestRow[] {
  const sql = `SELECT * FROM registry_manifests WHERE repository = @repository AND subject = @subject
    ORDER BY pushed_at, digest`;
  return listRows(db, 'registry_manifests', sql, { repository, subject });
}

/** What a manifest says, as it was pushed. */
export function contentOf<Content>({ body }: Pick<ManifestRow, 'body'>): Content {
  return storedJson<Content>(body.toString('utf8'), 'registry_manifests.body');
}

export function putManifest(db: Db, row: ManifestRow): void {
  if (findManifest(db, row.repository, row.digest) === undefined)
    requireRoom(db, 'registry_manifests', 'PAYLOAD_TOO_LARGE');
  nextNumber(db, pushesTo(row.repository));
  insert(
    db,
    'registry_manifests',
    row,
    'ON CONFLICT (repository, digest) DO UPDATE SET media_type = excluded.media_type, pushed_at = excluded.pushed_at',
  );
}

/** Removes a manifest, its tags, and the blobs of its repository that nothing else there needs. */
export function removeManifest(db: Db, repository: string, digest: string): boolean {
  const row = findManifest(db, repository, digest);
  if (row === undefined) return false;
  db.run('DELETE FROM registry_manifests WHERE repository = @repository AND digest = @digest', { repository, digest });
  db.run('DELETE FROM registry_tags WHERE repository = @repository AND digest = @digest', { repository, digest });
  const needed = new Set(
    db
      .all<{ digest: string }>(
        `SELECT DISTINCT value AS digest FROM registry_manifests, json_each(refers_to) WHERE repository = @repository`,
        { repository },
      )
      .map((other) => other.digest),
  );
  for (const blob of row.refers_to) if (!needed.has(blob)) removeBlob(db, repository, blob);
  return true;
}

export function listTags(db: Db, repository: string): TagRow[] {
  return db.all<TagRow>('SELECT * FROM registry_tags WHERE repository = @repository ORDER BY tag COLLATE NOCASE, tag', {
    repository,
  });
}

/** Points a tag at a manifest; the previous manifest stays available by its digest. */
export function putTag(db: Db, row: TagRow): void {
  db.run(
    `INSERT OR REPLACE INTO registry_tags (repository, tag, digest, pushed_at)
       VALUES (@repository, @tag, @digest, @pushed_at)`,
    row,
  );
}

export function removeTag(db: Db, repository: string, tag: string): boolean {
  return db.run('DELETE FROM registry_tags WHERE repository = @repository AND tag = @tag', { repository, tag }) > 0;
}

export function hasBlob(db: Db, repository: string, digest: string): boolean {
  return (
    db.get('SELECT 1 FROM registry_blobs WHERE repository = @repository AND digest = @digest', {
      repository,
      digest,
    }) !== undefined
  );
}

export function addBlob(db: Db, repository: string, digest: string): void {
  db.run('INSERT OR IGNORE INTO registry_blobs (repository, digest) VALUES (@repository, @digest)', {
    repository,
    digest,
  });
}

export function removeBlob(db: Db, repository: string, digest: string): boolean {
  return (
    db.run('DELETE FROM registry_blobs WHERE repository = @repository AND digest = @digest', { repository, digest }) > 0
  );
}

const referred = 'SELECT digest FROM registry_blobs UNION SELECT digest FROM registry_manifests';

/** Every blob that the world refers to; manifests are blobs too. */
export function listBlobs(db: Db): string[] {
  return db.all<{ digest: string }>(referred).map(({ digest }) => digest);
}

/** Every blob that a world's image refers to; none when the image predates the registry. */
export function listBlobsOfWorldImage(bytes: Buffer): string[] {
  const db = connect(bytes);
  try {
    return db.prepare(referred).pluck().all() as string[];
  } catch {
    return [];
  } finally {
    db.close();
  }
}

// The blobs that a world needs: those of its images, and of images that it had at a place to which its history goes back.

const digests = /sha256:[0-9a-f]{64}/g;

/** Every blob that a world refers to, now or before; manifests are blobs too. */
export function blobsOf({ db, remembered }: World): string[] {
  const blobs = new Set(listBlobs(db));
  const entries = remembered.history?.entries();
  if (entries === undefined) return [...blobs];
  for (const { rows = [] } of entries.backwards('"table":"registry_'))
    for (const { table, before } of rows)
      if (table.startsWith('registry_'))
        for (const [digest] of JSON.stringify(before).matchAll(digests)) blobs.add(digest);
  // A restore replaces everything: its entry keeps what was there before.
  for (const { seq } of entries.backwards('"replaced":true')) {
    const image = entries.image(seq);
    if (image?.includes('sha256:') === true) for (const digest of listBlobsOfWorldImage(image)) blobs.add(digest);
  }
  return [...blobs];
}
