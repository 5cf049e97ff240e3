// Credits and their movements as responses show them.

import { toCredits } from '../../core/money.js';
import { iso } from '../../http/wire.js';
import type { Organization } from '../accounts/store.js';
import type { LedgerRow } from './store.js';

/** A movement with its explanation. */
export function presentTransaction(row: LedgerRow) {
  const { price_rule, operation, request_id, subject } = row;
  const explained = { price_rule, operation, request_id, subject };
  return {
    id: row.id,
    organization_id: row.organization_id,
    type: row.type,
    amount: toCredits(row.amount),
    description: row.reason,
    reason: row.reason,
    ...explained,
    balance_before: toCredits(row.balance_before),
    balance_after: toCredits(row.balance_after),
    metadata: Object.fromEntries(Object.entries(explained).filter(([, value]) => value !== null)),
    stripe_payment_intent_id: null,
    created_at: iso(row.created_at),
  };
}

// The smallest top-up, in dollars.
const pricing = { minimumTopUp: 10, x402Enabled: true };

/** The balance, number of agents and latest movements of an organization. Agents and apps have no own credits. */
export function presentSummary(
  { id, name, balance }: Organization,
  { agents, creditsPerDollar, recent }: { agents: number; creditsPerDollar: number; recent: LedgerRow[] },
) {
  return {
    success: true,
    organization: {
      id,
      name,
      creditBalance: toCredits(balance),
      autoTopUpEnabled: false,
      autoTopUpThreshold: null,
      autoTopUpAmount: null,
      hasPaymentMethod: false,
    },
    agents: [],
    agentsSummary: { total: agents },
    apps: [],
    earnings: { total: 0 },
    recentTransactions: recent.map((row) => ({
      id: row.id,
      type: row.type,
      amount: toCredits(row.amount),
      description: row.reason,
      createdAt: iso(row.created_at),
    })),
    pricing: { creditsPerDollar, ...pricing },
  };
}
