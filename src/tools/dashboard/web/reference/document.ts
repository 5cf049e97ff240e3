// The OpenAPI documents as the viewer shows them: with what an operation takes and costs in its description.

/** The parts of a document that are read here. */
export interface OpenApiDocument {
  info: { description: string; license?: object };
  paths: Record<string, Record<string, Operation>>;
}

interface Operation {
  description?: string;
  responses: Record<string, { description: string }>;
  security?: object[];
  'x-assumptions'?: { id: string; text: string; setting?: string }[];
  'x-permission'?: string;
  'x-rate-limit'?: Limits | null;
  'x-price'?: Price;
}

interface Rate {
  limit: number;
  windowMs: number;
}

interface Limits {
  enforced: boolean;
  all: Rate;
  own?: Rate & { name: string; preset: string };
}

interface Price {
  currency: string;
  amount?: number;
  settings?: Record<string, unknown>;
}

/** The document, with requests going to `server`, and limits, prices and so on of each operation in words. */
export function readable(document: OpenApiDocument, server: string): OpenApiDocument & { servers: object[] } {
  const paths = Object.entries(document.paths).map(([path, item]) => [
    path,
    Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, described(operation)])),
  ]);
  // Groups of operations are headings of the third level. The license would be a link to another host.
  const { license: _, ...about } = document.info;
  const info = { ...about, description: `${about.description}\n\n## Operations` };
  return { ...document, info, servers: [{ url: server }], paths: Object.fromEntries(paths) };
}

function described(operation: Operation): Operation {
  return { ...operation, description: [operation.description ?? '', ...facts(operation)].join('\n\n').trim() };
}

function facts(operation: Operation): string[] {
  const rows: [string, string][] = [
    ['Permission', permissionText(operation)],
    ['Limits', limitText(operation['x-rate-limit'])],
    ['Price', priceText(operation['x-price'], operation['x-rate-limit'] !== undefined)],
    ['Errors', errorsText(operation.responses)],
  ];
  const list = rows.filter(([, text]) => text !== '').map(([name, text]) => `- **${name}:** ${text}`);
  const assumptions = (operation['x-assumptions'] ?? []).map(
    ({ id, text, setting }) => `- \`${id}\`: ${plain(text)}${setting === undefined ? '' : ` Setting: \`${setting}\``}`,
  );
  if (assumptions.length > 0) list.push(`\n**Assumptions**\n\n${assumptions.join('\n')}`);
  return [list.join('\n')];
}

// Escapes the characters that Markdown would read as marks.
function plain(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|~^]/g, '\\$&');
}

function permissionText({ 'x-permission': permission, security }: Operation): string {
  if (permission === 'unrestricted') return 'only keys without restrictions';
  if (permission !== undefined) return `\`${permission}\` for restricted keys`;
  if (security === undefined) return 'programs on this machine, or the control token';
  return security.length === 0 ? 'none: it is public' : 'any credentials it accepts';
}

function limitText(limits: Limits | null | undefined): string {
  if (limits === undefined) return '';
  if (limits === null) return 'none counts it';
  const own = limits.own === undefined ? '' : `; ${rate(limits.own)} of \`${limits.own.name}\` (${limits.own.preset})`;
  return `${rate(limits.all)} of all requests${own}${limits.enforced ? '' : '; not enforced by the settings'}`;
}

function rate({ limit, windowMs }: Rate): string {
  const seconds = windowMs / 1000;
  const units: Record<number, string> = { 1: 'a second', 60: 'a minute', 3600: 'an hour' };
  const window = units[seconds] ?? (seconds % 60 === 0 ? `in ${seconds / 60} minutes` : `in ${seconds} seconds`);
  return `${limit.toLocaleString('en')} ${window}`;
}

function priceText(price: Price | undefined, isPlatform: boolean): string {
  if (price === undefined) return isPlatform ? 'nothing' : '';
  if (price.settings === undefined) return `${price.amount} ${price.currency}`;
  const parts = Object.entries(price.settings).map(([name, value]) => `\`${name}\` ${settingText(value)}`);
  return `${price.currency}, by the settings ${parts.join(', ')}`;
}

function settingText(value: unknown): string {
  if (value === null) return 'unset';
  if (typeof value !== 'object') return String(value);
  const entries = Object.entries(value as object);
  return entries.length === 0 ? 'unset' : entries.map(([name, amount]) => `\`${name}\` ${amount}`).join(' ');
}

// A response names its errors as CODE: message; CODE: message.
function errorsText(responses: Operation['responses']): string {
  return Object.entries(responses)
    .flatMap(([status, { description }]) =>
      [...description.matchAll(/\b[A-Z][A-Z_0-9]{3,}(?=: )/g)].map(([code]) => `\`${status} ${code}\``),
    )
    .join(', ');
}
