// The URL of an emulator, as somebody has written it.

/** It without slashes at its end; undefined where it is none. */
export function baseUrlOf(given: string): string | undefined {
  const url = given.replace(/\/+$/, '');
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? url : undefined;
}

/**
 * What is said of one that is none.
 *
 * @param name the option or variable that holds it
 */
export function notBaseUrl(name: string, given: string): string {
  const isSchemeMissing = !given.includes('://') && URL.canParse(`http://${given}`);
  const hint = isSchemeMissing ? `; did you mean "http://${given.replace(/\/+$/, '')}"?` : '';
  return `${name} must be a URL that begins with http:// or https://, got "${given}"${hint}`;
}
