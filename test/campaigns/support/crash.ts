// Checks that must hold in a world's file, whatever happened to the process.

import type { RunInfo } from '../../../src/cli/run-file.js';
import { Random } from '../../../src/core/random.js';
import { openSqlite } from '../../../src/db/sqlite.js';

interface Row {
  organization_id: string;
  type: string;
  amount: number;
  balance_before: number;
  balance_after: number;
  subject: string | null;
}

/**
 * Opens a world's file as SQLite does after a crash, and returns what does not add up.
 *
 * @param containersGo containers were deleted, with their deployments
 */
export function ledgerProblems(file: string, containersGo = false): string[] {
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
    if (id !== null && !containersGo && !deployed.has(id)) problems.push(`charge for ${id}, which does not exist`);
  db.close();
  return problems;
}

/** The knowledge of clients about an emulator that is killed again and again, and whether it knows as much. */
export interface Acknowledged {
  /** Ids of containers whose creation was answered. */
  containers: Set<string>;
  /** Ids of requests, as answers told them. */
  requestIds: string[];
  /** How many requests were sent. */
  sent: number;
  /** How often the emulator was started again. */
  starts: number;
  /** Texts of answers that no client should see. */
  strange: string[];
  /** How often it was said that something could not be stored. */
  notStored: number;
}

export function nothingYet(): Acknowledged {
  return { containers: new Set(), requestIds: [], sent: 0, starts: 0, strange: [], notStored: 0 };
}

/** Settings under which limits count and refuse nobody. */
export const unlimited = {
  CLOUDEMU_RATE_LIMITS_MULTIPLIER: '1000000',
  CLOUDEMU_QUOTAS_ENABLED: 'false',
  CLOUDEMU_CREDITS_SEEDED: '1000000',
};

type Target = Pick<RunInfo, 'url' | 'apiKey'>;

/** Creates containers and reads them, one request after the other, until nobody answers any more. */
export async function useUntilItDies(
  { url, apiKey }: Target,
  prefix: string,
  known: Acknowledged,
  onAnswer: (status: number) => void,
): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}` };
  for (let n = 0; ; n++) {
    const name = `${prefix}-${n}`;
    const body = JSON.stringify({ name, project_name: name, ecr_image_uri: 'r/a:fail-exec-format' });
    try {
      known.sent++;
      const isRead = n % 3 === 2;
      const answer = await fetch(`${url}/api/v1/containers`, isRead ? { headers } : { method: 'POST', headers, body });
      known.requestIds.push(answer.headers.get('x-request-id') ?? 'none');
      const text = await answer.text();
      if (answer.status === 202) known.containers.add(JSON.parse(text).data.id);
      else if (answer.status === 503 && text.includes('Nothing was stored')) known.notStored++;
      else if (answer.status !== 200) known.strange.push(text);
      onAnswer(answer.status);
    } catch {
      return;
    }
  }
}

/** The things that an emulator that has been started again has forgotten, invented or counted wrongly. */
export async function differences(target: Target, seed: string, known: Acknowledged): Promise<string[]> {
  const { url, apiKey } = target;
  const ask = async (path: string): Promise<any> =>
    (await fetch(url + path, { headers: { authorization: `Bearer ${apiKey}` } })).json();
  const problems = known.strange.map((text) => `an answer was ${text}`);
  const { windows } = await ask('/_emulator/limits');
  const counted = windows.find(({ bucket }: { bucket: string }) => bucket === 'all')?.used ?? 0;

  known.sent++;
  const list = await fetch(`${url}/api/v1/containers`, { headers: { authorization: `Bearer ${apiKey}` } });
  known.requestIds.push(list.headers.get('x-request-id') ?? '');
  const { data } = (await list.json()) as { data: { id: string }[] };
  const there = new Set(data.map(({ id }) => id));
  for (const id of known.containers) if (!there.has(id)) problems.push(`container ${id} is gone`);

  // Ids follow from numbers: each must be one of those that were given out, and none must come twice. Each start may leave
  // out the rest of the numbers that a killed process had reserved.
  const random = new Random(seed);
  known.starts++;
  const numbers = new Set<string>();
  for (let n = 1; n <= known.sent + known.starts * 1_000; n++) numbers.add(`req_${random.nthId('request', n)}`);
  const answered = known.requestIds.filter((id) => id !== 'none');
  if (new Set(answered).size < answered.length) problems.push('a request id came twice');
  const foreign = answered.filter((id) => !numbers.has(id));
  if (foreign.length > 0) problems.push(`${foreign.length} request ids are of numbers that nobody has used`);
  // A kill may lose the counts of its last second; nothing is counted that nobody sent.
  if (counted > known.sent) problems.push(`${counted} requests were counted, ${known.sent} sent`);
  const { keys } = await ask('/api/v1/api-keys');
  known.sent++;
  if (keys[0].usage_count !== counted + 2) problems.push(`the key has ${keys[0].usage_count} uses of ${counted + 2}`);
  return problems;
}
