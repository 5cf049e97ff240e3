// Operations that the platform has and the emulator does not: they answer 501, so that nobody looks for a wrong path.

import { ApiError } from '../core/errors.js';

/** An operation of the platform that the emulator does not have. */
export interface MissingOperation {
  method: string;
  /** With `{name}` for parameters. */
  path: string;
  /** What it belongs to: the first words of its path, such as `apps`. */
  family: string;
  /** The parameter at its end takes all further segments, too. */
  takesRest: boolean;
}

/** For each beginning of a path, what follows it there, with its methods. */
const families: readonly (readonly [base: string, operations: string])[] = [
  [
    '/api/v1/advertising',
    `
     /accounts GET POST · /accounts/discover POST · /accounts/{id} GET POST PATCH DELETE
     /accounts/{id}/media GET POST · /audience-segments GET POST · /audience-segments/{id} GET PATCH DELETE
     /audience-segments/{id}/apply POST · /campaigns GET POST · /campaigns/{id} GET PATCH DELETE
     /campaigns/{id}/analytics GET · /campaigns/{id}/attribution GET POST · /campaigns/{id}/creatives GET POST
     /campaigns/{id}/dayparting GET PUT · /campaigns/{id}/duplicate POST · /campaigns/{id}/pause POST
     /campaigns/{id}/report GET · /campaigns/{id}/report/share POST
     /campaigns/{id}/report/share/{shareId} DELETE · /campaigns/{id}/start POST · /conversions/track GET POST
     /creatives/{id} GET PATCH DELETE · /reports/{token} GET`,
  ],
  ['/api/v1/affiliates', '/ GET POST PUT · /link POST'],
  ['/api/v1/agent-tokens', '/ POST'],
  [
    '/api/v1/agents',
    `
     / POST · /by-token GET · /{agentId} GET · /{agentId}/chat POST
     /{agentId}/chat/stream POST · /{agentId}/logs GET
     /{agentId}/message POST · /{agentId}/messages POST · /{agentId}/monetization GET PUT
     /{agentId}/restart POST · /{agentId}/resume POST · /{agentId}/status GET · /{agentId}/suspend POST
     /{agentId}/usage GET · /{agentId}/workflows GET POST · /{agentId}/workflows/executions/{executionId} GET
     /{agentId}/workflows/{workflowId} GET PUT DELETE · /{agentId}/workflows/{workflowId}/run POST`,
  ],
  [
    '/api/v1/apis',
    `
     /birdeye/{path} GET · /dexscreener/{path} GET · /storage/list GET · /storage/objects/{key} GET PUT DELETE
     /storage/presign POST · /tunnels/tailscale/auth-key POST`,
  ],
  ['/app-auth', '/authorize GET'],
  [
    '/api/v1/app-auth',
    `
     /connect POST · /delegations GET POST · /delegations/consent DELETE · /delegations/google/connect POST
     /delegations/google/connections GET · /delegations/google/request POST · /delegations/identity GET
     /delegations/registration GET · /delegations/revoke POST · /delegations/token POST · /logout POST
     /mobile/ack POST · /mobile/config GET · /mobile/credentials GET · /mobile/credentials/{id} DELETE
     /mobile/token POST · /refresh POST · /session GET`,
  ],
  ['/api/v1/app-credits', '/balance GET · /checkout POST · /verify GET'],
  ['/api/v1/approval-requests', '/ GET POST · /{id} GET · /{id}/approve POST · /{id}/cancel POST · /{id}/deny POST'],
  [
    '/api/v1/apps',
    `
     / GET POST · /backup/restore POST · /check-name POST · /{id} GET PUT PATCH DELETE · /{id}/analytics GET
     /{id}/analytics/requests GET · /{id}/backup GET · /{id}/billing/{path} GET POST PUT PATCH DELETE
     /{id}/characters GET PUT · /{id}/charges GET POST
     /{id}/charges/{chargeId} GET · /{id}/charges/{chargeId}/checkout POST · /{id}/chat POST
     /{id}/database GET PUT · /{id}/delegation-clients GET POST · /{id}/delegation-clients/{clientId} DELETE
     /{id}/delegation-clients/{clientId}/rotate POST · /{id}/deploy POST · /{id}/deploy/status GET
     /{id}/discord-automation GET POST DELETE · /{id}/discord-automation/post POST
     /{id}/domains GET POST DELETE · /{id}/domains/buy POST · /{id}/domains/check POST
     /{id}/domains/status POST · /{id}/domains/sync POST · /{id}/domains/verify POST
     /{id}/domains/{domain}/dns GET POST · /{id}/domains/{domain}/dns/{recordId} GET PATCH DELETE
     /{id}/earnings GET · /{id}/earnings/history GET · /{id}/earnings/withdraw POST · /{id}/frontend GET POST
     /{id}/frontend/preview/{path} GET · /{id}/frontend/{deploymentId} GET DELETE
     /{id}/frontend/{deploymentId}/activate POST · /{id}/inference/chat/completions POST · /{id}/generate-image GET POST PUT PATCH DELETE
     /{id}/monetization GET PUT · /{id}/promote GET POST · /{id}/promote/analytics GET
     /{id}/promote/assets GET POST · /{id}/promote/preview POST · /{id}/public GET
     /{id}/regenerate-api-key POST · /{id}/review GET POST · /{id}/telegram-automation GET POST DELETE
     /{id}/telegram-automation/post POST · /{id}/twitter-automation GET POST DELETE
     /{id}/twitter-automation/post POST · /{id}/users GET`,
  ],
  ['/api/v1/apps-ingress', '/ask GET'],
  ['/api/auth', '/siws/nonce GET · /siws/verify POST'],
  [
    '/api/v1/ballots',
    '/ GET POST · /{id} GET · /{id}/cancel POST · /{id}/distribute POST · /{id}/tally POST · /{id}/vote POST',
  ],
  [
    '/api/v1/billing',
    `
     /application-slots/{slotKey} GET · /hold GET POST · /limits GET · /payment-states GET
     /payment-states/{id} GET · /resources/{id}/cancel GET`,
  ],
  ['/api/v1/blooio', '/connect POST · /disconnect POST DELETE · /status GET'],
  [
    '/api/v1/browser',
    `
     /sessions GET POST · /sessions/{id} GET DELETE · /sessions/{id}/command POST · /sessions/{id}/navigate POST
     /sessions/{id}/snapshot GET`,
  ],
  ['/api/v1/chain', '/nfts/{chain}/{address} GET · /tokens/{chain}/{address} GET · /transfers/{chain}/{address} GET'],
  ['/api/v1/coding-containers', '/ POST · /promotions POST · /{containerId}/sync POST'],
  [
    '/api/compat',
    `
     /agents GET POST · /agents/{id} GET DELETE · /agents/{id}/launch POST · /agents/{id}/logs GET
     /agents/{id}/restart POST · /agents/{id}/resume POST · /agents/{id}/status GET · /agents/{id}/suspend POST
     /availability GET · /jobs/{jobId} GET`,
  ],
  [
    '/api/v1/connections',
    `
     /accounts GET · /accounts/{accountId} GET · /{id}/broker POST · /{id}/refresh POST
     /{platform} GET POST PUT PATCH DELETE`,
  ],
  ['/api/v1/credits', '/purchases GET · /transactions GET'],
  ['/api/v1/device-bus', '/devices POST · /devices/{deviceId}/intents GET · /intents POST'],
  [
    '/api/v1/discord',
    `
     /callback GET · /channels GET · /channels/refresh POST · /connections GET POST
     /connections/{id} GET PATCH DELETE · /disconnect POST · /guilds GET · /oauth GET · /status GET`,
  ],
  ['/api/v1/discovery', '/ GET'],
  ['/api/v1/domains', '/ GET · /resolve GET · /search POST'],
  ['/api/v1/earnings', '/payout/stripe-connect/onboard POST · /payout/stripe-connect/transfer POST · /statement GET'],
  ['/api/elevenlabs', '/voices GET · /voices/verify/{id} GET · /voices/{id} PATCH'],
  [
    '/api/eliza',
    `
     /rooms GET POST · /rooms/{roomId} GET DELETE · /rooms/{roomId}/messages GET POST
     /rooms/{roomId}/messages/stream POST · /rooms/{roomId}/welcome POST`,
  ],
  [
    '/api/v1/eliza',
    `
     /agents/{agentId}/api/conversations/{conversationId} GET PATCH DELETE
     /agents/{agentId}/api/identity GET · /agents/{agentId}/api/identity/onchain GET
     /agents/{agentId}/api/identity/register POST · /agents/{agentId}/api/identity/uri PUT
     /agents/{agentId}/api/{path} GET POST PUT PATCH DELETE · /agents/{agentId}/api/wallet/{path} GET POST PUT
     /agents/{agentId}/connectors GET POST · /agents/{agentId}/connectors/{bindingId} GET POST PATCH DELETE
     /agents/{agentId}/connectors/{bindingId}/mcp/{product} POST · /agents/{agentId}/downgrade POST
     /agents/{agentId}/discord GET DELETE · /agents/{agentId}/discord/oauth POST · /agents/{agentId}/github GET DELETE
     /agents/{agentId}/github/device-code POST · /agents/{agentId}/github/link POST · /agents/{agentId}/github/oauth POST
     /agents/{agentId}/github/token GET · /agents/{agentId}/lifeops/schedule/merged-state GET
     /agents/{agentId}/lifeops/schedule/observations POST · /agents/{agentId}/shared-reminders/{taskId}/deliver POST
     /agents/{agentId}/upgrade-tier GET POST · /agents/{agentId}/upgrade-tier/adopt-existing GET POST
     /agents/{agentId}/upgrade-tier/cutover POST · /agents/{agentId}/wallet GET · /agents/{agentId}/write POST
     /discord/gateway-agent POST · /github-oauth-complete GET · /google/accounts GET
     /google/calendar/calendars GET · /google/calendar/events POST
     /google/calendar/events/{eventId} PATCH DELETE · /google/calendar/feed GET · /google/connect/initiate POST
     /google/disconnect POST · /google/gmail/message-send POST · /google/gmail/read GET
     /google/gmail/reply-send POST · /google/gmail/search GET · /google/gmail/subscription-headers GET
     /google/gmail/triage GET · /google/status GET · /launch-sessions/{sessionId} GET
     /lifeops/github-complete GET · /paypal/authorize POST · /paypal/callback POST · /paypal/popup-callback GET
     /paypal/refresh POST · /paypal/status GET · /paypal/transactions POST · /personal GET
     /personal/recovery/{token} GET · /plaid/exchange POST · /plaid/item-connection POST · /plaid/item-status POST
     /plaid/link-token POST · /plaid/revoke POST · /plaid/status GET · /plaid/sync POST
     /plaid/verification-key POST`,
  ],
  ['/api/v1/extract', '/ POST'],
  ['/api/v1/files', '/ GET POST · /{id} GET DELETE'],
  ['/api/v1/gallery', '/ GET · /explore GET · /stats GET · /{id} DELETE'],
  ['/api/v1/generate-music', '/ GET POST PUT PATCH DELETE'],
  ['/api/v1/generate-prompts', '/ POST'],
  ['/api/v1/generate-sfx', '/ POST'],
  ['/api/v1/hf-proxy', '/{path} GET'],
  ['/api/v1/hosted-frontend', '/serve/{path} GET'],
  [
    '/api/v1/market',
    `
     /candles/{chain}/{address} GET · /portfolio/{chain}/{address} GET · /preview/portfolio/{chain}/{address} GET
     /preview/predictions GET · /preview/price/{chain}/{address} GET · /preview/token/{chain}/{address} GET
     /preview/wallet-overview GET · /price/{chain}/{address} GET · /token/{chain}/{address} GET
     /trades/{chain}/{address} GET`,
  ],
  [
    '/api/v1/marketing',
    `
     /influencers GET POST · /influencers/bookings GET POST · /influencers/bookings/{bookingId}/accept POST
     /influencers/bookings/{bookingId}/approve POST · /influencers/bookings/{bookingId}/cancel POST
     /influencers/bookings/{bookingId}/deliver POST · /influencers/bookings/{bookingId}/reject POST
     /inventory GET POST · /inventory/click POST · /inventory/serve GET · /inventory/{slotId} GET PATCH DELETE
     /inventory/{slotId}/analytics GET · /pr GET POST · /pr/{releaseId} GET PATCH · /pr/{releaseId}/cancel POST
     /pr/{releaseId}/coverage GET · /pr/{releaseId}/submit POST`,
  ],
  ['/api/v1/mcps', '/ GET POST · /{mcpId} GET PUT DELETE · /{mcpId}/publish POST DELETE'],
  ['/api/v1/me', '/ GET · /account-deletion GET POST · /consents GET POST · /data-export POST · /mfa GET'],
  ['/api/v1/models', '/status POST'],
  [
    '/api/v1/oauth',
    `
     /callback GET · /callback/{provider} GET POST · /connect POST · /connections GET
     /connections/{id} GET DELETE · /connections/{id}/token GET · /initiate GET POST · /providers GET
     /status GET · /success-proof/verify GET · /token/{platform} GET · /{platform}/callback GET · /{platform}/initiate POST`,
  ],
  ['/api/v1/oauth-intents', '/ GET POST · /{id} GET · /{id}/cancel POST'],
  ['/api/v1/payment-requests', '/ GET POST · /{id} GET · /{id}/cancel POST · /{id}/expire POST'],
  ['/api/v1/pii-scrub', '/jobs POST · /jobs/{id} GET'],
  ['/api/v1/pricing', '/summary GET'],
  ['/api/v1/proxy', '/birdeye/{path} GET POST PUT PATCH DELETE · /evm-rpc/{chain} POST · /solana-rpc POST'],
  ['/api/v1/redemptions', '/ GET POST · /balance GET · /quote GET · /status GET · /{id} GET'],
  ['/api/v1/referrals', '/ GET · /apply POST'],
  [
    '/api/v1/remote',
    `
     /hosts GET POST · /hosts/{id}/managed-network/activate POST · /hosts/{id}/revoke POST · /pair POST
     /sessions GET POST · /sessions/activate POST · /sessions/{id}/activate GET POST PATCH DELETE
     /sessions/{id}/commands GET POST · /sessions/{id}/commands/{commandId} GET
     /sessions/{id}/commands/{commandId}/complete POST · /sessions/{id}/commands/{commandId}/start POST
     /sessions/{id}/revoke POST`,
  ],
  ['/api/v1/reports', '/bug POST'],
  ['/api/v1/rpc', '/{chain} POST'],
  ['/api/v1/search', '/ POST'],
  ['/api/v1/security', '/audit POST'],
  ['/api/v1/sensitive-requests', '/ POST · /{id} GET · /{id}/cancel POST · /{id}/expire POST · /{id}/submit POST'],
  ['/api/v1/sessions', '/ GET · /{id} DELETE'],
  [
    '/api/v1/solana',
    `
     /assets/{address} GET · /methods GET · /rpc POST · /token-accounts/{address} GET
     /transactions/{address} GET`,
  ],
  ['/api/v1/steward', '/tenants POST · /tenants/credentials GET'],
  ['/api/v1/stripe', '/checkout POST'],
  [
    '/api/v1/subscriptions',
    `
     /cancel POST · /cancel/undo POST · /cancel/undo/{commandId} GET · /cancel/{commandId} GET · /checkout POST
     /checkout/confirm POST · /commands GET · /plans GET · /portal POST`,
  ],
  ['/api/v1/telegram', '/chats GET · /connect POST · /disconnect DELETE · /scan-chats GET POST · /status GET'],
  ['/api/v1/track', '/pageview POST'],
  [
    '/api/v1/twilio',
    '/connect POST · /disconnect POST DELETE · /status GET · /voice/calls POST · /voice/calls/{callSid} GET DELETE · /voice/inbound POST · /voice/media GET · /voice/status POST',
  ],
  [
    '/api/v1/twitter',
    '/callback GET · /connect POST · /disconnect DELETE · /personal-message POST · /status GET · /token GET',
  ],
  ['/api/v1/upload', '/ POST'],
  [
    '/api/v1/user',
    `
     /avatar GET POST PUT PATCH DELETE · /email PATCH · /wallets GET · /wallets/provision POST
     /wallets/rpc POST`,
  ],
  ['/api/v1/video', '/featured GET · /usage GET'],
  ['/api/v1/voice', '/session POST · /session/consent POST · /session/ws GET · /session/{id}/revoke POST'],
  ['/api/v1/voice-models', '/catalog GET'],
  ['/api/v1/web-push', '/subscriptions POST DELETE'],
  ['/api/v1/whatsapp', '/connect POST · /disconnect POST DELETE · /status GET'],
  [
    '/api/v1/x',
    `
     /dms/conversations/send POST · /dms/curate POST · /dms/digest GET · /dms/groups POST · /dms/send POST
     /feed GET · /posts POST · /status GET`,
  ],
  ['/api/v1/x402', '/requests GET POST · /requests/{id} GET · /requests/{id}/settle POST'],
];

// Their names say that they are paths themselves.
const takesRest = /\{(path|key)\}$/;

/** All of them, by their paths. */
export const notImplemented: readonly MissingOperation[] = families.flatMap(([base, operations]) =>
  operations
    .trim()
    .split(/ · |\n\s*/)
    .flatMap((line) => {
      const [rest = '', ...methods] = line.split(' ');
      const path = rest === '/' ? base : base + rest;
      const family = base.replace(/^\/(api\/)?(v1\/)?/, '');
      return methods.map((method) => ({ method, path, family, takesRest: takesRest.test(path) }));
    }),
);

/** The error for a request of one. Credentials make no difference to it: with a 401 one would look for a key first. */
export function refusalOf({ method, path, family }: MissingOperation): ApiError {
  return new ApiError('NOT_IMPLEMENTED', {
    message: `The platform has ${method} ${path} (${family}), and this emulator does not implement it`,
    details: { method, path, family },
  });
}
