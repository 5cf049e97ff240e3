// The reference pages of the platform's operations and of the control plane's.

import { controlOperations } from '../app/controls.js';
import { features } from '../config/limit-features.js';
import { todays } from '../config/profiles.js';
import { configSchema } from '../config/schema.js';
import { toCredits } from '../core/money.js';
import type { Endpoint } from '../http/endpoint.js';
import { type Documented, errorsOf } from '../http/openapi.js';
import { pathsOf } from '../http/routes.js';
import { declaredEndpoints } from '../platform/surface.js';
import { commandLink, commandsFor } from './commands.js';
import { inputTable } from './fields.js';
import { anchorOf, code, contents, page, prose, table } from './markdown.js';
import { eventTable, responseTable } from './responses.js';

/** `docs/reference/platform-operations.md` */
export function platformOperationsPage(): string {
  const groups = grouped(declaredEndpoints, (id) => id.split('.')[0] ?? id);
  return page(
    'Platform operations',
    `Every operation of the emulated platform and of its image registry, by operation id. Fault rules, rate limits, the
journal and \`cloudemu verdicts\` use these ids. \`GET /openapi.json\` and \`cloudemu openapi\` have the same as an OpenAPI
3.1 document.`,
    `- **Credentials.** *none*; *any*: an API key, a session or a signature of a wallet; *session*: a person who is signed in.
- **Profile.** The public server as it is today (\`--profile elizacloud\`) differs in some operations from the documented API, which the profiles \`spec\` and \`elizacloud-v1\` have.
- **Permission.** What a restricted key must be allowed. *unrestricted*: only keys without restrictions.
- **Limit.** The preset of the operation's own rate limit (setting \`rateLimits.presets\`). The limit of the key always counts.
- **Price.** *credits*: it costs credits, or can be paid with USDC (see the settings \`prices\`). An amount in USDC can only be paid.
- **Errors.** Each operation can also respond ${everywhere.map(errorLink).join(', ')}, and with credentials
  ${['UNAUTHORIZED', 'FORBIDDEN'].map(errorLink).join(', ')}.`,
    contents([...groups.keys()]),
    ...[...groups].flatMap(([name, ids]) => [
      `## ${name}`,
      overview(ids),
      ...[...ids].flatMap(([id, endpoints]) => platformOperation(id, endpoints)),
    ]),
  );
}

/** `docs/reference/control-operations.md` */
export function controlOperationsPage(): string {
  const groups = grouped(controlOperations, (id) => id.split('.')[1] ?? id);
  return page(
    'Control operations',
    `The control plane answers under \`/_emulator\`, for programs on this machine: it refuses web pages of other origins
and foreign host names, and beyond loopback it wants the token of \`--control-token\` as \`Authorization: Bearer\`.
\`GET /_emulator/openapi.json\` and \`cloudemu openapi --control\` have the same as an OpenAPI 3.1 document.`,
    `The paths act on the default world; \`/w/<world>/_emulator/…\` acts on another one. In a test,
\`emulator.controls\` and \`world.controls\` have a method for each operation: \`control.clock.advance\` is
\`controls.clock.advance(…)\`. The command is a client of the same operations.`,
    contents([...groups.keys()]),
    ...[...groups].flatMap(([name, ids]) => [
      `## ${name}`,
      overview(ids),
      ...[...ids].flatMap(([id, [endpoint]]) => (endpoint === undefined ? [] : controlOperation(id, endpoint))),
    ]),
  );
}

/** A link to an operation of the platform, from another page of the reference. */
export function operationLink(id: string): string {
  return `[\`${id}\`](platform-operations.md#${anchorOf(id)})`;
}

const everywhere = ['RATE_LIMITED', 'VALIDATION_ERROR', 'INTERNAL_ERROR'];

function errorLink(code: string): string {
  return `[\`${code}\`](error-codes.md)`;
}

function grouped<One extends Documented>(
  list: readonly One[],
  groupOf: (id: string) => string,
): Map<string, Map<string, One[]>> {
  const groups = new Map<string, Map<string, One[]>>();
  for (const endpoint of list) {
    const ids = groups.get(groupOf(endpoint.id)) ?? new Map<string, One[]>();
    groups.set(groupOf(endpoint.id), ids.set(endpoint.id, [...(ids.get(endpoint.id) ?? []), endpoint]));
  }
  return groups;
}

function overview(ids: ReadonlyMap<string, readonly Documented[]>): string {
  const rows = [...ids].map(([id, [first]]) => [
    `[\`${id}\`](#${anchorOf(id)})`,
    first === undefined ? '' : `${first.method} ${code(first.path)}`,
    prose(first?.summary ?? ''),
  ]);
  return table(['Operation', 'Path', 'Meaning'], rows);
}

function platformOperation(id: string, endpoints: readonly Endpoint[]): string[] {
  const ofToday = endpoints.filter(({ profiles }) => profiles === todays);
  const others = endpoints.filter(({ profiles }) => profiles !== todays);
  const onlyDocumented = ofToday.length === 0 && others.every(({ profiles }) => profiles !== undefined);
  return [
    `### ${id}`,
    ...(onlyDocumented ? ['Only with the profiles `spec` and `elizacloud-v1`.'] : []),
    ...platformDeclaration(others),
    ...(ofToday.length === 0
      ? []
      : [`${others.length === 0 ? 'Only with' : 'With'} the profile \`elizacloud\`:`, ...platformDeclaration(ofToday)]),
  ];
}

function platformDeclaration(endpoints: readonly Endpoint[]): string[] {
  const [first] = endpoints;
  if (first === undefined) return [];
  const paths = endpoints.flatMap((one) => pathsOf(one).map((path) => `${one.method} ${code(path)}${feeText(one)}`));
  const legacy =
    first.legacyPath === undefined ? [] : [`${first.method} ${code(legacyPath(first.legacyPath))} (legacy)`];
  const errors = [...new Set(endpoints.flatMap((one) => errorsOf(one)))].filter(
    (name) => !everywhere.includes(name) && name !== 'UNAUTHORIZED' && name !== 'FORBIDDEN',
  );
  const assumptions = [...new Set(endpoints.flatMap((one) => one.assumptions ?? []))];
  const facts = [
    `Credentials: ${{ public: 'none', caller: 'any', session: 'session' }[first.auth]}`,
    ...(first.permission === undefined ? [] : [`permission: ${permissionText(first.permission)}`]),
    ...(first.limit === undefined ? [] : [`limit: ${code(features[first.limit])}`]),
    ...(first.isUnlimited === true ? ['limit: none'] : []),
    ...(first.price === undefined ? [] : ['price: credits']),
  ];
  return [
    [...paths, ...legacy].join('  \n'),
    `${prose(first.summary)}.`,
    `${facts.join('; ')}.`,
    inputTable(first),
    responseTable(first.responses),
    eventTable(first.responses),
    first.upload === undefined ? '' : `Files (multipart/form-data): ${first.upload.fields.map(code).join(', ')}.`,
    errors.length === 0 ? '' : `Errors: ${errors.map(errorLink).join(', ')}.`,
    assumptions.length === 0
      ? ''
      : `Assumptions: ${assumptions.map((name) => `[\`${name}\`](assumptions.md#${anchorOf(name)})`).join(', ')}.`,
  ];
}

function controlOperation(id: string, endpoint: Documented): string[] {
  const commands = commandsFor(id);
  return [
    `### ${id}`,
    `${endpoint.method} ${code(endpoint.path)}`,
    `${prose(endpoint.summary)}.`,
    inputTable(endpoint),
    commands.length === 0 ? '' : `Command: ${commands.map(commandLink).join(', ')}.`,
    endpoint.errors === undefined ? '' : `Errors: ${endpoint.errors.map(errorLink).join(', ')}.`,
  ];
}

function permissionText(permission: NonNullable<Endpoint['permission']>): string {
  return permission === 'unrestricted' ? 'unrestricted' : `\`${permission.name}\` ${permission.level}`;
}

function feeText({ fee }: Endpoint): string {
  return fee === undefined ? '' : ` (${toCredits(fee)} USDC)`;
}

function legacyPath(rest: string): string {
  return `/api/${configSchema.parse({}).service.legacyVoiceProvider}${rest}`;
}
