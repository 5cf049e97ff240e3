// The OpenAPI 3.1 document, read from the declarations.

import * as z from 'zod';
import { type ErrorCode, errorTable } from '../core/errors.js';
import { isGuess, shownAssumption } from './assumptions.js';
import { type Endpoint, hasErrorPages, type UploadDeclaration } from './endpoint.js';
import { isBodiless } from './response.js';
import { pathsOf } from './routes.js';
import { errorEnvelope, flatErrorEnvelope } from './wire.js';

type Json = Record<string, unknown>;

const string = { type: 'string' };

/** The body of every 402: the envelope, and what version 1 of the protocol reads. */
const paymentRequired: Json = {
  allOf: [
    { $ref: '#/components/schemas/Error' },
    {
      type: 'object',
      properties: {
        x402Version: { const: 1 },
        accepts: {
          type: 'array',
          items: {
            type: 'object',
            required: ['scheme', 'network', 'maxAmountRequired', 'resource', 'payTo', 'asset'],
            properties: {
              scheme: { const: 'exact' },
              network: string,
              maxAmountRequired: { ...string, description: 'Atomic units of the asset' },
              resource: { ...string, format: 'uri' },
              description: string,
              mimeType: string,
              payTo: string,
              maxTimeoutSeconds: { type: 'integer' },
              asset: string,
              extra: { type: 'object', properties: { name: string, version: string } },
            },
          },
        },
      },
    },
  ],
};

const text = (description: string): Json => ({ description, schema: string });

/** The headers of a 402. */
const challengeHeaders: Json = {
  'PAYMENT-REQUIRED': text('Base64 of JSON: what is to be paid, for version 2 of x402'),
};

/** The headers of an answer that was paid for. */
const settlementHeaders: Json = {
  'X-PAYMENT-RESPONSE': text('Base64 of JSON: the settlement, where X-PAYMENT paid'),
  'PAYMENT-RESPONSE': text('Base64 of JSON: the settlement, where PAYMENT-SIGNATURE paid'),
};

/** The headers that a request pays with. */
const paymentParameters: Json[] = [
  { name: 'X-PAYMENT', in: 'header', ...text('A payment of version 1 of x402: base64 of JSON') },
  { name: 'PAYMENT-SIGNATURE', in: 'header', ...text('A payment of version 2 of x402: base64 of JSON') },
];

const sessions = [{ session: [] }, { sessionToken: [] }];
const security: Record<Endpoint['auth'], Json[]> = {
  public: [],
  caller: [
    { bearer: [] },
    { apiKey: [] },
    ...sessions,
    { walletAddress: [], walletTimestamp: [], walletSignature: [] },
  ],
  session: sessions,
};

export type Documented = Omit<Endpoint, 'handle' | 'prepare'>;

interface DocumentOptions {
  title: string;
  description: string;
  version: string;
  baseUrl: string;
  /** Name of the session cookie. */
  cookieName?: string;
  /** The style of errors; coded by default. */
  errors?: 'coded' | 'flat';
  /** Operations that rest on a guess are refused (`strict.guesses`). */
  refusesGuesses?: boolean;
  /** The fields of an operation beyond the standard, under names that begin with x-. */
  extensionsOf?: (endpoint: Documented) => Json;
  /** Without security schemes and the errors of the platform's gates. */
  open?: boolean;
}

/** The document of a list of endpoints. */
export function openapiDocument(list: readonly Documented[], options: DocumentOptions): Json {
  const paths: Record<string, Json> = {};
  const schemas = createSchemas();
  if (options.errors === 'flat') schemas.named.Error = schemas.of(flatErrorEnvelope, 'output');
  else schemas.of(errorEnvelope, 'output');
  for (const endpoint of list) {
    for (const [index, path] of pathsOf(endpoint as Endpoint).entries()) {
      const item = paths[path] ?? {};
      paths[path] = item;
      item[endpoint.method.toLowerCase()] = {
        ...operation(endpoint, operationId(list, endpoint, index), schemas, options),
        ...options.extensionsOf?.(endpoint),
      };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: options.title,
      description: options.description,
      version: options.version,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: options.baseUrl }],
    tags: [...new Set(list.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      schemas: schemas.named,
      ...(options.open !== true && {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'An API key' },
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: options.cookieName ?? 'session',
            description: 'The session of a person who has signed in at /auth/login',
          },
          sessionToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The token of a session' },
          walletAddress: { type: 'apiKey', in: 'header', name: 'X-Wallet-Address' },
          walletTimestamp: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Timestamp',
            description: 'Unix milliseconds, at most five minutes from now',
          },
          walletSignature: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Wallet-Signature',
            description:
              'Over "<service name> Cloud Authentication", "Timestamp: <ms>", "Method: <method>" and "Path: <path>", a line each (EIP-191)',
          },
        },
      }),
    },
  };
}

/** The errors that an endpoint can answer: its own, and those that the gates imply. */
export function errorsOf(endpoint: Documented, open = false): ErrorCode[] {
  const codes: ErrorCode[] = [];
  if (!open) codes.push('RATE_LIMITED');
  if (!open && endpoint.auth !== 'public') codes.push('UNAUTHORIZED', 'FORBIDDEN');
  if (endpoint.page === true || endpoint.sameOrigin === true) codes.push('FORBIDDEN');
  if (open) codes.push('FORBIDDEN', 'UNAUTHORIZED');
  // Without any input, too: the header of a fault may be malformed, and what is strict refuses unknown parameters.
  codes.push('VALIDATION_ERROR');
  // Control operations without input reject any body.
  if (open && endpoint.method !== 'GET') codes.push('INVALID_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (isPayable(endpoint)) codes.push('PAYMENT_REQUIRED');
  if (endpoint.body !== undefined) codes.push('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (endpoint.body !== undefined && endpoint.upload === undefined) codes.push('INVALID_JSON');
  return [...new Set([...codes, ...(endpoint.errors ?? [])])];
}

function isPayable({ price, fee }: Documented): boolean {
  return price !== undefined || fee !== undefined;
}

function operation(endpoint: Documented, id: string, schemas: Schemas, options: DocumentOptions): Json {
  return {
    operationId: id,
    tags: [tagOf(endpoint)],
    summary: endpoint.summary,
    ...(endpoint.assumptions !== undefined && {
      'x-assumptions': endpoint.assumptions.map((name) => ({ id: name, ...shownAssumption(name) })),
    }),
    parameters: [
      ...parameters(endpoint.params, 'path', schemas),
      ...parameters(endpoint.query, 'query', schemas),
      ...(isPayable(endpoint) ? paymentParameters : []),
    ],
    ...(endpoint.body !== undefined && {
      requestBody: {
        required: endpoint.bodyOptional !== true,
        content: contentOf(endpoint, endpoint.body, schemas),
      },
    }),
    responses: responses(endpoint, schemas, options),
    ...(options.open !== true && { security: security[endpoint.auth] }),
  };
}

function contentOf({ upload, form, example }: Documented, body: z.ZodType, schemas: Schemas): Json {
  const schema = schemas.of(body, 'input');
  if (upload !== undefined) return { 'multipart/form-data': { schema: withFiles(schema, upload) } };
  return {
    'application/json': { schema, ...(example !== undefined && { example }) },
    ...(form === true && { 'application/x-www-form-urlencoded': { schema } }),
  };
}

function withFiles(schema: Json, { fields, pattern }: UploadDeclaration): Json {
  const file = { type: 'string', contentMediaType: 'application/octet-stream' };
  const { properties, required, ...rest } = schema as { properties?: Json; required?: string[] };
  return {
    ...rest,
    properties: { ...properties, ...Object.fromEntries(fields.map((field) => [field, file])) },
    ...(pattern !== undefined && { patternProperties: { [pattern.source]: file } }),
    required: [...(required ?? []), ...fields.slice(0, 1)],
  };
}

function responses(endpoint: Documented, schemas: Schemas, { open, refusesGuesses }: DocumentOptions): Json {
  const result: Json = {};
  for (const [status, { description, schema, contentTypes = ['application/json'] }] of Object.entries(
    endpoint.responses,
  )) {
    const content = contentTypes.map((type) => [
      type,
      {
        schema: type === 'application/json' && schema !== undefined ? schemas.of(schema, 'output') : { type: 'string' },
      },
    ]);
    const headers = isPayable(endpoint) ? { headers: settlementHeaders } : {};
    const isEmpty = isBodiless(Number(status));
    result[status] = { description, ...headers, ...(!isEmpty && { content: Object.fromEntries(content) }) };
  }
  const isRefused = refusesGuesses === true && isGuess(endpoint.assumptions);
  for (const code of [...errorsOf(endpoint, open), ...(isRefused ? (['NOT_IMPLEMENTED'] as const) : [])]) {
    const { status, message } = errorTable[code];
    const before = result[status] as { description: string } | undefined;
    const error = errorSchema(endpoint, status, schemas);
    // An answer may have the status of an error, too.
    const own = (endpoint.responses as Partial<typeof endpoint.responses>)[status]?.schema;
    const body = own === undefined ? error : { anyOf: [schemas.of(own, 'output'), error] };
    result[status] = {
      description: before === undefined ? `${code}: ${message}` : `${before.description}; ${code}: ${message}`,
      ...(status === 402 && { headers: challengeHeaders }),
      content: {
        'application/json': { schema: body },
        ...(hasErrorPages(endpoint) && { 'text/html': { schema: { type: 'string' } } }),
      },
    };
  }
  return result;
}

function errorSchema({ besideError }: Documented, status: number, schemas: Schemas): Json {
  if (status === 402) schemas.named.PaymentRequired = paymentRequired;
  const usual = { $ref: `#/components/schemas/${status === 402 ? 'PaymentRequired' : 'Error'}` };
  return besideError === undefined ? usual : { allOf: [usual, schemas.of(besideError.schema, 'output')] };
}

function parameters(schema: z.ZodType | undefined, place: 'path' | 'query', schemas: Schemas): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemas.of(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property;
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description !== undefined && { description }),
      schema: rest,
    };
  });
}

// An operation with several paths or methods needs an id for each of them.
function operationId(list: readonly Documented[], endpoint: Documented, pathIndex: number): string {
  const sameId = list.filter((other) => other.id === endpoint.id);
  const isFirst = sameId[0] === endpoint;
  if (endpoint.isLegacy === true) return `${endpoint.id}.legacy`;
  const sameMethod = sameId.filter((other) => other.method === endpoint.method).length > 1;
  const other = sameMethod ? endpoint.path.slice(endpoint.path.lastIndexOf('/') + 1) : endpoint.method.toLowerCase();
  return endpoint.id + (isFirst ? '' : `.${other}`) + (pathIndex === 0 ? '' : `.alias${pathIndex}`);
}

function tagOf(endpoint: Documented): string {
  return endpoint.id.split('.')[0] ?? endpoint.id;
}

interface Schemas {
  of(schema: z.ZodType, io: 'input' | 'output'): Json;
  /** Those with a name of their own, for `components`. */
  named: Json;
}

function createSchemas(): Schemas {
  const named: Json = {};
  return {
    named,
    of(schema, io) {
      const {
        $schema: _,
        $defs = {},
        ...rest
      } = z.toJSONSchema(schema, {
        io,
        target: 'draft-2020-12',
        unrepresentable: 'any',
        override({ jsonSchema }) {
          // Numbers without bounds of their own would print JavaScript's, which says nothing.
          if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
          if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
        },
      }) as Json & { $defs?: Json };
      for (const [name, definition] of Object.entries($defs)) named[name] = hoisted(definition);
      return hoisted(rest) as Json;
    },
  };
}

// Named schemas are in `components`, not inside the schema that uses them.
function hoisted(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(hoisted);
  if (schema === null || typeof schema !== 'object') return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      if (key === '$ref' && typeof value === 'string')
        return [[key, value.replace('#/$defs/', '#/components/schemas/')]];
      return key === 'id' && typeof value === 'string' ? [] : [[key, hoisted(value)]];
    }),
  );
}
