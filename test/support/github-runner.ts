// Runs the steps of a GitHub job, and of the composite action of this repository, in bash as a runner does: with the
// files of GITHUB_ENV, GITHUB_OUTPUT, GITHUB_PATH and GITHUB_STEP_SUMMARY, and the expressions that are used here.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Outcome } from './command.js';
import { tempDir } from './command.js';
import { runIn } from './project.js';

export interface Step {
  id?: string;
  name?: string;
  uses?: string;
  run?: string;
  if?: string;
  env?: Record<string, string>;
  with?: Record<string, string>;
  'working-directory'?: string;
}

export interface RanStep extends Outcome {
  name: string;
  /** The inputs that an action that is not run here would have been given. */
  given?: Record<string, string>;
}

interface Action {
  inputs: Record<string, { default?: string }>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: Step[] };
}

/** The names that expressions may use. */
interface Scope {
  inputs: Record<string, string>;
  steps: Record<string, { outcome: string; outputs: Record<string, string> }>;
}

export interface Job {
  /** The steps that were run so far, in order; those of the action among them. */
  ran: RanStep[];
  failed: boolean;
  summary(): string;
  /** RUNNER_TEMP. */
  temp: string;
  step(step: Step): Promise<void>;
}

export const action = (): Action => parse(readFileSync('action.yml', 'utf8')) as Action;

/** A job in a project's directory, whose steps are run one by one. */
export function createJob(project: string, env: Record<string, string> = {}): Job {
  const temp = tempDir();
  const variables: Record<string, string> = { RUNNER_TEMP: temp };
  const paths: string[] = [];
  const files = join(temp, '_runner');
  mkdirSync(files);
  const summary = join(files, 'summary');
  writeFileSync(summary, '');
  const ran: RanStep[] = [];
  const state = { failed: false };

  /** Runs a step if its condition holds; whether the steps of its scope may go on. */
  async function run(step: Step, scope: Scope, failed: boolean): Promise<boolean> {
    const outputs: Record<string, string> = {};
    const record = (outcome: string): void => {
      if (step.id !== undefined) scope.steps[step.id] = { outcome, outputs };
    };
    if (!holds(step.if ?? 'success()', scope, failed)) {
      record('skipped');
      return true;
    }
    const filled = (values: Record<string, string> = {}): Record<string, string> =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value, scope)]));
    const name = step.name ?? step.uses ?? step.run ?? '';
    if (step.uses !== undefined) {
      const given = filled(step.with);
      if (step.uses.includes('/cloudemu@')) {
        const went = await runAction(given, outputs);
        record(went ? 'success' : 'failure');
        return went;
      }
      ran.push({ name, code: 0, stdout: '', stderr: '', given });
      return true;
    }
    const file = (kind: string): string => {
      const path = join(files, `${ran.length}-${kind}`);
      writeFileSync(path, '');
      return path;
    };
    const told = { GITHUB_ENV: file('env'), GITHUB_OUTPUT: file('output'), GITHUB_PATH: file('path') };
    const script = join(files, `${ran.length}.sh`);
    writeFileSync(script, fill(step.run ?? '', scope));
    const outcome = await runIn(
      join(project, fill(step['working-directory'] ?? '.', scope)),
      ['bash', '--noprofile', '--norc', '-eo', 'pipefail', script],
      {
        ...env,
        ...variables,
        ...filled(step.env),
        ...told,
        GITHUB_STEP_SUMMARY: summary,
        PATH: [...paths.toReversed(), process.env.PATH ?? ''].join(':'),
      },
    );
    Object.assign(variables, assignments(told.GITHUB_ENV));
    Object.assign(outputs, assignments(told.GITHUB_OUTPUT));
    paths.push(...linesOf(told.GITHUB_PATH));
    ran.push({ name, ...outcome });
    record(outcome.code === 0 ? 'success' : 'failure');
    return outcome.code === 0;
  }

  async function runAction(given: Record<string, string>, outputs: Record<string, string>): Promise<boolean> {
    const { inputs, outputs: declared, runs } = action();
    const unknown = Object.keys(given).filter((name) => inputs[name] === undefined);
    if (unknown.length > 0) throw new Error(`the action has no input ${unknown}`);
    const defaults = Object.entries(inputs).map(([name, input]) => [name, input.default ?? '']);
    const scope: Scope = { inputs: { ...Object.fromEntries(defaults), ...given }, steps: {} };
    let failed = false;
    for (const step of runs.steps) failed = !(await run(step, scope, failed)) || failed;
    for (const [name, { value }] of Object.entries(declared)) outputs[name] = fill(value, scope);
    return !failed;
  }

  const top: Scope = { inputs: {}, steps: {} };
  return {
    ran,
    temp,
    get failed() {
      return state.failed;
    },
    summary: () => readFileSync(summary, 'utf8'),
    async step(step) {
      state.failed = !(await run(step, top, state.failed)) || state.failed;
    },
  };
}

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n').filter(Boolean);
}

function assignments(file: string): Record<string, string> {
  return Object.fromEntries(
    linesOf(file).map((line) => {
      const [, name, value] = /^(\w[\w-]*)=(.*)$/.exec(line) ?? [];
      if (name === undefined || value === undefined) throw new Error(`GitHub would not understand: ${line}`);
      return [name, value];
    }),
  );
}

function fill(text: string, scope: Scope): string {
  return text.replace(/\$\{\{(.*?)\}\}/gs, (_, expression: string) => String(evaluate(expression, scope, false)));
}

// Without a function that says otherwise, a condition is only looked at where nothing has failed.
function holds(condition: string, scope: Scope, failed: boolean): boolean {
  const expression = condition.replace(/^\$\{\{(.*)\}\}$/s, '$1');
  const asks = /\b(success|failure|cancelled|always)\(\)/.test(expression);
  return Boolean(evaluate(asks ? expression : `success() && (${expression})`, scope, failed));
}

function evaluate(expression: string, { inputs, steps }: Scope, failed: boolean): unknown {
  const known = expression.replace(/\b(inputs|steps)((?:\.[\w-]+)+)/g, (_, first: string, path: string) => {
    const value = path
      .slice(1)
      .split('.')
      .reduce<any>((at, name) => at?.[name], first === 'inputs' ? inputs : steps);
    return JSON.stringify(value ?? '');
  });
  const functions = { success: () => !failed, failure: () => failed, cancelled: () => false, always: () => true };
  return new Function(...Object.keys(functions), `return (${known})`)(...Object.values(functions)) as unknown;
}
