// The environment variables that the platform sets itself, of containers and of hosted agents.

import { ApiError, type ApiErrorOptions, invalid } from '../../../core/errors.js';

/** In upper case; a client's name is one of them in any case. */
export const reservedVariables: readonly string[] = [
  'DATABASE_URL',
  'ELIZA_MANAGED_DATABASE_URL',
  'ELIZA_API_TOKEN',
  'ELIZAOS_CLOUD_API_KEY',
  'ELIZAOS_CLOUD_BASE_URL',
  'ELIZAOS_CLOUD_ENABLED',
  'ELIZA_CLOUD_PROVISIONED',
  'ELIZA_CLOUD_PAIR_DIRECT_RELAY',
  'ELIZA_CLOUD_PAIR_ALLOWED_PEER_CIDRS',
  'ELIZA_CLOUD_AGENT_ID',
  'ELIZA_RUNTIME_OWNER_ID',
  'PUBLIC_BASE_URL',
  'STEWARD_API_URL',
  'STEWARD_INVOKE_URL',
  'STEWARD_CAPABILITIES',
  'STEWARD_CAP_OPENAI_CHAT',
  'STEWARD_KEYLESS_MODE',
  'STEWARD_KEYLESS_SERVICES',
  'STEWARD_AGENT_ID',
  'STEWARD_AGENT_TOKEN',
  'STEWARD_JWT',
  'STEWARD_JWT_FILE',
  'STEWARD_REFRESH_URL',
  'STEWARD_REFRESH_SERVICE_TOKEN',
  'WAIFU_ELIZA_CLOUD_AGENT_ID',
];

const reserved = new Set(reservedVariables);

/** The error for variables that the platform sets itself. */
export function setByPlatform(names: readonly string[], more: ApiErrorOptions): ApiError {
  const { options } = invalid(
    ...names.map((name) => ({ path: `environmentVars.${name}`, message: 'is a variable of the platform' })),
  );
  return new ApiError('VALIDATION_ERROR', { ...options, ...more });
}

/** Those among some names, as the client has written them. */
export function reservedAmong(names: readonly string[]): string[] {
  return names.filter((name) => reserved.has(name.toUpperCase()));
}
