// The routes that clients of the platform call: those of its published SDK, of its newest table, and of its own apps.

import { ELIZA_CLOUD_PUBLIC_ENDPOINTS as published } from '@elizaos/cloud-sdk';

/** Routes of the newest table that the published SDK does not have yet. */
const newer = `
/api/v1/advertising/accounts/{id} PATCH POST
/api/v1/advertising/audience-segments GET POST
/api/v1/advertising/audience-segments/{id} GET PATCH DELETE
/api/v1/advertising/audience-segments/{id}/apply POST
/api/v1/advertising/campaigns/{id}/attribution GET POST
/api/v1/advertising/campaigns/{id}/dayparting GET PUT
/api/v1/advertising/campaigns/{id}/duplicate POST
/api/v1/advertising/campaigns/{id}/report GET
/api/v1/advertising/campaigns/{id}/report/share POST
/api/v1/advertising/campaigns/{id}/report/share/{shareId} DELETE
/api/v1/advertising/conversions/track GET POST
/api/v1/advertising/reports/{token} GET
/api/v1/api-keys/current DELETE
/api/v1/app-auth/delegations/consent DELETE
/api/v1/app-auth/delegations/google/connect POST
/api/v1/app-auth/delegations/google/connections GET
/api/v1/app-auth/delegations/google/request POST
/api/v1/app-auth/delegations/identity GET
/api/v1/app-auth/delegations/registration GET
/api/v1/app-auth/delegations/revoke POST
/api/v1/app-auth/delegations/token POST
/api/v1/app-auth/mobile/ack POST
/api/v1/app-auth/mobile/config GET
/api/v1/app-auth/mobile/credentials GET
/api/v1/app-auth/mobile/credentials/{id} DELETE
/api/v1/app-auth/mobile/token POST
/api/v1/apps/backup/restore POST
/api/v1/apps/{id}/backup GET
/api/v1/apps/{id}/billing/account GET
/api/v1/apps/{id}/billing/admin GET
/api/v1/apps/{id}/billing/admin/merchants POST
/api/v1/apps/{id}/billing/admin/merchants/disconnect POST
/api/v1/apps/{id}/billing/admin/merchants/onboarding POST
/api/v1/apps/{id}/billing/admin/merchants/refresh POST
/api/v1/apps/{id}/billing/admin/notifications GET POST
/api/v1/apps/{id}/billing/admin/notifications/keys/activate POST
/api/v1/apps/{id}/billing/admin/notifications/keys/prepare POST
/api/v1/apps/{id}/billing/admin/operations/{commandId}/recover POST
/api/v1/apps/{id}/billing/admin/paid-periods GET
/api/v1/apps/{id}/billing/admin/plans POST
/api/v1/apps/{id}/billing/admin/plans/adopt POST
/api/v1/apps/{id}/billing/admin/plans/publish POST
/api/v1/apps/{id}/billing/admin/plans/retire POST
/api/v1/apps/{id}/billing/admin/plans/verify POST
/api/v1/apps/{id}/billing/admin/refunds POST
/api/v1/apps/{id}/billing/admin/refunds/preview POST
/api/v1/apps/{id}/billing/registration POST
/api/v1/apps/{id}/delegation-clients GET POST
/api/v1/apps/{id}/delegation-clients/{clientId} DELETE
/api/v1/apps/{id}/delegation-clients/{clientId}/rotate POST
/api/v1/apps/{id}/frontend GET POST
/api/v1/apps/{id}/frontend/{deploymentId} GET DELETE
/api/v1/apps/{id}/frontend/{deploymentId}/activate POST
/api/v1/apps/{id}/frontend/preview/{path} GET
/api/v1/apps/{id}/inference/chat/completions POST
/api/v1/apps/{id}/review GET POST
/api/v1/billing/application-slots/{slotKey} GET
/api/v1/billing/hold GET POST
/api/v1/billing/limits GET
/api/v1/billing/resources/{id}/cancel GET
/api/v1/connections/accounts GET
/api/v1/connections/accounts/{accountId} GET
/api/v1/connections/{id}/broker POST
/api/v1/connections/{id}/refresh POST
/api/v1/earnings/payout/stripe-connect/onboard POST
/api/v1/earnings/payout/stripe-connect/transfer POST
/api/v1/earnings/statement GET
/api/v1/eliza/agents/{agentId}/api/{path} PATCH PUT DELETE
/api/v1/eliza/agents/{agentId}/api/conversations/{conversationId} PATCH DELETE
/api/v1/eliza/agents/{agentId}/downgrade POST
/api/v1/eliza/agents/{agentId}/github/device-code POST
/api/v1/eliza/agents/{agentId}/shared-reminders/{taskId}/deliver POST
/api/v1/eliza/agents/{agentId}/upgrade-tier GET POST
/api/v1/eliza/agents/{agentId}/upgrade-tier/adopt-existing GET POST
/api/v1/eliza/agents/{agentId}/upgrade-tier/cutover POST
/api/v1/eliza/agents/{agentId}/write POST
/api/v1/eliza/personal GET
/api/v1/eliza/personal/recovery/{token} GET
/api/v1/eliza/plaid/item-connection POST
/api/v1/eliza/plaid/item-status POST
/api/v1/eliza/plaid/revoke POST
/api/v1/eliza/plaid/verification-key POST
/api/v1/files GET POST
/api/v1/files/{id} GET DELETE
/api/v1/generate-sfx POST
/api/v1/hf-proxy/{path} GET
/api/v1/hosted-frontend/serve/{path} GET
/api/v1/marketing/influencers GET POST
/api/v1/marketing/influencers/bookings GET POST
/api/v1/marketing/influencers/bookings/{bookingId}/accept POST
/api/v1/marketing/influencers/bookings/{bookingId}/approve POST
/api/v1/marketing/influencers/bookings/{bookingId}/cancel POST
/api/v1/marketing/influencers/bookings/{bookingId}/deliver POST
/api/v1/marketing/influencers/bookings/{bookingId}/reject POST
/api/v1/marketing/inventory GET POST
/api/v1/marketing/inventory/{slotId} GET PATCH DELETE
/api/v1/marketing/inventory/{slotId}/analytics GET
/api/v1/marketing/inventory/click POST
/api/v1/marketing/inventory/serve GET
/api/v1/marketing/pr GET POST
/api/v1/marketing/pr/{releaseId} GET PATCH
/api/v1/marketing/pr/{releaseId}/cancel POST
/api/v1/marketing/pr/{releaseId}/coverage GET
/api/v1/marketing/pr/{releaseId}/submit POST
/api/v1/me/account-deletion GET POST
/api/v1/me/consents GET POST
/api/v1/me/data-export POST
/api/v1/me/mfa GET
/api/v1/models/status POST
/api/v1/oauth/success-proof/verify GET
/api/v1/pii-scrub/jobs POST
/api/v1/pii-scrub/jobs/{id} GET
/api/v1/remote/hosts GET POST
/api/v1/remote/hosts/{id}/managed-network/activate POST
/api/v1/remote/hosts/{id}/revoke POST
/api/v1/remote/sessions POST
/api/v1/remote/sessions/activate POST
/api/v1/remote/sessions/{id}/activate GET POST PATCH DELETE
/api/v1/remote/sessions/{id}/commands GET POST
/api/v1/remote/sessions/{id}/commands/{commandId} GET
/api/v1/remote/sessions/{id}/commands/{commandId}/complete POST
/api/v1/remote/sessions/{id}/commands/{commandId}/start POST
/api/v1/sessions GET
/api/v1/sessions/{id} DELETE
/api/v1/subscriptions/cancel POST
/api/v1/subscriptions/cancel/{commandId} GET
/api/v1/subscriptions/cancel/undo POST
/api/v1/subscriptions/cancel/undo/{commandId} GET
/api/v1/subscriptions/checkout POST
/api/v1/subscriptions/checkout/confirm POST
/api/v1/subscriptions/commands GET
/api/v1/subscriptions/plans GET
/api/v1/subscriptions/portal POST
/api/v1/twilio/voice/calls POST
/api/v1/twilio/voice/calls/{callSid} GET DELETE
/api/v1/twilio/voice/media GET
/api/v1/twilio/voice/status POST
/api/v1/twitter/personal-message POST
/api/v1/voice/session POST
/api/v1/voice/session/consent POST
/api/v1/voice/session/ws GET
/api/v1/voice/session/{id}/revoke POST
/api/v1/web-push/subscriptions POST DELETE
`;

/** Routes that the platform's apps and their templates call beside those of the SDK. */
const ofApps = `
/api/eliza/rooms GET POST
/api/eliza/rooms/{roomId} GET DELETE
/api/eliza/rooms/{roomId}/messages GET POST
/api/eliza/rooms/{roomId}/messages/stream POST
/api/eliza/rooms/{roomId}/welcome POST
/api/v1/upload POST
/api/v1/me GET
/api/v1/agents/{agentId}/chat POST
/api/v1/agents/{agentId}/chat/stream POST
/api/v1/agents/{agentId}/messages POST
/app-auth/authorize GET
/api/v1/app-auth/connect POST
/api/v1/app-auth/delegations GET POST
/api/v1/app-auth/logout POST
/api/v1/app-auth/refresh POST
/api/v1/app-auth/session GET
/api/v1/app-credits/balance GET
/api/v1/apps/{id}/billing/accounts/{accountId}/subscriptions/{family}/checkout GET POST PUT PATCH DELETE
/api/v1/apps/{id}/billing/catalog GET
/api/v1/billing/payment-states GET
/api/v1/billing/payment-states/{id} GET
/api/v1/credits/purchases GET
/api/v1/credits/transactions GET
/api/v1/eliza/agents/{agentId}/api/conversations/{conversationId} DELETE
/api/v1/eliza/agents/{agentId}/connectors GET POST
/api/v1/eliza/agents/{agentId}/connectors/{bindingId} GET DELETE
/api/v1/eliza/agents/{agentId}/connectors/{bindingId}/mcp/{product} POST
/api/v1/track/pageview POST
/api/elevenlabs/voices GET
/api/elevenlabs/voices/{id} PATCH
/api/auth/siws/nonce GET
/api/auth/siws/verify POST
/api/compat/agents GET POST
/api/compat/agents/{id} GET DELETE
/api/compat/agents/{id}/status GET
/api/compat/availability GET
/api/compat/jobs/{jobId} GET
`;

/** The methods in the published table that its generator adds where the platform takes POST alone. */
const generated = /^(?:GET|PUT|PATCH|DELETE) \/api\/v1\/generate-(?:image|video)$|^GET \/api\/v1\/models\/status$/;

/** Each route as `GET /path/{id}`, once. */
export const platformRoutes: readonly string[] = [
  ...new Set([...Object.keys(published).filter((route) => !generated.test(route)), ...routesOf(newer + ofApps)]),
];

function routesOf(table: string): string[] {
  return table
    .trim()
    .split(/\n+/)
    .flatMap((line) => {
      const [path, ...methods] = line.split(' ');
      return methods.map((method) => `${method} ${path}`);
    });
}
