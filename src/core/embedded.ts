// The package's files inside the executable (Node's single executable application), under their paths in the package.

interface SingleExecutable {
  isSea(): boolean;
  getAssetKeys?(): string[];
  getAsset(key: string, encoding: 'utf8'): string;
  getRawAsset(key: string): ArrayBuffer;
}

interface EmbeddedFiles {
  /** All paths, relative to the package's root, with slashes. */
  readonly paths: readonly string[];
  text(path: string): string;
  /** The bytes, which must not be written to. */
  bytes(path: string): ArrayBuffer;
}

/** The files inside this process's executable; undefined where they lie in a folder. */
export const embedded: EmbeddedFiles | undefined = findEmbedded();

function findEmbedded(): EmbeddedFiles | undefined {
  // Older versions of Node 20 have neither of the two.
  const sea = process.getBuiltinModule?.('node:sea') as SingleExecutable | undefined;
  if (sea?.isSea() !== true) return undefined;
  const paths = sea.getAssetKeys?.() ?? [];
  // An executable made by others may contain this program without its files.
  if (!paths.includes('fixtures/profiles/spec.json')) return undefined;
  return { paths, text: (path) => sea.getAsset(path, 'utf8'), bytes: (path) => sea.getRawAsset(path) };
}
