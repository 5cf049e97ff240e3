// The file drift/overlay.json: settings with which the emulator says what the platform said.

import * as z from 'zod';
import { configJsonSchema } from '../../config/json-schema.js';
import { type Config, configSchema } from '../../config/schema.js';
import { isTree, mergeTrees, type Tree, writePath } from '../../core/tree.js';
import { assumptions } from '../../http/assumptions.js';
import type { Difference } from '../../tools/drift/compare.js';
import { type Ledger, nameOf } from '../../tools/drift/ledger.js';
import { alternativesTo, type Changed } from '../../tools/drift/overlay.js';
import { save, stored } from './files.js';

const overlayName = 'overlay.json';

/**
 * Tries for each refuted assumption that has a setting whether the emulator says what the platform said with another value of
 * it, and nothing else differs then. What does is added to the file.
 *
 * @param differencesWith asks an emulator with other settings
 * @returns what was written
 */
export async function writeOverlay(
  config: Config,
  { findings }: Ledger,
  differencesWith: (config: Config) => Promise<readonly Pick<Difference, 'operation' | 'place'>[]>,
): Promise<Changed[]> {
  const written: Changed[] = [];
  const overlay: Tree = {};
  let left = new Set(Object.keys(findings));
  for (const [name, finding] of Object.entries(findings)) {
    const setting = finding.assumption === null ? undefined : assumptionSetting(finding.assumption);
    if (finding.runs < 2 || setting === undefined || !left.has(name)) continue;
    const now = mergeTrees(config as unknown as Tree, overlay);
    for (const changed of alternativesTo(finding, setting, now, wordsOf)) {
      const more: Tree = {};
      writePath(more, changed.path, changed.value);
      const { data: settings } = configSchema.safeParse(mergeTrees(now, more));
      if (settings === undefined) continue;
      const differences = (await differencesWith(settings)).map(nameOf);
      if (differences.includes(name) || !differences.every((one) => left.has(one))) continue;
      writePath(overlay, changed.path, changed.value);
      written.push(changed);
      left = new Set(differences);
      break;
    }
  }
  if (written.length > 0)
    save(
      overlayName,
      mergeTrees(stored(overlayName, z.record(z.string(), z.unknown())) ?? {}, { profile: config.profile, ...overlay }),
    );
  return written;
}

const assumptionSetting = (id: string): string | undefined =>
  Object.hasOwn(assumptions, id) ? assumptions[id as keyof typeof assumptions].setting : undefined;

/** The words that a setting may have. */
function wordsOf(path: string): readonly unknown[] {
  let schema: unknown = configJsonSchema();
  for (const step of path.split('.')) {
    const properties = isTree(schema) ? schema.properties : undefined;
    schema = isTree(properties) ? properties[step] : undefined;
  }
  const forms = isTree(schema) && Array.isArray(schema.anyOf) ? (schema.anyOf as unknown[]) : [schema];
  return forms.flatMap((one) => (isTree(one) ? ((one.enum as unknown[] | undefined) ?? one.const ?? []) : []));
}
