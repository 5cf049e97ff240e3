// URLs of an emulator: its base, as somebody has written it, and the paths of control operations below it.

// The part behind the base in the addresses of pages, such as that of the dashboard.
const beyond = /\/_emulator(?![^/?#])|[?#]/;

/** The URL without slashes at its end; undefined if it cannot be a base URL. */
export function baseUrlOf(given: string): string | undefined {
  const url = given.replace(/\/+$/, '');
  return /^https?:\/\//i.test(url) && !beyond.test(url) && URL.canParse(url) ? url : undefined;
}

/**
 * The message about a URL that cannot be a base URL.
 *
 * @param name the option or variable that holds it
 */
export function notBaseUrl(name: string, given: string): string {
  const plain = baseUrlOf(given.slice(0, beyond.exec(given)?.index));
  if (plain !== undefined)
    return `${name} must be a URL without a query, a fragment or /_emulator, got "${given}"; did you mean "${plain}"?`;
  // A scheme that lacks its colon or a slash is part of the mistake; digits alone are a port.
  const [, scheme = 'http', rest = ''] = /^(?:(https?)(?::\/*|\/+)|\/+)?(.*?)\/*$/is.exec(given) ?? [];
  const meant = `${scheme.toLowerCase()}://${rest.replace(/^:?(?=\d+$)/, '127.0.0.1:')}`;
  const hint = given.includes('://') || baseUrlOf(meant) === undefined ? '' : `; did you mean "${meant}"?`;
  return `${name} must be a URL that begins with http:// or https://, got "${given}"${hint}`;
}

/** The path of a method with that of the control plane before it, unless it is whole. */
export const wholePath = (path: string): string => (path.startsWith('/w/') ? path : `/_emulator${path}`);
