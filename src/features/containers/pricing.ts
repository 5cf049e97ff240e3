// What a deployment costs.

import type { Config } from '../../config/schema.js';
import { type Micros, toMicros } from '../../kernel/money.js';
import type { Spec } from './plan.js';

export interface Price {
  amount: Micros;
  /** The rule with its numbers, for the ledger. */
  rule: string;
}

/** The price of deploying a spec. */
export function deployPrice({ prices }: Config, spec: Pick<Spec, 'cpu' | 'memory' | 'desired_count'>): Price {
  const parts: [amount: number, text: string][] = [[prices.deploy, `deploy ${prices.deploy}`]];
  const further = spec.desired_count - 1;
  if (further > 0)
    parts.push([
      further * prices.perAdditionalInstance,
      `${further} further instances x ${prices.perAdditionalInstance}`,
    ]);
  if (prices.cpuStep > 0 && spec.cpu > 256)
    parts.push([cents((spec.cpu / 256 - 1) * prices.cpuStep), `cpu ${spec.cpu}`]);
  if (prices.memoryStep > 0 && spec.memory > 512) {
    parts.push([cents((spec.memory / 512 - 1) * prices.memoryStep), `memory ${spec.memory} MB`]);
  }
  return {
    amount: parts.reduce((sum, [amount]) => sum + toMicros(amount), 0),
    rule: parts.map(([, text]) => text).join(' + '),
  };
}

function cents(amount: number): number {
  return Math.round(amount * 100) / 100;
}
