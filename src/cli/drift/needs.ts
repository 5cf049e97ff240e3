// Runs the tests once without each field of the answers that they get.

import type { Config } from '../../config/schema.js';
import { parsedJson } from '../../core/json.js';
import { type Field, fieldsOf, withoutField } from '../../tools/drift/needs.js';
import { type Once, type OnceOptions, runOnce, runTwice, warmCommand } from '../explore/once.js';
import { createProgress, demandSound, endEarly } from '../explore/progress.js';
import { timeOf } from '../explore/run-limit.js';
import type { Runner } from '../explore/warm.js';
import { endInterrupted, interruption } from '../interrupt.js';
import { reportedWords, scenarioDocument } from '../tested-command.js';

export interface Tried {
  /** The command, without keys. */
  words: readonly string[];
  fields: Field[];
  /** What was found of fields, as far as there was time. */
  needed: ReadonlyMap<Field, boolean>;
  /** Runs with a field that is null. */
  runs: number;
}

/** Finds out which fields the command's tests need: without one they fail, and fail again. */
export async function tryFields(
  config: Config,
  command: readonly string[],
  jobs: number,
  deadline: number,
): Promise<Tried> {
  const document = { ...scenarioDocument(config, config.scenario), seed: String(config.seed) };
  const words = reportedWords(command, [config.keys.prefix, config.keys.livePrefix]);
  const progress = createProgress();
  const interrupted = interruption();
  const answers: { operation: string; body: unknown }[] = [];
  const runWith = (scenario: object, how: Pick<OnceOptions, 'worldPerTest' | 'limit' | 'runner' | 'onAnswers'>) =>
    runOnce({ config, command, scenario, interrupted, ...how });
  progress.show('Runs the command twice as it is');
  const twice = await runTwice(
    (worldPerTest) =>
      runWith(document, {
        worldPerTest,
        onAnswers(all) {
          for (const { operation, status, responseBody } of all)
            if (operation !== null && status >= 200 && status < 300)
              answers.push({ operation, body: parsedJson(responseBody ?? '') });
        },
      }),
    jobs,
  );
  if (twice === undefined) return endEarly(progress);
  const { runs: usual, worldPerTest } = twice;
  for (const once of usual) demandSound(once, words, config, progress);
  const warm = worldPerTest
    ? undefined
    : await warmCommand(command, usual, (how) => runWith(document, { worldPerTest, ...how }), progress.note);
  const limit = { ...timeOf(warm === undefined ? usual : [warm.plain], 1), mostRequests: Infinity };
  let runs = 0;
  const isOtherwise = async (field: Field): Promise<boolean | undefined> => {
    if (performance.now() >= deadline || interrupted.aborted) return undefined;
    const scenario = { ...document, faults: [...(document.faults ?? []), withoutField(field)] };
    const mostMs = Math.min(limit.mostMs, deadline - performance.now());
    const run = (runner?: Runner): Promise<Once | undefined> =>
      runWith(scenario, { worldPerTest, limit: { ...limit, mostMs }, runner });
    const once = warm === undefined ? await run() : await warm.runners.lend(run);
    runs++;
    // What the end of the time has cut off shows nothing.
    if (once === undefined || (once.isTimeout && performance.now() >= deadline)) return undefined;
    return once.isTimeout || once.exitCode !== 0;
  };
  const fields = fieldsOf(answers);
  const needed = new Map<Field, boolean>();
  const queue = [...fields];
  const work = async (): Promise<void> => {
    for (let field = queue.shift(); field !== undefined; field = queue.shift()) {
      progress.show(`${needed.size} of ${fields.length} fields tried: ${field.operation} ${field.place}`);
      const first = await isOtherwise(field);
      const found = first === true ? await isOtherwise(field) : first;
      if (found !== undefined) needed.set(field, found);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  await warm?.runners.end();
  progress.end();
  if (interrupted.aborted) endInterrupted('drift/needs.json stays as it was.');
  return { words, fields, needed, runs };
}
