// Cross-origin rules of the platform's API; the control plane has none.

import type { AppOptions, Next } from './hooks.js';
import { isLoopbackOrigin } from './origins.js';
import { assume, type RequestContext } from './request-context.js';
import type { Place } from './request-world.js';
import { text } from './response.js';
import { answerUnrecorded } from './route.js';

const exposedHeaders = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Reset-After',
  'X-RateLimit-Policy',
  'Retry-After',
  'X-Should-Retry',
  'X-Request-Id',
  'X-Emulator',
  'X-Emulator-Now',
  'X-Emulator-Assumption',
  'X-Emulator-Warning',
  'X-Emulator-Fault',
  'X-PAYMENT-RESPONSE',
  'PAYMENT-RESPONSE',
  'PAYMENT-REQUIRED',
].join(', ');

// Those of the platform; what else a preflight asks for is allowed, too: SDKs send headers of their own (X-Stainless-Lang
// of openai), tracing adds some, and payment clients send Access-Control-Expose-Headers, where it has no meaning.
const allowedHeaders =
  'Authorization, Content-Type, X-API-Key, X-Wallet-Address, X-Timestamp, X-Wallet-Signature, X-PAYMENT, PAYMENT-SIGNATURE, X-App-Id, X-Eliza-Dedicated-Price, X-Request-ID, X-Emulator-Failure, X-Emulator-Fault, X-Emulator-World, Last-Event-ID';

/**
 * Writes the headers for the origin of a page, and answers preflights; the registry has none. The platform answers every
 * OPTIONS below /api so, also one that no page sends.
 */
export function allowOrigins(context: RequestContext, next: Next, { config }: AppOptions): Promise<void> {
  const { ctx } = context;
  const { path, refused }: Place = ctx.state.place;
  const origin = ctx.get('origin');
  if (context.endpoint !== undefined) return next();
  if (origin !== '') assume(context, 'cors');
  const isPreflight = origin !== '' && ctx.get('access-control-request-method') !== '';
  const onlyAsks = ctx.method === 'OPTIONS' && (isPreflight || path.startsWith('/api/'));
  if (refused !== undefined || (origin === '' && !onlyAsks)) return next();
  const trusted = config.server.corsOrigins.includes(origin) || isLoopbackOrigin(origin);
  ctx.set('Access-Control-Allow-Origin', trusted ? origin : '*');
  ctx.vary('Origin');
  if (trusted) ctx.set('Access-Control-Allow-Credentials', 'true');
  ctx.set('Access-Control-Expose-Headers', exposedHeaders);
  if (!onlyAsks) return next();
  ctx.set('Access-Control-Allow-Methods', 'GET, POST, PUT, PATCH, DELETE, OPTIONS');
  const names = ctx.get('access-control-request-headers');
  ctx.set('Access-Control-Allow-Headers', names === '' ? allowedHeaders : `${allowedHeaders}, ${names}`);
  ctx.vary('Access-Control-Request-Headers');
  ctx.set('Access-Control-Max-Age', '86400');
  answerUnrecorded(context, { ...text(''), status: 204 });
  return next();
}
