// The name of a world, and its path.

export interface WorldName {
  readonly id: string;
  /** The path under which the world is addressed: '' for the default one, '/w/<id>' for others. */
  readonly prefix: string;
}

export function prefixOf(id: string): string {
  return id === 'default' ? '' : `/w/${id}`;
}
