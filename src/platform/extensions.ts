// The fields that the OpenAPI document has beyond the standard for an operation: its permission, rate limits and price.

import { features } from '../config/limit-features.js';
import type { Config } from '../config/schema.js';
import { toCredits } from '../core/money.js';
import type { Documented } from '../http/openapi.js';
import { addressBucket, keyBucket, scaled } from './limits/presets.js';

/** The fields x-permission, x-rate-limit and x-price of an operation under some settings. */
export function extensionsOf(endpoint: Documented, config: Config): Record<string, unknown> {
  const { permission } = endpoint;
  const price = priceOf(endpoint, config);
  return {
    ...(permission !== undefined && {
      'x-permission': permission === 'unrestricted' ? permission : `${permission.name}:${permission.level}`,
    }),
    'x-rate-limit': limitsOf(endpoint, config),
    ...(price !== undefined && { 'x-price': price }),
  };
}

// The window of all requests of a caller, and the operation's own or its feature's, where it has one.
function limitsOf({ id, limit, isUnlimited }: Documented, config: Config): object | null {
  if (isUnlimited === true) return null;
  const { rateLimits } = config;
  const { size, length } = keyBucket(config, undefined);
  const address = addressBucket(config, '');
  const set = rateLimits.operations[id];
  const preset = set ?? (limit === undefined ? undefined : features[limit]);
  return {
    enforced: rateLimits.enabled,
    all: { limit: size, windowMs: length },
    ...(address !== undefined && { address: { limit: address.size, windowMs: address.length } }),
    ...(preset !== undefined &&
      preset !== 'none' && {
        own: {
          name: set === undefined ? limit : id,
          preset,
          limit: scaled(rateLimits.presets[preset].limit, rateLimits.multiplier),
          windowMs: rateLimits.presets[preset].window,
        },
      }),
  };
}

// A fee is what everybody pays in USDC; other prices follow the request and these settings.
function priceOf({ fee, priceSettings }: Documented, { prices }: Config): object | undefined {
  if (fee !== undefined) return { currency: 'USDC', amount: toCredits(fee) };
  if (priceSettings === undefined) return undefined;
  const settings = priceSettings.map((name) => [`prices.${name}`, prices[name]]);
  return { currency: 'credits', settings: Object.fromEntries(settings) };
}
