// The price of a deployment, and the price of a container by the day.

import { isTodaysServer } from '../../../config/profiles.js';
import type { Config } from '../../../config/schema.js';
import { formatDuration } from '../../../core/duration.js';
import { dayMs } from '../../../core/instant.js';
import { toMicros } from '../../../core/money.js';
import type { Price } from '../../credits/ledger.js';
import type { Spec } from '../wire/schema.js';

/** The price of deploying a spec. Today's server takes none. */
export function deployPrice(config: Config, spec: Pick<Spec, 'cpu' | 'memory' | 'desired_count'>): Price {
  if (isTodaysServer(config)) return { amount: 0, rule: 'deployments are free' };
  const { prices } = config;
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

/** The price of a day of a running container. */
export function dailyPrice({ prices }: Config, spec: Pick<Spec, 'cpu' | 'memory' | 'desired_count'>): Price {
  const { daily, dailyCpu, dailyMemory } = prices;
  const { cpu, memory, desired_count: count } = spec;
  let amount = daily * count;
  let rule = `${daily} × ${count} instance${count === 1 ? '' : 's'}`;
  if (dailyCpu > 0 && cpu > dailyCpu) {
    amount = (amount * cpu) / dailyCpu;
    rule += ` × ${cpu}/${dailyCpu} CPU`;
  }
  if (dailyMemory > 0 && memory > dailyMemory) {
    amount *= Math.sqrt(memory / dailyMemory);
    rule += ` × √(${memory}/${dailyMemory} MB)`;
  }
  return { amount: toMicros(amount === daily * count ? amount : cents(amount)), rule };
}

/** What a part of a day costs, or several days. */
export function shareOf({ amount, rule }: Price, ms: number): Price {
  if (ms === dayMs) return { amount, rule };
  return { amount: Math.round((amount * ms) / dayMs), rule: `${rule} × ${formatDuration(ms)}/1d` };
}

function cents(amount: number): number {
  return Math.round(amount * 100) / 100;
}
