// The platform's OpenAPI document.

import type { Config } from '../config/schema.js';
import { openapiDocument } from '../http/openapi.js';
import { extensionsOf } from '../platform/extensions.js';
import { surfaceOf } from '../platform/surface.js';

/** The platform's OpenAPI document under some settings, for a base URL. */
export function platformDocument(config: Config, baseUrl: string, version: string): object {
  return openapiDocument(surfaceOf(config), {
    title: `${config.service.name} Cloud, emulated by cloudemu`,
    description:
      'The platform’s API as this emulator answers it. x-assumptions marks what rests on a guess; x-permission, x-rate-limit and x-price say what an operation takes.',
    version,
    baseUrl,
    cookieName: config.auth.cookieName,
    errors: config.errors.style,
    refusesGuesses: config.strict.guesses,
    extensionsOf: (endpoint) => extensionsOf(endpoint, config),
  });
}
