// Every operation of the platform and of the control plane, under every setting that changes answers: each answer has a
// status that the published document declares, and the form that it declares for that status.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Endpoint } from '../../src/http/endpoint.js';
import { pathsOf } from '../../src/http/routes.js';
import { registrySite } from '../../src/platform/registry/route.js';
import { fromSchema, type Schema, type Shot, schemaOf, shotText, type Target } from '../campaigns/support/hostile.js';
import { formHeader, formsOf } from '../campaigns/support/hostile-forms.js';
import {
  makeSubjects,
  pathOf,
  type Subjects,
  send,
  startVictim,
  type Victim,
  worldOf,
} from '../campaigns/support/hostile-run.js';
import { type Judge, judgeOf } from '../support/declared.js';
import { expectAll } from '../support/matrix.js';
import { feeHeaders } from '../support/payments.js';
import { testSeed } from '../support/seed.js';
import { credentialsFor } from '../support/sessions.js';
import { everySurface } from '../support/surface.js';

const everything = { inputs: true, guesses: true, responses: true };
const strict = { strict: { ...everything, guesses: false } };

const kinds: Record<string, Record<string, unknown>> = {
  'the usual settings': {},
  'strict inputs': strict,
  'all of strict': { strict: everything },
  'flat errors': { errors: { style: 'flat' } },
  'flat errors and all of strict': { errors: { style: 'flat' }, strict: everything },
  'the public server of earlier clients': { profile: 'elizacloud-v1' },
  'the public server of earlier clients, strict': { profile: 'elizacloud-v1', ...strict },
  'the public server of today': { profile: 'elizacloud' },
  'the public server of today, strict': { profile: 'elizacloud', ...strict },
  'images that must be there': { registry: { require: 'always' } },
  'small bodies and few requests': { server: { port: 0, maxBody: 1_024 }, rateLimits: { perKey: 8 } },
};

const drawn = { seed: testSeed, numRuns: 3 };
const nobody: Subjects = { mine: 'none', others: 'none' };

/** Requests that an operation should accept: its example and generated ones. */
function goodBodies(target: Target): Pick<Shot, 'headers' | 'body'>[] {
  const { body, upload, example } = target;
  if (body === undefined) return [{ headers: {}, body: undefined }];
  const valid = fromSchema(schemaOf(body));
  if (upload !== undefined)
    return fc.sample(formsOf(upload, valid), drawn).map((form) => ({ headers: formHeader, body: form }));
  const all = [...(example === undefined ? [] : [example]), ...fc.sample(valid, drawn)];
  return all.map((one) => ({ headers: {}, body: JSON.stringify(one) }));
}

/** Queries that choose another answer: each switch and each of a list of values. */
function queriesOf({ query }: Target): string[] {
  const shape: Schema = query === undefined ? {} : (schemaOf(query).properties ?? {});
  return Object.entries(shape).flatMap(([name, { type, enum: values }]) => {
    const choices: unknown[] = type === 'boolean' ? [true, false] : (values ?? []);
    return choices.map((value) => `${name}=${value}`);
  });
}

/** The requests of each operation: one that is right, and those that each gate refuses. */
function shotsOf(target: Target): Shot[] {
  const usual = { method: target.method, path: target.path, subject: 'mine', query: '' } as const;
  const good = goodBodies(target);
  const one = { ...usual, headers: {}, body: undefined, ...good[0] };
  const withHeader = (name: string, value: string): Shot => ({ ...one, headers: { ...one.headers, [name]: value } });
  const takesBody = target.method !== 'GET';
  return [
    ...pathsOf(target as Endpoint).map((path) => ({ ...one, path })),
    ...good.map((content) => ({ ...usual, ...content })),
    ...queriesOf(target).flatMap((query) => good.map((content) => ({ ...usual, ...content, query }))),
    { ...one, query: 'zzz=1' },
    withHeader('x-emulator-fault', '{"effect"'),
    withHeader('x-emulator-fault', '{"effect":{"status":200,"network":"reset","statuss":1}}'),
    withHeader('x-emulator-failure', 'no-such-failure'),
    withHeader('authorization', ''),
    withHeader('authorization', `Bearer ek_test_${'0'.repeat(64)}`),
    withHeader('origin', 'http://elsewhere.example'),
    { ...one, subject: 'gone' },
    { ...one, subject: { text: '%00' } },
    ...(takesBody
      ? [
          { ...one, body: '{"a":' },
          { ...one, body: '[]' },
          { ...one, body: '{"zzz":1}' },
          { ...one, body: 'x'.repeat(2_000) },
          withHeader('content-encoding', 'zip'),
        ]
      : []),
  ];
}

async function wrongAnswers(victim: Victim, target: Target, judge: Judge): Promise<string[]> {
  // Under some settings nothing can be made: then what a path names is not there.
  const subjects = await makeSubjects(victim, target).catch(() => nobody);
  const paid = { ...credentialsFor(victim.emulator, target), ...(await feeHeaders(victim.emulator, target)) };
  const found: string[] = [];
  for (const shot of shotsOf(target)) {
    const reply = await send(victim, { ...shot, headers: { ...paid, ...shot.headers } }, pathOf(shot, subjects));
    const problem = judge(target, shot, reply);
    if (problem !== undefined)
      found.push(`${problem}\n  ${shotText(shot).slice(0, 300)}\n  ${reply.text.slice(0, 300)}`);
  }
  return found;
}

const targets = everySurface.filter(({ path }) => !registrySite.isPath(path));

async function expectDeclared(kind: string, drawnTargets: readonly Target[]): Promise<void> {
  const whole = await startVictim(kinds[kind]);
  const tried = drawnTargets.filter((target) => target.profiles?.includes(whole.profile) ?? true);
  try {
    const judge = await judgeOf(whole.emulator);
    await expectAll(
      tried.map((target) => [`${target.id} (${target.method})`, target] as const),
      async (target) => {
        // Some operations would be in the way of others. The path of a world is none within another one.
        const isOfAll = target.path.startsWith('/w/');
        const emulator = isOfAll ? whole.emulator : await worldOf(whole.emulator, `tried-${tried.indexOf(target)}`);
        const found = await wrongAnswers({ ...whole, emulator }, target, judge);
        expect(found, found.slice(0, 3).join('\n  ')).toEqual([]);
      },
    );
  } finally {
    await whole.close();
  }
}

const patienceMs = 200_000;
const names = Object.keys(kinds);
// Each operation under one of the settings: TEST_SEED draws another one.

it.each(names.map((name, row) => [name, row] as const))(
  `every operation answers as declared under %s (TEST_SEED=${testSeed})`,
  (name, row) =>
    expectDeclared(
      name,
      targets.filter((_, column) => (row + column + testSeed) % names.length === 0),
    ),
  patienceMs,
);

it.each([
  ['a rule that is only checked', 'control.faults.add', 'the usual settings'],
  ['a malformed fault where nothing else could be wrong', 'usage.get', 'the usual settings'],
  ['an unknown parameter', 'usage.get', 'strict inputs'],
  ['a guess that is refused', 'agents.stats', 'all of strict'],
  ['a control operation with flat errors', 'control.faults.get', 'flat errors'],
])('every operation declares the response to %s', (_, id, kind) =>
  expectDeclared(
    kind,
    targets.filter((target) => target.id === id),
  ),
);
