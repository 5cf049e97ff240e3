// Checks that must hold in a world's file, whatever happened to the process.

import { openSqlite } from '../../src/store/sqlite.js';

interface Row {
  organization_id: string;
  type: string;
  amount: number;
  balance_before: number;
  balance_after: number;
  subject: string | null;
}

/** Opens a world's file as SQLite does after a crash, and returns what does not add up. */
export function ledgerProblems(file: string): string[] {
  const db = openSqlite(file);
  const problems: string[] = [];
  if (db.pragma('integrity_check', { simple: true }) !== 'ok') problems.push('the file is damaged');
  const rows = db.prepare('SELECT * FROM ledger ORDER BY seq').all() as Row[];
  const balances = new Map<string, number>();
  for (const row of rows) {
    if (row.balance_before !== (balances.get(row.organization_id) ?? 0))
      problems.push(`a gap before ${JSON.stringify(row)}`);
    if (row.balance_before + row.amount !== row.balance_after) problems.push(`a wrong sum in ${JSON.stringify(row)}`);
    balances.set(row.organization_id, row.balance_after);
  }
  for (const { id, balance } of db.prepare('SELECT id, balance FROM organizations').all() as {
    id: string;
    balance: number;
  }[]) {
    if (balances.get(id) !== balance)
      problems.push(`balance ${balance} of ${id} is not the ledger's ${balances.get(id)}`);
  }
  const charged = new Set(rows.filter((row) => row.type === 'charge').map((row) => row.subject));
  const deployed = new Set(
    (db.prepare('SELECT id FROM deployments WHERE cost > 0').all() as { id: string }[]).map((row) => row.id),
  );
  for (const id of deployed) if (!charged.has(id)) problems.push(`deployment ${id} was never charged`);
  for (const id of charged)
    if (id !== null && !deployed.has(id)) problems.push(`charge for ${id}, which does not exist`);
  db.close();
  return problems;
}
