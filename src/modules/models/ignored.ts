// Warnings about fields that are accepted and ignored.

/** Tells of fields that are taken and change nothing, where they ask for something. */
export function tellIgnored(body: object, names: readonly string[], warn: (text: string) => void): void {
  const asked = names.filter((name) => isAsked((body as Record<string, unknown>)[name]));
  if (asked.length > 0) warn(`not emulated, so without effect: ${asked.join(', ')}`);
}

/** Tells of tools that no model here ever calls. */
export function tellTools(tools: readonly { type: string }[] | null | undefined, warn: (text: string) => void): void {
  const others = (tools ?? []).map(({ type }) => type).filter((type) => type !== 'function');
  if (others.length > 0) warn(`tools that are not emulated are never called: ${others.join(', ').slice(0, 200)}`);
}

function isAsked(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}
