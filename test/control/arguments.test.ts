// The arguments of a method become a request, and the request the arguments of `run`, whichever way it came.

import { expect, it } from 'vitest';
import * as z from 'zod';
import { argumentsOf, callOf, documentCallOf, meansDocument } from '../../src/control/arguments.js';
import { listed, operation } from '../../src/control/operation.js';

const output = z.unknown();
const declared = { id: 'control.test', summary: 'Test', output };

const fail = operation({
  ...declared,
  route: 'POST /containers/{id}/fail',
  params: z.object({ id: z.string() }),
  body: z.object({ mode: z.string().optional() }),
  bodyOptional: true,
  run: (_context, id: string, options: { mode?: string | undefined } = {}): unknown => [id, options],
});
const stop = operation({
  ...declared,
  route: 'POST /containers/{id}/stop',
  params: z.object({ id: z.string() }),
  run: (_context, id: string): unknown => id,
});
const advance = operation({
  ...declared,
  route: 'POST /advance',
  body: z.object({ by: z.union([z.string(), z.number()]) }),
  shorthand: 'by',
  run: (_context, target: string | number | { by: string | number }): unknown => target,
});
const save = operation({
  ...declared,
  route: 'POST /scenarios/{name}/save',
  params: z.object({ name: z.string() }),
  body: z.object({ title: z.string().optional() }),
  paramsInside: true,
  run: (_context, request: { name: string; title?: string | undefined }): unknown => request,
});
const follow = operation({
  id: 'control.follow',
  summary: 'Follow',
  route: 'GET /stream',
  query: z.object({ since: z.string().optional() }),
  extras: ['signal', 'after'],
  run: (
    _context,
    options: { since?: string | undefined; after?: string | number | undefined; signal?: AbortSignal | undefined } = {},
  ): unknown => options,
});
const check = operation({
  ...declared,
  route: 'POST /faults?dryRun=true',
  body: z.object({ effect: z.string() }),
  run: (_context, rule: { effect: string }): unknown => rule,
});

it('the binding of a control operation puts parameters into the path, and the rest into the body', () => {
  const call = callOf(fail.shape, ['web', { mode: 'crash-loop' }]);
  expect(call).toMatchObject({ params: { id: 'web' }, body: { mode: 'crash-loop' }, query: {} });
  expect(argumentsOf(fail.shape, call)).toEqual(['web', { mode: 'crash-loop' }]);
  expect(argumentsOf(fail.shape, callOf(fail.shape, ['web']))).toEqual(['web', {}]);
});

it('the binding of a control operation refuses fields that it does not take, as over HTTP, and nothing else that a caller adds', () => {
  expect(() => callOf(stop.shape, ['web', { mode: 'crash-loop' }])).toThrow('mode is unknown');
  expect(() => callOf(fail.shape, ['web', { mode: 'crash-loop' }, { reason: 'test' }])).toThrow('reason is unknown');
  for (const added of [[], [{}], [0, ['web']], [undefined], [new Date()], [{ mode: undefined }]])
    expect(argumentsOf(stop.shape, callOf(stop.shape, ['web', ...added]))).toEqual(['web']);
});

it('the binding of a control operation takes a value for the field that it stands for', () => {
  for (const target of ['10m', { by: '10m' }]) expect(callOf(advance.shape, [target]).body).toEqual({ by: '10m' });
  expect(callOf(advance.shape, []).body).toEqual({});
});

it('the binding of a control operation parts one argument into path and body, and joins them again', () => {
  const call = callOf(save.shape, [{ name: 'mine', title: 'Mine' }]);
  expect(call).toMatchObject({ params: { name: 'mine' }, body: { title: 'Mine' } });
  expect(argumentsOf(save.shape, call)).toEqual([{ name: 'mine', title: 'Mine' }]);
});

it('the binding of a control operation keeps the signal and the place in a stream apart from the query', () => {
  const { signal } = new AbortController();
  const call = callOf(follow.shape, [{ since: '10m', after: 7, signal }]);
  expect(call).toMatchObject({ query: { since: '10m' }, after: 7, signal });
  expect(argumentsOf(follow.shape, call)).toEqual([{ since: '10m', after: 7, signal }]);
});

it('the binding of a control operation calls a variant with the query of its route', () => {
  expect(check.shape).toMatchObject({ path: '/faults', fixed: { dryRun: true } });
  expect(callOf(check.shape, [{ effect: 'none' }]).query).toEqual({ dryRun: true });
});

it('the binding of a control operation calls the operation for a document where the argument is no name', () => {
  const applyDocument = operation({ ...declared, route: 'POST /scenarios', run: (): unknown => 0 });
  const apply = operation({
    ...declared,
    route: 'POST /scenarios/{name}',
    params: z.object({ name: z.string() }),
    document: applyDocument,
    run: (_context, which: string): unknown => which,
  });
  expect(meansDocument(apply.shape, ['busy'])).toBe(false);
  expect(meansDocument(apply.shape, [{ title: 'Mine' }])).toBe(true);
  expect(documentCallOf([{ title: 'Mine' }, { merge: true }]).body).toEqual({ title: 'Mine', merge: true });
});

it.each([
  [() => callOf(fail.shape, []), 'id', 'is required'],
  [() => callOf(fail.shape, [7]), 'id', 'must be a string'],
  [() => callOf(follow.shape, ['10m']), 'options', 'must be an object'],
  [() => callOf(follow.shape, [{ signal: 'stop' }]), 'signal', 'must be an AbortSignal'],
  [() => documentCallOf([7]), 'scenario', 'must be a name or a document'],
])('the binding of a control operation refuses what cannot be a request: %#', (act, path, message) => {
  expect(act).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR', message: expect.stringContaining(path) }));
  expect(act).toThrow(message);
});

it('the binding of a control operation refuses a route that is none', () => {
  const route = 'PATCH /faults' as 'POST /faults';
  expect(() => operation({ ...declared, route, run: (): unknown => 0 })).toThrow('GET, POST, PUT or DELETE');
});

it('the type of `run` demands what the output says, and of a list its items', () => {
  const item = z.object({ id: z.string(), at: z.string() });
  const named = { ...declared, route: 'GET /things' } as const;
  // @ts-expect-error: an answer without `at`
  operation({ ...named, output: item, run: () => ({ id: 'a' }) });
  // @ts-expect-error: items without `at`
  operation({ ...named, output: listed('things', item), run: () => [{ id: 'a' }] });
  const list = operation({ ...named, output: listed('things', item), run: () => [{ id: 'a', at: 'now' }] });
  expect(list.responses[200]?.schema?.safeParse({ things: [{ id: 'a', at: 'now' }], total: 1 }).success).toBe(true);
});
