// Bodies that the contract refuses, made from the declarations: the questions of level 2. Whatever a laxer platform makes of
// them bears a name of the run's own, where it can have one.

import * as z from 'zod';
import { isTree, type Tree } from '../../core/tree.js';
import type { Endpoint } from '../../http/endpoint.js';
import { makingBody, type Noun } from './nouns.js';

export interface Refused {
  endpoint: Endpoint;
  /** What is wrong with it, in words. */
  what: string;
  /** JSON, or text that is none. */
  body: unknown;
  /** The thing that a laxer platform would make; undefined: the path names nothing that exists. */
  noun?: Noun;
}

/** A text that no parser of JSON takes. */
export const noJson = '{"name": ';

const mostFields = 4;
const changing = ['POST', 'PUT', 'PATCH'];

/** What is about logins, payments and settings of the account is never asked: nothing would undo it. */
const never = /^(auth|pairing|credits|topup|x402|billing|relay|account)\./;

/** The bodies that are refused, of what makes a noun, and of what changes a thing that does not exist. */
export function refusedBodies(surface: readonly Endpoint[], nouns: readonly Noun[]): Refused[] {
  const made = nouns.filter(({ create }) => create.upload === undefined).flatMap((noun) => ofMaking(noun));
  const changed = surface
    .filter(({ id, method, path, auth, page, isLegacy, upload, fee, body }) => {
      const isAsked =
        auth === 'caller' && page !== true && isLegacy !== true && upload === undefined && fee === undefined;
      return isAsked && body !== undefined && changing.includes(method) && path.includes('{') && !never.test(id);
    })
    .map((endpoint) => ({ endpoint, what: 'no JSON', body: noJson }));
  return [...made, ...changed];
}

function ofMaking(noun: Noun): Refused[] {
  const { create: endpoint } = noun;
  const good = makingBody(noun, 'ghcr.io/elizaos/none:none');
  const { properties, required } = z.toJSONSchema(endpoint.body as z.ZodType, { io: 'input', unrepresentable: 'any' });
  const fields = Object.entries(properties ?? {}).filter(([name]) => !/name/i.test(name));
  const first = required?.[0];
  const wrong = fields.flatMap(([name, schema]) => {
    const value = isTree(schema) ? wrongFor(schema) : undefined;
    return value === undefined ? [] : [{ endpoint, noun, what: `a wrong ${name}`, body: { ...good, [name]: value } }];
  });
  return [
    { endpoint, noun, what: 'no JSON', body: noJson },
    ...(first === undefined ? [] : [{ endpoint, noun, what: `no ${first}`, body: without(good, first) }]),
    ...wrong.slice(0, mostFields),
  ];
}

const without = (body: Tree, name: string): Tree =>
  Object.fromEntries(Object.entries(body).filter(([one]) => one !== name));

/** A value that a schema does not allow; undefined: it is not known to refuse any. */
function wrongFor({ type, maximum }: Tree): unknown {
  if (type === 'integer' || type === 'number')
    return typeof maximum === 'number' && maximum < 1e9 ? maximum + 1 : 'seven';
  if (type === 'boolean') return 'perhaps';
  if (type === 'string') return 7;
  return type === 'array' || type === 'object' ? 'seven' : undefined;
}
