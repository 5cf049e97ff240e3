// Addresses of generated files: the name holds everything that a file is made from, so none is stored.

import type { World } from '../../../world/world.js';

/** The properties that the content of a file follows from. */
export interface FileRecipe {
  kind: 'png' | 'mp4';
  /** 32 hex characters that the picture follows from. */
  key: string;
  width: number;
  height: number;
  /** The length of a video. */
  seconds?: number;
}

const signatureLength = 16;
const name = /^([0-9a-f]{32})-(\d{1,4})x(\d{1,4})(?:-(\d{1,3})s)?-([0-9a-f]{16})\.(png|mp4)$/;

/** The name of a file; only this world makes names that it takes. */
export function fileName(world: World, recipe: FileRecipe): string {
  const { kind, key, width, height, seconds } = recipe;
  const text = `${key}-${width}x${height}${seconds === undefined ? '' : `-${seconds}s`}`;
  return `${text}-${world.random.sign('file', `${kind} ${text}`).slice(0, signatureLength)}.${kind}`;
}

/** The URL of a file. */
export function fileUrl(world: World, baseUrl: string, recipe: FileRecipe): string {
  return `${baseUrl}/api/v1/generated/${fileName(world, recipe)}`;
}

/** The content of a name; undefined for one that this world did not make. */
export function readFileName(world: World, text: string): FileRecipe | undefined {
  const [, key, width, height, seconds, , kind] = name.exec(text) ?? [];
  if (key === undefined) return undefined;
  const recipe: FileRecipe = {
    kind: kind === 'png' ? 'png' : 'mp4',
    key,
    width: Number(width),
    height: Number(height),
    ...(seconds !== undefined && { seconds: Number(seconds) }),
  };
  return fileName(world, recipe) === text ? recipe : undefined;
}
