// Why something is shown as failed although the request for it succeeded: the plan that it was begun with, or a hand.

import { parsedJson } from '../../core/json.js';
import type { Entry } from '../../db/history-entry.js';
import type { RowDifference, TableDifference } from '../../db/row-difference.js';
import { findContainer } from '../../platform/containers/store.js';
import { agentJobAt } from '../../platform/hosted-agents/lifecycle.js';
import { findAgentJob, findHostedAgent } from '../../platform/hosted-agents/store.js';
import type { World } from '../../world/world.js';
import type { JournalEntry } from '../journal/journal-entry.js';

/** An earlier change with what it has to do with the response. */
export interface Cause {
  entry: Entry;
  because: string;
}

/** A change of the history, with its rows. */
export interface PastChange {
  entry: Entry;
  tables: readonly TableDifference[];
}

/** What is to be explained. */
export interface Case {
  request: JournalEntry;
  /** The newest first. */
  past: readonly PastChange[];
  /** The world as it was before the request. */
  before: World;
}

/** What may have made something fail, the newest first. */
export interface Failing {
  reason: string;
  chain: Cause[];
}

/** What made a job, an agent or a container fail that a request has shown; undefined: it has shown none. */
export function failingOf(one: Case): Failing | undefined {
  const { operation } = one.request;
  return operation === 'jobs.get' || operation?.startsWith('hostedAgents.') === true ? ofJob(one) : ofContainer(one);
}

// A job that has failed, and an agent that it left in error, are answered with 200.
function ofJob({ request, past, before }: Case): Failing | undefined {
  const { subject } = request;
  const job = findAgentJob(before.db, subject ?? '') ?? findHostedAgent(before.db, subject ?? '')?.job ?? undefined;
  const isFailed = job !== undefined && agentJobAt(job, before.clock.now()).status === 'failed';
  if (!isFailed) return undefined;
  const rows = rowsIn(past, 'agent_jobs').filter(({ row }) => Number(row.key[0]) === job.seq);
  const chain = rows.map(({ entry, row }): Cause => {
    if (row.before !== undefined) return { entry, because: 'it ended the job by hand' };
    const { mode } = job.plan;
    return { entry, because: mode === null ? 'it began the job' : `it began a job that was to fail: ${mode}` };
  });
  return { reason: `the job ${job.type} of the hosted agent ${job.agent_name} has failed`, chain };
}

// A container that has failed is answered with 200.
function ofContainer({ request, past, before }: Case): Failing | undefined {
  const { subject } = request;
  const container = subject === null ? undefined : findContainer(before.db, subject);
  const isFailed = /"status":"failed"/.test(request.responseBody ?? '');
  if (container === undefined || !isFailed) return undefined;
  const intervention = rowsIn(past, 'interventions').find(({ row }) => Number(row.key[0]) === container.seq);
  const deployment = rowsIn(past, 'deployments').find(
    ({ row }) => Number(row.key[0]) === container.seq && row.before === undefined,
  );
  const mode = (parsedJson(String(deployment?.row.after?.plan)) as { mode?: string } | undefined)?.mode;
  const chain: Cause[] = [];
  if (intervention !== undefined)
    chain.push({ entry: intervention.entry, because: 'it changed the container by hand' });
  if (deployment !== undefined)
    chain.push({
      entry: deployment.entry,
      because: typeof mode === 'string' ? `it began a deployment that was to fail: ${mode}` : 'it began the deployment',
    });
  return { reason: `the container ${container.name} has failed`, chain };
}

function rowsIn(past: readonly PastChange[], table: string): { entry: Entry; row: RowDifference }[] {
  return past.flatMap(({ entry, tables }) =>
    tables.flatMap((one) => (one.table === table ? one.rows.map((row) => ({ entry, row })) : [])),
  );
}
