// Secrets that are planted, each in a place of its own, and the search for them in files.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** The planted values, by their places. */
export interface Planting {
  readonly planted: Map<string, string>;
  /** A new secret behind a prefix. */
  plant(place: string, prefix?: string): string;
  /** The places of those that these files hold, and in which. */
  leaksIn(files: readonly NamedText[]): string[];
}

export type NamedText = readonly [name: string, text: string];

export function createPlanting(): Planting {
  const planted = new Map<string, string>();
  return {
    planted,
    plant(place, prefix = '') {
      const value = createHash('sha256').update(place).digest('hex').slice(0, 40);
      planted.set(place, value);
      return prefix + value;
    },
    leaksIn: (files) =>
      [...planted].flatMap(([place, secret]) =>
        formsOf(secret).flatMap((form) =>
          files.flatMap(([name, text]) => (text.includes(form) ? [`${place}: ${form} in ${name}`] : [])),
        ),
      ),
  };
}

/** Every file below a directory as it lies there, but the run file; what is compressed also unpacked. */
export function filesBelow(dir: string): NamedText[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'run.json')
    .flatMap((entry) => textsOf(entry.name, readFileSync(join(entry.parentPath, entry.name))));
}

/** The file of a snapshot that was exported: the document, and the image in it. */
export function exported(name: string, document: string): NamedText[] {
  const { image } = JSON.parse(document) as { image: string };
  return [[name, document], ...textsOf(`the image in ${name}`, Buffer.from(image, 'base64'))];
}

function textsOf(name: string, bytes: Buffer): NamedText[] {
  const whole: NamedText = [name, bytes.toString('latin1')];
  const isZipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return isZipped ? [whole, [`${name}, unpacked`, gunzipSync(bytes).toString('latin1')]] : [whole];
}

// A secret as it is, in hex, and in base64 wherever it begins in a group of three.
function formsOf(secret: string): string[] {
  const inBase64 = [0, 1, 2].map((before) => {
    const whole = Buffer.from(' '.repeat(before) + secret).toString('base64');
    return whole.slice(4, -4);
  });
  const hex = Buffer.from(secret).toString('hex');
  return [secret, hex, hex.toUpperCase(), ...inBase64];
}
