// Addresses that a server on the internet may be asked to call.

import { isIP } from 'node:net';

const localName = /(^|\.)(localhost|local|internal)\.?$/;
const localV4 = /^(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[789]\d|1[01]\d|12[0-7]))\./;
const localV6 = /^(::|::1|::ffff:.*|f[cd].*|fe[89ab].*)$/;

/** Whether a text is an http or https URL of a host that is not, by its name or address, inside some network. */
export function isPublicUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 4) return !localV4.test(host);
  return isIP(host) === 6 ? !localV6.test(host) : !localName.test(host);
}
