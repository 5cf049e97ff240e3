// The emulator's side of a comparison: a world that begins with the state that the platform showed, and its document.

import { runEmulator } from '../../app/emulator.js';
import type { Config } from '../../config/schema.js';
import { wallNow } from '../../core/clock.js';
import { isTree, type Tree } from '../../core/tree.js';
import type { Endpoint } from '../../http/endpoint.js';
import { routesTo } from '../../http/routes.js';
import type { Documented } from '../../tools/drift/compare.js';
import type { DriftAnswer } from '../../tools/drift/facts.js';
import { nowhere, type Question } from '../../tools/drift/questions.js';
import { exchangesOf } from '../../tools/incidents/callers.js';
import type { RecordedExchange } from '../../tools/incidents/exchange.js';
import { incidentOf } from '../../tools/incidents/incident.js';
import type { ScenarioInput } from '../../tools/scenarios/schema.js';
import { fail } from '../print.js';
import { type Asked, askAll } from './ask.js';

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

/** Asks an emulator of the moment, which begins with a scenario. */
export async function askEmulator(
  config: Config,
  scenario: ScenarioInput,
  questions: readonly Question[],
  surface: readonly Endpoint[],
): Promise<{ asked: Asked; documented: Documented }> {
  const emulator = await runEmulator({ config: { ...config, scenario: null } });
  try {
    const plane = await emulator.controlPlane();
    const world = await plane
      .controlsOf('default')
      .worlds.create({ id: 'drift', scenario, ttl: null })
      .catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        return fail(1, `The emulator cannot begin as the account is: ${why}`);
      });
    const { limits } = plane.controlsOf('drift');
    const base = `http://127.0.0.1:${emulator.port}/w/drift`;
    const asked = await askAll(questions, surface, {
      base,
      key: world.apiKey,
      wrongKey: wrongOf(world.apiKey),
      pauseMs: 0,
      most: Infinity,
      beforeEach: () => void limits.release(),
    });
    const document: unknown = await (await fetch(`${base}/openapi.json`)).json();
    return { asked, documented: documentedIn(document) };
  } finally {
    await emulator.close();
  }
}

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
