// Tells which names mean this machine, and which web pages may do what here.

import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { Config } from '../config/schema.js';
import { ApiError } from '../core/errors.js';
import { memoizeLast } from '../core/memoize-last.js';

type Server = Config['server'];

// The names by which containers reach the machine that they run on.
const machineOfContainers = ['host.docker.internal', 'gateway.docker.internal', 'host.containers.internal'];
// The format that browsers send: a URL would also accept user names and encoded characters, which no Host header contains.
const hostPattern = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i;

/**
 * Whether a Host header names this machine: an address, a name without dots, a local one, that of --host or
 * --public-url. Any other name can be bought, and pointed at this machine by the page that uses it.
 */
function isOwnHost(host: string, server: Server): boolean {
  const { host: listening, publicUrl } = server;
  // HTTP/1.0 has none, and browsers always send one.
  if (host === '') return true;
  const name = hostPattern.test(host) ? hostName(host) : '';
  if (name === '') return false;
  if (isLoopbackName(name) || !name.includes('.') || isIP(name) !== 0 || name.startsWith('[')) return true;
  return (
    name === listeningName(listening) ||
    (publicUrl !== null && name === hostName(new URL(publicUrl).host)) ||
    machineOfContainers.includes(name) ||
    name === hostname().toLowerCase() ||
    isWorldHost(name, server)
  );
}

/**
 * The first label of a Host below the domain of the settings, or of publicUrl: what a proxy can choose a process by.
 *
 * @example labelOf('blue.emulator.example', server) // 'blue'
 */
export function labelOf(host: string, { worldDomain, publicUrl }: Server): string | undefined {
  const domain = worldDomain ?? (publicUrl === null ? '' : new URL(publicUrl).hostname);
  if (domain === '' || isIP(domain) !== 0) return undefined;
  const name = host.toLowerCase().replace(/:\d+$/, '');
  const label = name.endsWith(`.${domain}`) ? name.slice(0, -domain.length - 1) : '';
  return /^[a-z0-9][a-z0-9_-]*$/.test(label) ? label : undefined;
}

/** Whether a name is the domain below which labels name worlds, or one of those names. */
export function isWorldHost(name: string, server: Server): boolean {
  return name === server.worldDomain || labelOf(name, server) !== undefined;
}

/** The refusal of a request whose Host, or whose whole URL, names another machine; undefined when it may pass. */
export function foreignHost(req: IncomingMessage, server: Server): ApiError | undefined {
  const { host = '' } = req.headers;
  const repeated = repeatedHost(req);
  if (repeated !== undefined) return repeated;
  if (host === '' && req.httpVersion === '1.1') return hostless();
  if (!isOwnHost(host, server)) return foreign(host);
  const inTarget = absoluteHost(req.url);
  return inTarget === undefined || isOwnHost(inTarget, server) ? undefined : foreign(inTarget);
}

/** The refusal of a request that has several Hosts, of which everybody on the way may take another one (RFC 9112, 3.2). */
export function repeatedHost({ rawHeaders }: IncomingMessage): ApiError | undefined {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts++;
  return hosts < 2
    ? undefined
    : new ApiError('VALIDATION_ERROR', { message: `The request has ${hosts} Host headers: send one` });
}

function hostless(): ApiError {
  return new ApiError('VALIDATION_ERROR', { message: 'The request has no Host header, which HTTP/1.1 demands' });
}

function foreign(host: string): ApiError {
  return new ApiError('FORBIDDEN', {
    message: `Insufficient permissions: the Host ${JSON.stringify(host.slice(0, 100))} may be a foreign name for this machine. Name it with --public-url`,
    details: { reason: 'foreign-host' },
  });
}

/** The path and query that a request asks for; undefined when its target is none (`*`, or a URL that cannot be read). */
export function pathOf(target = '/'): string | undefined {
  if (target.startsWith('/')) return target;
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return undefined;
  const { pathname, search } = new URL(target);
  return pathname + search;
}

// A proxy is asked for whole URLs; this is none, but takes them.
export function absoluteHost(target = '/'): string | undefined {
  if (target.startsWith('/') || !URL.canParse(target)) return undefined;
  return /^https?:\/\/([^/?#]*)/i.exec(target)?.[1];
}

/** The origin of the page that sent a request: this origin, one that the settings list, another one of this machine. */
type PageOrigin = 'own' | 'listed' | 'loopback' | 'foreign';

/** The relation of an Origin header to the address that a request went to; undefined without the header. */
export function pageOrigin(
  { headers }: Pick<IncomingMessage, 'headers'>,
  { publicUrl, corsOrigins }: Server,
): PageOrigin | undefined {
  const { origin, host } = headers;
  if (origin === undefined || origin === '') return undefined;
  if (origin === `http://${host}` || (publicUrl !== null && new URL(publicUrl).origin === origin)) return 'own';
  if (corsOrigins.includes(origin)) return 'listed';
  return isLoopbackOrigin(origin) ? 'loopback' : 'foreign';
}

/** Whether a page's origin is this machine. */
export function isLoopbackOrigin(origin: string): boolean {
  return URL.canParse(origin) && isLoopbackName(new URL(origin).hostname);
}

/** Whether a host name (as a URL has it) means this machine. */
export function isLoopbackName(name: string): boolean {
  return /^(?:.+\.)?localhost\.?$/.test(name) || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** The name in a Host header, as a URL has it. It is kept, as clients send the same one: reading it takes 8 µs of each request. */
export const hostName = memoizeLast((host: string): string =>
  URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '',
);

/** The name of a listening address, as a URL has it: an IPv6 address in brackets. */
export function listeningName(host: string): string {
  return hostName(host.includes(':') ? `[${host}]` : host);
}
