// Payment requirements, their networks, and how each version of the protocol writes them.

import type { Config } from '../../config/schema.js';
import { type Micros, toCredits } from '../../core/money.js';
import type { World } from '../../world/world.js';

export type Version = 1 | 2;

/** The conditions of a payment. */
export interface Requirement {
  network: Network;
  payTo: string;
  /** Atomic units of USDC: millionths of a dollar. */
  amount: Micros;
}

/** The paid resource, as a challenge describes it. */
export interface Resource {
  /** Absolute. */
  url: string;
  method: string;
  description: string;
}

/** The recipient of a world's payments, in lower case. */
function recipient(world: World): string {
  return world.config.x402.payTo?.toLowerCase() ?? `0x${world.random.hex('x402', 'recipient').slice(0, 40)}`;
}

/** The requirement for paying an amount of USDC to the platform. */
export function requirementOf(world: World, amount: Micros): Requirement {
  return { network: networkOf(world.config), payTo: recipient(world), amount };
}

const mimeType = 'application/json';

/** The `accepts` list of a 402's body: version 1. Clients refuse the whole list for one entry of version 2. */
export function acceptsV1(world: World, requirement: Requirement, resource: Resource): Record<string, unknown>[] {
  const { network, payTo, amount } = requirement;
  return [
    {
      scheme: 'exact',
      network: network.name,
      maxAmountRequired: String(amount),
      resource: resource.url,
      description: resource.description,
      mimeType,
      payTo,
      maxTimeoutSeconds: world.config.x402.maxTimeoutSeconds,
      asset: network.asset,
      outputSchema: { input: { type: 'http', method: resource.method, discoverable: true } },
      extra: network.extra,
    },
  ];
}

/** The content of the header PAYMENT-REQUIRED: version 2. */
export function challengeV2(
  world: World,
  requirement: Requirement,
  resource: Resource,
  error: string,
): Record<string, unknown> {
  return {
    x402Version: 2,
    error,
    resource: { url: resource.url, description: resource.description, mimeType },
    accepts: [acceptedV2(world, requirement)],
  };
}

function acceptedV2(world: World, { network, payTo, amount }: Requirement): Record<string, unknown> {
  return {
    scheme: 'exact',
    network: network.caip,
    amount: String(amount),
    asset: network.asset,
    payTo,
    maxTimeoutSeconds: world.config.x402.maxTimeoutSeconds,
    extra: network.extra,
  };
}

/** Dollars for texts. */
export function dollars(amount: Micros): string {
  return `${toCredits(amount)} USDC`;
}

/** A JSON document for payment headers: base64 of ASCII, as clients decode it byte by byte. */
export function encodeHeader(document: Record<string, unknown>): string {
  const text = JSON.stringify(document).replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return Buffer.from(text).toString('base64');
}

/** One network: both of its names, and the domain in which transfers of its USDC are signed. */
export interface Network {
  /** Its name in version 1 of the protocol. */
  name: Config['x402']['network'];
  /** Its name in version 2 (CAIP-2). */
  caip: string;
  chainId: number;
  /** The contract of USDC, spelled as clients compare it. */
  asset: `0x${string}`;
  /** Name and version of the EIP-712 domain. The names differ: a wrong one recovers to another address. */
  extra: { name: string; version: string };
}

const networks: Record<Config['x402']['network'], Network> = {
  'base-sepolia': {
    name: 'base-sepolia',
    caip: 'eip155:84532',
    chainId: 84_532,
    asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    extra: { name: 'USDC', version: '2' },
  },
  base: {
    name: 'base',
    caip: 'eip155:8453',
    chainId: 8_453,
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    extra: { name: 'USD Coin', version: '2' },
  },
};

/** The network of the settings. */
export function networkOf(config: Config): Network {
  return networks[config.x402.network];
}
