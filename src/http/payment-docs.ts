// The parts of the OpenAPI document about paying (x402).

type Json = Record<string, unknown>;

const string = { type: 'string' };

/** The body of every 402: the envelope, and what version 1 of the protocol reads. */
export const paymentRequired: Json = {
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
export const challengeHeaders: Json = {
  'PAYMENT-REQUIRED': text('Base64 of JSON: what is to be paid, for version 2 of x402'),
};

/** The headers of an answer that was paid for. */
export const settlementHeaders: Json = {
  'X-PAYMENT-RESPONSE': text('Base64 of JSON: the settlement, where X-PAYMENT paid'),
  'PAYMENT-RESPONSE': text('Base64 of JSON: the settlement, where PAYMENT-SIGNATURE paid'),
};

/** The headers that a request pays with. */
export const paymentParameters: Json[] = [
  { name: 'X-PAYMENT', in: 'header', ...text('A payment of version 1 of x402: base64 of JSON') },
  { name: 'PAYMENT-SIGNATURE', in: 'header', ...text('A payment of version 2 of x402: base64 of JSON') },
];
