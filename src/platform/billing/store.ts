// The billing settings of organizations, and what ledger rows were for.

import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';

export interface BillingSettings {
  organization_id: string;
  /** 0 or 1. */
  auto_top_up: number;
  /** Micro-dollars. */
  amount: number;
  /** Micro-dollars. */
  threshold: number;
  /** 0 or 1. */
  from_earnings: number;
}

/** Those of an organization; the usual ones where it has changed none. */
export function billingSettingsOf(db: Db, organizationId: string): BillingSettings {
  return (
    db.get<BillingSettings>('SELECT * FROM billing_settings WHERE organization_id = @organizationId', {
      organizationId,
    }) ?? { organization_id: organizationId, auto_top_up: 0, amount: 0, threshold: 0, from_earnings: 1 }
  );
}

export function saveBillingSettings(db: Db, settings: BillingSettings): void {
  const changed =
    'auto_top_up = @auto_top_up, amount = @amount, threshold = @threshold, from_earnings = @from_earnings';
  insert(db, 'billing_settings', settings, `ON CONFLICT (organization_id) DO UPDATE SET ${changed}`);
}

/** The ids of the containers of deployments, by the ids of these. */
export function containersOfDeployments(db: Db, ids: readonly string[]): Map<string, string> {
  const rows = db.all<{ deployment: string; container: string }>(
    `SELECT d.id AS deployment, c.id AS container FROM deployments d JOIN containers c ON c.seq = d.container_seq
      WHERE d.id IN (SELECT value FROM json_each(@ids))`,
    { ids: JSON.stringify(ids) },
  );
  return new Map(rows.map(({ deployment, container }) => [deployment, container]));
}
