// The emulator's side of a comparison: a world that begins with the state that the platform showed, and its document.

import { runEmulator } from '../../app/emulator.js';
import type { Config } from '../../config/schema.js';
import { wallNow } from '../../core/clock.js';
import { isTree, type Tree } from '../../core/tree.js';
import type { Endpoint } from '../../http/endpoint.js';
import { routesTo } from '../../http/routes.js';
import type { Documented } from '../../tools/drift/compare.js';
import type { DriftAnswer } from '../../tools/drift/facts.js';
import { type Lifecycle, questionsIn } from '../../tools/drift/lifecycles.js';
import type { Noun } from '../../tools/drift/nouns.js';
import { nowhere, type Question } from '../../tools/drift/questions.js';
import { exchangesOf } from '../../tools/incidents/callers.js';
import type { RecordedExchange } from '../../tools/incidents/exchange.js';
import { incidentOf } from '../../tools/incidents/incident.js';
import type { ScenarioInput } from '../../tools/scenarios/schema.js';
import { fail } from '../print.js';
import { Account } from './account.js';
import { Asked, askAll, type Hears } from './ask.js';
import { Line } from './line.js';
import { Lives } from './lives.js';

/** Enough of everything that an operation can show one. */
export const sample: ScenarioInput = {
  data: { containers: [{ name: 'sample', project_name: 'sample', status: 'running' }], agents: [{ name: 'Sample' }] },
};

/** A read of the platform as an import has it, without the key. */
export const recorded = (
  index: number,
  { method }: Question,
  url: string,
  { status, headers, text }: DriftAnswer & { text: string },
): RecordedExchange => ({
  index,
  sentAt: wallNow(),
  ms: 0,
  method,
  url,
  headers: { authorization: 'Bearer of-the-account' },
  body: '',
  status,
  answer: headers,
  text,
});

/** The state that reads of the platform have shown, as the beginning of a world. */
export function stateIn(
  read: readonly RecordedExchange[],
  surface: readonly Endpoint[],
  profile: string,
): ScenarioInput {
  const recording = { format: 'drift', exchanges: [...read], limits: [] };
  const { exchanges } = exchangesOf([recording], routesTo(surface), {});
  if (exchanges.length === 0) return {};
  const incident = incidentOf(exchanges, { tookEffect: new Map() }, profile);
  const { data } = incident.scenarioWith({});
  const { keys: _, ...state } = data ?? {};
  return { data: state, clock: { start: new Date(incident.start).toISOString(), frozen: true } };
}

/** What is asked in a run. */
export interface Plan {
  config: Config;
  surface: readonly Endpoint[];
  nouns: readonly Noun[];
  questions: readonly Question[];
  lives: readonly Lifecycle[];
}

/** All questions of a plan, as its answers are compared. */
export const allOf = ({ questions, lives }: Plan): Question[] => [...questions, ...questionsIn(lives)];

/** Whether the platform may be changed. */
export const isChanging = (plan: Plan): boolean => allOf(plan).some(({ level }) => Number(level) >= 2);

/**
 * Asks one side everything: what is read with the key, then lives, then refusals, which use up the windows of their operations,
 * then what needs no key, which other runs ask, too.
 *
 * @param change lets what may change something be asked; without it nothing is
 */
export async function askSide(
  { questions, lives, surface }: Plan,
  line: Line,
  { asked = new Asked(), hears, change }: { asked?: Asked; hears?: Hears; change?: Change } = {},
): Promise<Asked> {
  const reads = questions.filter(({ level }) => Number(level) < 2);
  const isOwn = ({ as }: Question): boolean => as === 'key';
  await askAll(reads.filter(isOwn), surface, line, { asked, ...(hears !== undefined && { hears }) });
  await change?.(asked, async (account) => {
    await account.readBalance();
    for (const life of lives) await new Lives(account, asked).live(life);
    const refusals = questions.filter(({ level }) => level === '2');
    await askAll(refusals, surface, line, { asked, account });
  });
  return askAll(
    reads.filter((one) => !isOwn(one)),
    surface,
    line,
    { asked },
  );
}

/** Lets what may change something be asked with an account, or not. */
export type Change = (asked: Asked, ask: (account: Account) => Promise<void>) => Promise<void>;

/** Asks an emulator of the moment, which begins with a scenario. */
export async function askEmulator(
  plan: Plan,
  scenario: ScenarioInput,
): Promise<{ asked: Asked; documented: Documented }> {
  const emulator = await runEmulator({ config: { ...plan.config, scenario: null } });
  try {
    const plane = await emulator.controlPlane();
    const world = await plane
      .controlsOf('default')
      .worlds.create({ id: 'drift', scenario, ttl: null })
      .catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        return fail(1, `The emulator cannot begin as the account is: ${why}`);
      });
    const { limits, clock } = plane.controlsOf('drift');
    const base = `http://127.0.0.1:${emulator.port}/w/drift`;
    const line = new Line({
      base,
      key: world.apiKey,
      wrongKey: wrongOf(world.apiKey),
      name: emulatedName,
      pauseMs: 0,
      most: Infinity,
      wait: async (ms) => void (await clock.advance(Math.max(1, Math.round(ms)))),
      looksAtOnce: 8,
      beforeEach: () => void limits.release(),
    });
    const account = new Account(line, plan.nouns, plan.surface, Infinity, () => {});
    const asked = await askSide(plan, line, isChanging(plan) ? { change: (_, ask) => ask(account) } : {});
    const document: unknown = await (await fetch(`${base}/openapi.json`)).json();
    return { asked, documented: documentedIn(document) };
  } finally {
    await emulator.close();
  }
}

const emulatedName = 'drift-00000000';

/** A key of the same form that nobody has. */
export const wrongOf = (key: string): string =>
  `${/^.*_/.exec(key)?.[0] ?? ''}${nowhere.replaceAll('-', '')}${nowhere.replaceAll('-', '')}`;

function documentedIn(document: unknown): Documented {
  const { paths, components } = document as { paths: Record<string, Tree>; components: { schemas: Tree } };
  const bodies = new Map<string, Tree>();
  for (const methods of Object.values(paths))
    for (const one of Object.values(methods)) {
      const { operationId, responses } = one as { operationId?: string; responses?: Tree };
      for (const [status, response] of Object.entries(responses ?? {})) {
        const schema = (response as { content?: Record<string, { schema?: unknown }> }).content?.['application/json']
          ?.schema;
        if (isTree(schema)) bodies.set(`${operationId} ${status}`, schema);
      }
    }
  return { schemas: components.schemas, bodyOf: (operation, status) => bodies.get(`${operation} ${status}`) };
}
