// The shapes of snapshots: in lists, as documents, as they are imported.

import * as z from 'zod';
import { snapshotNames } from '../../config/names.js';
import { isDigest } from '../../platform/registry/names.js';

export const snapshotName = z.string().refine((name) => snapshotNames.test(name), {
  error: 'must be 1 to 64 letters, digits, dots, dashes or underscores, and begin with a letter or digit',
});

export const snapshotInfo = z.lazy(() =>
  z.object({
    name: z.string(),
    takenAt: z.string().describe('Wall time, ISO 8601'),
    now: z.string().describe('Virtual time, ISO 8601'),
  }),
);

export type SnapshotInfo = z.output<typeof snapshotInfo>;

export const listedSnapshot = z.lazy(() =>
  z.object({
    name: z.string(),
    takenAt: z.string().nullable(),
    now: z.string().nullable(),
    problem: z.string().nullable().describe('Why the snapshot’s file cannot be used'),
  }),
);

/** A snapshot in a list; one whose file is damaged has a problem instead of times. */
export type ListedSnapshot = z.output<typeof listedSnapshot>;

export const portableSnapshot = z.lazy(() =>
  z.object({
    format: z.literal('cloudemu-snapshot'),
    version: z.literal(1),
    name: snapshotName,
    takenAt: z.iso.datetime(),
    now: z.iso.datetime(),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('Of the image, uncompressed'),
    image: z.string().min(1).describe('An SQLite file, compressed with gzip, in base64'),
    blobs: z
      .record(z.string().refine(isDigest, { error: 'must be sha256: and 64 hex digits' }), z.base64().max(16_777_216))
      .optional()
      .describe('Small blobs of the registry’s images, by digest'),
  }),
);

/** A snapshot as one document that any cloudemu can read. */
export type PortableSnapshot = z.output<typeof portableSnapshot>;

export const importedSnapshot = z.lazy(() =>
  snapshotInfo.unwrap().extend({
    missingBlobs: z
      .array(z.string())
      .describe(
        'Layers of its images that neither the document nor this emulator has: push the images again to pull them',
      ),
  }),
);

/** A snapshot that was imported. */
export type ImportedSnapshot = z.output<typeof importedSnapshot>;
