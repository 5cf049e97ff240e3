// The networks and their USDC, as payment clients know them.

import type { Config } from '../../config/schema.js';

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
