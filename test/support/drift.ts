// Both sides of `drift` in tests: the platform is another emulator, with another seed and other data.

import { askAll } from '../../src/cli/drift/ask.js';
import { askEmulator, recorded, stateIn, wrongOf } from '../../src/cli/drift/emulator-side.js';
import { loadConfig } from '../../src/config/load.js';
import type { Emulator } from '../../src/index.js';
import { surfaceOf } from '../../src/platform/surface.js';
import type { Documented } from '../../src/tools/drift/compare.js';
import { addFacts, type DriftAnswer, type Facts } from '../../src/tools/drift/facts.js';
import type { Said } from '../../src/tools/drift/judge.js';
import { type Question, questionsOf } from '../../src/tools/drift/questions.js';
import type { RecordedExchange } from '../../src/tools/incidents/exchange.js';
import { tempDir } from './command.js';
import { call, deploy, startEmulator } from './emulator.js';

export interface BothSides {
  questions: Question[];
  ours: Said;
  theirs: Map<string, Facts>;
  /** The answers of the platform to each question that its key asked. */
  answers: Map<string, DriftAnswer>;
  documented: Documented;
}

/** An emulator that plays the platform, with a few things in it. */
export async function startPlatform(profile: string, filled: boolean, seed = 'platform'): Promise<Emulator> {
  const emulator = await startEmulator({ seed, profile: profile as 'spec' });
  if (!filled) return emulator;
  await call(emulator, 'POST', '/api/v1/app/agents', { name: 'Ada', bio: 'lorem' });
  await call(emulator, 'POST', '/api/v1/app/agents', { name: 'Grace' });
  await call(emulator, 'POST', '/api/v1/eliza/agents', { agentName: 'Host' });
  if (profile !== 'elizacloud') {
    await call(emulator, 'POST', '/api/v1/eliza/agents', { agentName: 'Own', alwaysOn: true, forceCreate: true });
    await deploy(emulator, { name: 'shop', project_name: 'shop' });
    await emulator.controls.clock.advance('20m');
    await deploy(emulator, { name: 'web', project_name: 'web' });
  }
  return emulator;
}

/** Asks both sides. */
export async function askBoth(platform: Emulator, profile: string): Promise<BothSides> {
  const { config } = loadConfig({
    cwd: tempDir(),
    env: {},
    file: null,
    flags: { profile, port: 0, ephemeral: true, quiet: true },
  });
  const surface = surfaceOf(config);
  const questions = questionsOf(surface, '1');
  const answers = new Map<string, DriftAnswer>();
  const read: RecordedExchange[] = [];
  const { facts: theirs } = await askAll(questions, surface, {
    base: platform.url,
    key: platform.apiKey,
    wrongKey: wrongOf(platform.apiKey),
    pauseMs: 0,
    most: Infinity,
    onAnswer: (question, path, answer) => {
      const { text: _, ...kept } = answer;
      answers.set(question.id, kept);
      read.push(recorded(read.length, question, platform.url + path, answer));
    },
  });
  const { asked, documented } = await askEmulator(config, stateIn(read, surface, profile), questions, surface);
  return { questions, ours: asked, theirs, answers, documented };
}

/** What the platform would have said with another answer to one question. */
export const saidWith = (theirs: ReadonlyMap<string, Facts>, id: string, answer: DriftAnswer): Map<string, Facts> =>
  new Map([...theirs, [id, addFacts({}, answer)]]);
