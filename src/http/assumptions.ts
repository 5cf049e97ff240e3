// The ledger of guesses: where the platform's contract is silent, what is answered, and which setting changes it.

import type { Assumption } from './assumption.js';
import { everywhereAssumptions } from './everywhere-assumptions.js';
import { mediaAssumptions } from './media-assumptions.js';
import { voiceAssumptions } from './voice-assumptions.js';

export const assumptions = {
  'errors.envelope': {
    level: 'body',
    text: 'Every error has the body {success: false, error: {code, message, details?, requestId, retryAfter?}}; codes beyond UNAUTHORIZED, FORBIDDEN and RATE_LIMITED are ours.',
    setting: 'errors.style',
  },
  'errors.402': {
    level: 'body',
    text: 'Each 402 also carries x402Version 1 and accepts[]; for lack of credits also requiredCredits and creditsRemaining.',
  },
  'x402.payment': {
    level: 'detail',
    text: 'What costs credits can be paid with virtual USDC (x402, scheme exact, versions 1 and 2) at its upper estimate. Whoever pays without other credentials acts as his wallet’s organization, which begins without free credits; 401 without a payment.',
    setting: 'x402.*',
  },
  'topup.answer': {
    level: 'body',
    text: 'Without a payment a top-up is 402, whatever else it says. Paid, it answers {success, amount, walletAddress, organizationId, newBalance, message} and the header X-PAYMENT-RESPONSE or PAYMENT-RESPONSE; the ledger names the transfer. An authorization is settled once, and only if the operation succeeds.',
  },
  'x402.facilitator': {
    level: 'operation',
    text: 'GET /api/v1/x402 lists the kinds of payment; verify and settle take {paymentPayload, paymentRequirements}. A refusal is 400 with invalidReason or errorReason; details.reason is the reference facilitator’s word for it.',
  },
  'keys.form': {
    level: 'detail',
    text: 'A key is a prefix and 64 hex characters, stored as a hash. Live keys are refused with a message of their own, except those minted here.',
    setting: 'keys.prefix',
  },
  'keys.record': {
    level: 'body',
    text: 'A key is shown without its value: its first 12 characters, permissions (empty: everything), limit under both names, uses, expiry. Another organization’s key is 404; an inactive one cannot be regenerated (409).',
  },
  'keys.management': {
    level: 'operation',
    text: 'Keys are made by POST, shown by GET and changed by PATCH under /api/v1/api-keys, with an unrestricted key. They expire by virtual time; an expiry in the past is 400.',
  },
  'auth.order': {
    level: 'detail',
    text: 'All three wallet headers: the wallet alone, without falling back; else X-API-Key, else Authorization: Bearer. A bearer value of three dotted parts is a session token. A key that is switched off is 401, or 403 where the settings say so.',
    setting: 'keys.inactive',
  },
  'auth.sessions': {
    level: 'detail',
    text: 'The emulator is the identity provider: a session is an HS256 token of this world, in the cookie `session` (whose path is the world’s) or as Authorization: Bearer. It lasts 24 hours of virtual time. A browser’s cookie counts for no request that changes something and comes from a page of another origin, except loopback and listed ones.',
    setting: 'auth.sessionLifetime',
  },
  'auth.login': {
    level: 'operation',
    text: '/auth/login shows the users and signs in whoever is picked, without a password; /auth/logout ends the session. Both lead back to return_to, which is this emulator or an origin that server.corsOrigins lists.',
    setting: 'server.corsOrigins',
  },
  'auth.cliSession': {
    level: 'body',
    text: 'A command line starts a login with an id of its own, which waits ten minutes of virtual time; a person completes it with a session, at /auth/cli-login; the first poll after that has the key, later ones say that it was retrieved. An id counts once.',
  },
  'auth.roles': {
    level: 'detail',
    text: 'A user with the role viewer may read, and nothing else; so may the user’s keys. Other roles do not differ.',
  },
  'siwe.nonce': {
    level: 'detail',
    text: 'A nonce is 32 hex characters and bound to the client’s Host header; it lives five minutes of virtual time. A chainId that is none counts as 1.',
  },
  'siwe.verify': {
    level: 'body',
    text: 'Every refusal is the same 401 with a reason in its details. A failed attempt does not use the nonce up. Expiration Time and Not Before are judged by the client’s clock; lower-case addresses are accepted. Each success makes a new key named SIWE sign-in and ends the former one.',
  },
  'wallet.account': {
    level: 'detail',
    text: 'A wallet’s first sign-in makes an organization "Wallet 0x1234...abcd" with free credits; its ids follow from seed and address.',
    setting: 'credits.initialFree',
  },
  'wallet.headers': {
    level: 'detail',
    text: 'The signed path has no query and may have the world’s prefix. A signature counts once per address, timestamp, method and path; only a request that succeeds uses it up and creates the account.',
    setting: 'service.name',
  },
  'auth.permissions': {
    level: 'detail',
    text: 'GET needs the read level of an endpoint’s permission, everything else write; write includes read, a bare name is both. Containers belong to apps.',
    setting: 'auth.enforcePermissions',
  },
  'limits.bucket': {
    level: 'detail',
    text: 'One fixed window per caller and feature, begun by its first request. An operation with a limit of its own (by the settings or the control plane) has a window of its own; others count only against the key’s limit.',
    setting: 'rateLimits.*',
  },
  'limits.headers': {
    level: 'detail',
    text: 'X-RateLimit-Reset is an ISO time mapped to the wall clock; a 429 also has Retry-After and X-RateLimit-Reset-After in whole seconds of wall time at the clock’s present speed (at speed 1 while it is frozen), rounded up.',
    setting: 'rateLimits.resetFormat',
  },
  'platform.health': {
    level: 'body',
    text: 'The platform’s own health is {status, timestamp, region}; /_emulator/health is the emulator’s.',
  },
  'usage.report': {
    level: 'body',
    text: 'The report names every feature with a limit, operations with one of their own and, as `all`, the key itself; each has its window_seconds. data.global has the credits of the week, which begins on Monday at 00:00 UTC: what was spent, and at most that and the balance; no model has a limit of its own, so data.modelSpecific is empty.',
  },
  'time.exposed': {
    level: 'detail',
    text: 'Instants that clients compare with their own clock are mapped to wall time; in bodies they stay virtual while the clock is frozen, so that runs can be compared.',
    setting: 'clock.exposed',
  },
  'credits.balance': {
    level: 'body',
    text: 'The balance is {balance} in credits, where one credit is one dollar.',
  },
  'credits.summary': {
    level: 'operation',
    text: 'Credits belong to the organization alone, so agents, apps and earnings are empty; agentsSummary counts the agents; recentTransactions are the last ten. The least top-up is the smallest there is.',
  },
  'credits.transactions': {
    level: 'operation',
    text: 'The ledger, newest first, with reason, price rule, operation and balances; total counts the whole period, which without hours begins with the organization.',
  },
  'account.workFunction': {
    level: 'detail',
    text: 'work_function is any text of up to 50 characters: the platform takes one of a list that is not known.',
  },
  'account.user': {
    level: 'operation',
    text: 'The user behind the key, with the organization and its balance. PATCH wants at least one field; null clears one.',
  },
  'quotas.tiers': {
    level: 'detail',
    text: 'The quota follows the balance before the charge: below 1, from 1, from 10, from 100 credits. Beyond it: 403 QUOTA_EXCEEDED with {current, max}.',
    setting: 'quotas.*',
  },
  'agents.item': {
    level: 'body',
    text: 'Agents carry camelCase fields and their snake_case twins, username, tags (empty) and the token fields, null without a token.',
  },
  'agents.create': {
    level: 'body',
    text: 'Answers 201 and the whole agent. The username is a slug of the name, 3 to 30 characters, unique by -2, -3. Checks in this order: validation, token taken (409 with existingAgentId), quota (403). A missing bio is a default text; 60 a minute.',
    setting: 'rateLimits.operations',
  },
  'agents.list': {
    level: 'detail',
    text: 'A list shows the user’s own agents. search is literal and ignores case, category is exact, empty ones do not filter; order is desc by default, for name asc; equals stand in order of creation.',
  },
  'agents.access': {
    level: 'detail',
    text: 'Another user’s private agent is 404, in the same organization too. A public one can be read and cloned; delete, stats, publish and unpublish of it are 403.',
  },
  'agents.clone': {
    level: 'body',
    text: 'Takes {name?, username?, makePublic?} and answers 200 with {character, message}. The name defaults to the original’s with (Copy); a username that is taken is 409; tokens and publishing settings are not copied; the quota counts.',
  },
  'agents.publish': {
    level: 'body',
    text: 'Takes the terms of the offer and answers {success, message, agent}; again, it changes only the terms it names. The A2A and MCP addresses are null when switched off; nothing answers there.',
  },
  'agents.unpublish': {
    level: 'operation',
    text: 'A DELETE of the publish path makes the agent private and answers like publish; it can be repeated.',
  },
  'agents.marketplace': {
    level: 'operation',
    text: 'Lists the public agents of everybody, the caller’s own too, with the query and the answer of the list of agents.',
  },
  'containers.paths': {
    level: 'detail',
    text: 'Paths of list, delete, logs, stream, metrics, health, deployments and quota follow the REST form under /api/v1/containers.',
  },
  'containers.record': {
    level: 'body',
    text: 'Get answers the list item and the deployment’s details: error_message, deployment_log, progress, statusHistory and more. The url is null until the container first runs.',
  },
  'containers.create': {
    level: 'detail',
    text: 'Checks in this order: validation, image (404), name of another project (409), quota (403), credits (402). The same project_name again is an update, charged again.',
  },
  'containers.price': {
    level: 'detail',
    text: 'A deployment costs 0.50 credits and 0.05 for each further instance; one that fails, or is deleted before it ends, returns its whole charge.',
    setting: 'prices.*',
  },
  'containers.billing': {
    level: 'detail',
    text: 'Billed by the day, what runs at 00:00 UTC pays for the day that begins. What credits do not cover may be paid within 48 hours, by any credits that come, the oldest day first; then the container is stopped and its debt written off. Deploying it anew brings it back.',
    setting: 'billing.*',
  },
  'containers.timing': {
    level: 'detail',
    text: 'Deployments take about 12 seconds (fast), 8 to 12 minutes (realistic) or no time (instant); the polling advice follows, in wall time at the clock’s present speed.',
    setting: 'containers.timing',
  },
  'containers.update': {
    level: 'operation',
    text: 'PATCH of cpu, memory, port, desired_count, ecr_image_uri or environment_vars starts a deployment; the old one answers until the new one runs. It is free where a deployment of the container was paid for and not refunded, and costs a deployment otherwise.',
  },
  'containers.delete': {
    level: 'body',
    text: 'Delete works in every state, frees project_name and quota at once, and answers {success, message}, with refundAmount when credits return.',
    setting: 'containers.deletion',
  },
  'containers.logs': {
    level: 'body',
    text: 'Logs also stand under data.logs, oldest first, with a level; before the container runs they tell the provisioning. Accept: text/plain gives lines. Requests through the container’s url are lines of it, the last 1,000; made-up lines claim none, and are left out where an upstream answers. tail and limit are the same, 1 to 10,000, unless limit alone counts.',
    setting: 'containers.logWindow',
  },
  'containers.stream': {
    level: 'body',
    text: 'The stream sends {type: "log" | "status" | "reset", data} with an id each; Last-Event-ID resumes it; it ends after deletion.',
  },
  'containers.metrics': {
    level: 'detail',
    text: 'Metrics are 0 before the container runs; network counts bytes since the start; the numbers of the dashboard stand under data.metrics.',
  },
  'containers.health': {
    level: 'detail',
    text: 'Checks are pending before the container runs; a failing one names the check. Details stand under data. An upstream is asked for its health path (2 s; 200 to 399 is healthy).',
  },
  'containers.deployments': {
    level: 'operation',
    text: 'The history of deployments, newest first, each success, failed or pending.',
  },
  'containers.quota': {
    level: 'operation',
    text: 'Quota, credits, billing, pricing and limits in one answer, as command-line clients read them.',
  },
  'containers.credentials': {
    level: 'body',
    text: 'GET and POST answer the same: credentials and repository, and the fields of registry clients under data. They last 12 hours.',
  },
  'containers.url': {
    level: 'detail',
    text: 'Each running container has a local address of its own: its health_check_path answers 200, anything else an echo, or your own upstream.',
    setting: 'containers.urlStyle',
  },
  'containers.urlFrom': {
    level: 'detail',
    text: 'url is null until the container first runs, and stays from then on.',
    setting: 'containers.urlFrom',
  },
  'ai.replies': {
    level: 'body',
    text: 'Answers come from POST /_emulator/replies, the setting replies.fixtures, files in the folder replies, or fixtures/replies, in this order; without any, from a text that says what was asked. Wire shapes are those of OpenAI’s API; logprobs is null. An answer ends before a stop text and after max_tokens. Tokens are estimated: about four characters each.',
    setting: 'replies.*',
  },
  'ai.prices': {
    level: 'detail',
    text: 'Tokens cost what the catalogue of models says per 1,000, rounded up to a micro-credit. The balance must cover the longest answer that is possible; a stream reserves that and settles at its end, or for what was produced when the client leaves.',
    setting: 'models.catalogue',
  },
  'ai.models': {
    level: 'detail',
    text: 'Anybody may list the models. One that is not in the catalogue answers all the same, with a warning; an agent’s id is a model, too.',
    setting: 'models.unknown',
  },
  'ai.errors': {
    level: 'body',
    text: 'Errors carry type and param as SDKs read them, also in the flat style; models have the codes CONTENT_POLICY and CONTEXT_LENGTH (400), GENERATION_FAILED (500) and MODEL_UNAVAILABLE (503).',
  },
  'ai.responses': {
    level: 'detail',
    text: 'The last 500 responses are kept, unless store is false or they are larger than 512 KB: previous_response_id and item_reference may name them.',
  },
  'registry.require': {
    level: 'detail',
    text: 'An image of a repository that was never pushed to is trusted, with a warning; otherwise the tag must exist.',
    setting: 'registry.require',
  },
  ...everywhereAssumptions,
  ...voiceAssumptions,
  ...mediaAssumptions,
} as const satisfies Record<string, Assumption>;

export type AssumptionId = keyof typeof assumptions;
