// What a 402 says about paying with USDC instead (x402 version 1).

import type { Micros } from '../../kernel/money.js';
import type { World } from '../../worlds/world.js';

/** USDC on Base Sepolia: the network and asset that payment clients know. */
const baseSepolia = {
  network: 'base-sepolia',
  asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  extra: { name: 'USDC', version: '2' },
};

/** The address that payments of a world go to. */
export function recipient(world: World): string {
  return `0x${world.random.hex('x402', 'recipient').slice(0, 40)}`;
}

/**
 * The `accepts` list of a 402: one credit is one dollar, and micro-credits are USDC's atomic units.
 *
 * @param resource the absolute URL that was asked for
 */
export function accepts(world: World, amount: Micros, resource: string): Record<string, unknown>[] {
  return [
    {
      scheme: 'exact',
      network: baseSepolia.network,
      maxAmountRequired: String(amount),
      resource,
      description: `${world.config.service.name} Cloud`,
      mimeType: 'application/json',
      payTo: recipient(world),
      maxTimeoutSeconds: 300,
      asset: baseSepolia.asset,
      extra: baseSepolia.extra,
    },
  ];
}
