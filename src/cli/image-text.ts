// Images as people read them: what is known of them, with a line for each thing.

import type { Tree } from '../core/tree.js';
import type { ControlledContainer } from '../modules/containers/control.js';
import type { ImageDetails } from '../modules/images/views.js';
import type { Values } from './command.js';
import { label } from './labels.js';
import { namedValues } from './layout.js';
import { type Line, printJson, printLines } from './print.js';
import { indented, inline, show } from './show.js';

/** Prints a container, with its image in a section of its own. */
export function printContainerDetails(answer: Tree, { json }: Values): void {
  if (json === true) {
    printJson(answer);
    return;
  }
  const { image, statusHistory, ...rest } = answer as unknown as ControlledContainer;
  const { uri, digest, config, ...facts } = image;
  printLines([
    ...show({ ...rest }),
    ...section('image', [uri, ...(digest === null ? [] : [digest])], { ...facts, ...config }),
    '',
    ...show({ statusHistory }),
  ]);
}

/** Prints an image; its manifest is in its JSON. */
export function printImage(answer: Tree, { json }: Values): void {
  if (json === true) {
    printJson(answer);
    return;
  }
  const { uri, digest, manifest, images, ...rest } = answer as unknown as ImageDetails;
  const sections = images.flatMap(({ platform, digest, size, layers, config }) => [
    ...section(platform ?? 'image', [digest], { size, ...config }),
    '  layers:',
    ...indented(
      layers.map(({ size, digest, mediaType }) => ({ size, digest, mediaType })),
      4,
    ),
  ]);
  printLines([uri, digest, ...factsOf({ ...rest }), ...sections]);
}

// Names to copy are on lines of their own, because a digest beside a name does not fit on a terminal.
function section(title: string, names: readonly string[], facts: Tree): Line[] {
  // The platform is made of them.
  const { os, architecture, variant, ...known } = facts;
  return ['', `${title}:`, ...names.map((name) => `  ${name}`), ...factsOf(known)];
}

function factsOf(facts: Tree): Line[] {
  const rows = Object.entries(facts).map(([name, value]) => [label(name), shown(name, value)] as const);
  const known = rows.filter(([, value]) => value !== '-');
  return known.length === 0 ? [] : namedValues(known);
}

function shown(name: string, value: unknown): string | readonly string[] {
  const texts = name === 'labels' ? Object.entries(value as Tree) : [];
  return texts.length === 0 || value === null ? inline(value, name) : texts.map(([key, text]) => `${key}=${text}`);
}
