// What a failed response depended on: the earlier changes that its rule has read. Each rule looks at the rows and windows that
// the code of the error is decided by, and guesses nothing.

import { parsedJson } from '../../core/json.js';
import { toMicros } from '../../core/money.js';
import { isTree } from '../../core/tree.js';
import type { Entry } from '../../db/history-entry.js';
import type { RowDifference, StoredRow, TableDifference } from '../../db/row-difference.js';
import type { World } from '../../world/world.js';
import { findContainer, listContainers } from '../containers/store.js';
import { agentJobAt, stateAt } from '../hosted-agents/lifecycle.js';
import { findAgentJob, findHostedAgent, listHostedAgents } from '../hosted-agents/store.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import { viewLimits } from '../limits/views.js';

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

/** Why a request was answered as it was. */
export interface Causes {
  reason: string;
  /** Whether the rows that were found are those that the rule reads, and say all. */
  isCertain: boolean;
  /** The newest first. */
  chain: Cause[];
}

interface Case {
  request: JournalEntry;
  /** The newest first. */
  past: readonly PastChange[];
  /** The world as it was before the request. */
  before: World;
}

const mostOfChain = 10;

/** Finds why a request was answered as it was. */
export function causesOf(one: Case): Causes {
  const { request } = one;
  if (request.fault !== null) return ofFault(one, request.fault);
  switch (request.status) {
    case 401:
      return ofKey(one);
    case 402:
      return ofBalance(one);
    case 403:
      return request.errorCode === 'QUOTA_EXCEEDED' ? ofQuota(one) : nothing(request);
    case 404:
      return ofAbsence(one);
    case 409:
      return isOfAgent(request) ? ofBusyAgent(one) : ofName(one);
    case 429:
      return request.errorCode === 'AGENT_QUOTA_EXCEEDED' ? ofAgentQuota(one) : ofWindow(one);
    default:
      return request.operation === 'jobs.get' || isOfAgent(request) ? ofJob(one) : ofContainer(one);
  }
}

function ofFault({ past }: Case, fault: string): Causes {
  const chain = rowsIn(past, 'faults')
    .filter(({ row }) => row.before === undefined && row.after?.id === fault)
    .map(({ entry }) => ({ entry, because: `the fault rule ${fault} was added, and acted on this request` }));
  return found(`the fault rule ${fault} acted on it`, chain);
}

function ofKey({ request, past, before }: Case): Causes {
  // Of a value that no key has any more, the journal knows the beginning of its hash.
  const [, owner, name = ''] = /^(secret|key):([0-9a-f-]+)$/.exec(request.caller) ?? [];
  if (owner === undefined)
    return { reason: 'it was sent without a key, or with a session that is over', isCertain: false, chain: [] };
  const isIt = (row: StoredRow | undefined): boolean =>
    owner === 'key' ? row?.id === name : String(row?.hash).startsWith(name);
  const changes = rowsIn(past, 'api_keys').filter(({ row }) => isIt(row.before) || isIt(row.after));
  const [newest] = changes;
  if (newest === undefined)
    return { reason: 'no key of this world has ever had that value', isCertain: true, chain: [] };
  const { after } = newest.row;
  const reason =
    after === undefined
      ? 'its key was deleted'
      : !isIt(after)
        ? 'its key was given a new value'
        : after.is_active === 0
          ? 'its key was switched off'
          : 'its key has expired';
  const chain = changes.slice(0, 1).map(({ entry }) => ({ entry, because: reason }));
  if (reason !== 'its key has expired') return found(reason, chain);
  const expiry = Number(after?.expires_at);
  const jump = past.find(({ entry }) => entry.point?.kind === 'clock' && entry.from < expiry && entry.at >= expiry);
  const jumped = jump === undefined ? [] : [{ entry: jump.entry, because: 'the clock passed the end of the key' }];
  return found(reason, expiry <= before.clock.now() ? [...jumped, ...chain] : chain);
}

function ofBalance({ request, past }: Case): Causes {
  const details = detailsOf(request);
  const required = typeof details.required === 'number' ? toMicros(details.required) : undefined;
  const rows = balanceChanges(past, request);
  const chain: Cause[] = [];
  for (const { entry, row } of rows) {
    const [was, is] = [Number(row.before?.balance ?? 0), Number(row.after?.balance ?? 0)];
    const emptied = required !== undefined && row.before !== undefined && was >= required && is < required;
    const because = emptied
      ? `it took the balance below the ${details.required} credits that this costs`
      : is < was
        ? 'it took credits'
        : 'it set or raised the balance';
    chain.push({ entry, because });
    // What came before left enough.
    if (emptied) break;
  }
  return found('the balance did not suffice', chain);
}

const balanceChanges = (past: readonly PastChange[], { organizationId }: JournalEntry): ReturnType<typeof rowsIn> =>
  rowsIn(past, 'organizations').filter(
    ({ row }) => row.after?.id === organizationId && row.before?.balance !== row.after?.balance,
  );

function ofQuota({ request, past, before }: Case): Causes {
  const there = new Set(listContainers(before.db, request.organizationId ?? '').map(({ seq }) => seq));
  const chain = rowsIn(past, 'containers')
    .filter(({ row }) => row.before === undefined && there.has(Number(row.key[0])))
    .map(({ entry, row }) => ({ entry, because: `it made the container ${row.after?.name}, which counts` }));
  // The balance decides how many there may be.
  const [balance] = balanceChanges(past, request);
  if (balance !== undefined)
    chain.push({ entry: balance.entry, because: 'it changed the balance, on which the quota depends' });
  chain.sort((one, other) => other.entry.seq - one.entry.seq);
  return found('the quota was used up', chain);
}

const isOfAgent = ({ operation }: JournalEntry): boolean => operation?.startsWith('hostedAgents.') === true;

function ofAgentQuota({ request, past, before }: Case): Causes {
  const own = listHostedAgents(before.db).filter((agent) => agent.organization_id === request.organizationId);
  const there = new Set(own.map(({ seq }) => seq));
  const chain = rowsIn(past, 'hosted_agents')
    .filter(({ row }) => row.before === undefined && there.has(Number(row.key[0])))
    .map(({ entry, row }) => ({ entry, because: `it made the hosted agent ${row.after?.name}, which counts` }));
  return found('the quota of hosted agents was used up', chain);
}

// A job that is in progress, or the status of the agent, refuses what is asked.
function ofBusyAgent({ request, past, before }: Case): Causes {
  const { jobId } = detailsOf(request);
  const job = rowsIn(past, 'agent_jobs').find(({ row }) => row.before === undefined && row.after?.id === jobId);
  if (job !== undefined)
    return found(`the job ${job.row.after?.type} of the hosted agent is in progress`, [
      { entry: job.entry, because: 'it began that job' },
    ]);
  const agent = findHostedAgent(before.db, request.subject ?? '');
  const change = rowsIn(past, 'hosted_agents').find(({ row }) => Number(row.key[0]) === agent?.seq);
  if (agent === undefined || change === undefined) return nothing(request);
  const { status } = stateAt(agent, before.clock.now());
  if (request.responseBody?.includes(status) !== true) return nothing(request);
  return found(`the hosted agent ${agent.name} is ${status}`, [
    { entry: change.entry, because: 'it changed the agent last' },
  ]);
}

// A job that has failed, and an agent that it left in error, are answered with 200.
function ofJob({ request, past, before }: Case): Causes {
  const { subject } = request;
  const job = findAgentJob(before.db, subject ?? '') ?? findHostedAgent(before.db, subject ?? '')?.job ?? undefined;
  const isFailed = job !== undefined && agentJobAt(job, before.clock.now()).status === 'failed';
  if (!isFailed || request.status >= 400) return nothing(request);
  const rows = rowsIn(past, 'agent_jobs').filter(({ row }) => Number(row.key[0]) === job.seq);
  const chain = rows.map(({ entry, row }): Cause => {
    if (row.before !== undefined) return { entry, because: 'it ended the job by hand' };
    const { mode } = job.plan;
    return { entry, because: mode === null ? 'it began the job' : `it began a job that was to fail: ${mode}` };
  });
  return found(`the job ${job.type} of the hosted agent ${job.agent_name} has failed`, chain);
}

function ofAbsence({ request, past }: Case): Causes {
  const { subject } = request;
  const removal = past
    .flatMap(({ entry, tables }) => tables.flatMap(({ rows }) => rows.map((row) => ({ entry, row }))))
    .find(({ row }) => row.after === undefined && (row.before?.id === subject || row.before?.project_name === subject));
  if (subject === null || removal === undefined)
    return {
      reason: 'nothing of that name was ever here, as far as the history goes back',
      isCertain: false,
      chain: [],
    };
  return found('it was removed', [{ entry: removal.entry, because: 'it removed it' }]);
}

function ofName({ request, past }: Case): Causes {
  const body = parsedJson(request.requestBody ?? '');
  const names: unknown[] = isTree(body)
    ? [body.name, body.project_name, body.username].filter((name) => typeof name === 'string')
    : [];
  const chain = past
    .flatMap(({ entry, tables }) => tables.flatMap(({ table, rows }) => rows.map((row) => ({ entry, table, row }))))
    .filter(
      ({ table, row }) =>
        table === 'containers' &&
        row.after !== undefined &&
        [row.after.name, row.after.project_name].some((name) => names.includes(name)),
    )
    .map(({ entry, row }) => ({ entry, because: `it gave the container ${row.after?.project_name} that name` }));
  return found('another one has that name', chain.slice(0, 1));
}

function ofWindow({ request, past, before }: Case): Causes {
  const windows = viewLimits(before).windows.filter(
    ({ caller, used, limit, exhausted }) => caller === request.caller && (exhausted || used >= limit),
  );
  const [window] = windows;
  if (window === undefined) return nothing(request);
  const inWindow = past.filter(({ entry }) =>
    entry.windows?.some(([caller, bucket]) => caller === window.caller && bucket === window.bucket),
  );
  const chain = inWindow.slice(0, window.exhausted ? 1 : window.used).map(({ entry }) => ({
    entry,
    because: window.exhausted ? 'it used the window up' : `it counted in the window ${window.bucket}`,
  }));
  const limit = rowsIn(past, 'limits').find(
    ({ row }) => row.after?.name === window.bucket || `${row.after?.kind}:${row.after?.name}` === window.bucket,
  );
  if (limit !== undefined) chain.push({ entry: limit.entry, because: `it set the limit to ${window.limit}` });
  return found(`${window.used} of ${window.limit} requests were counted in ${window.bucket}`, chain);
}

// A container that has failed is answered with 200.
function ofContainer({ request, past, before }: Case): Causes {
  const { subject } = request;
  const container = subject === null ? undefined : findContainer(before.db, subject);
  const isFailed = /"status":"failed"/.test(request.responseBody ?? '');
  if (container === undefined || !isFailed) return nothing(request);
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
  return found(`the container ${container.name} has failed`, chain);
}

function nothing({ status }: JournalEntry): Causes {
  const reason =
    status < 400
      ? 'it succeeded: nothing refused it'
      : status < 500
        ? 'the request itself was wrong: what it says decides, and no earlier change'
        : 'no earlier change that a rule reads explains it';
  return { reason, isCertain: status < 500, chain: [] };
}

function found(reason: string, chain: Cause[]): Causes {
  const once = chain.filter(({ entry }, index) => chain.findIndex((one) => one.entry === entry) === index);
  return { reason, isCertain: once.length > 0, chain: once.slice(0, mostOfChain) };
}

function rowsIn(past: readonly PastChange[], table: string): { entry: Entry; row: RowDifference }[] {
  return past.flatMap(({ entry, tables }) =>
    tables.flatMap((one) => (one.table === table ? one.rows.map((row) => ({ entry, row })) : [])),
  );
}

function detailsOf({ responseBody }: JournalEntry): Record<string, unknown> {
  const body = parsedJson(responseBody ?? '');
  const error = isTree(body) && isTree(body.error) ? body.error : body;
  const details = isTree(error) ? (error.details ?? error) : {};
  return isTree(details) ? details : {};
}
