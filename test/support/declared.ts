// Judges answers by the documents that an emulator publishes, with a validator of JSON Schema that knows nothing of it.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Endpoint } from '../../src/http/endpoint.js';
import { pathsOf } from '../../src/http/routes.js';
import type { Shot, Target } from '../campaigns/support/hostile.js';
import type { Reply } from '../campaigns/support/hostile-run.js';

/** The problems of the answer to a request of an operation; none when the documents allow it. */
export type Judge = (target: Target, shot: Shot, reply: Reply) => string | undefined;

/** A judge that has read the documents of an emulator under its settings. */
export async function judgeOf({ url }: { url: string }): Promise<Judge> {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, allErrors: false });
  const documents: Record<string, any> = {};
  for (const [name, path] of Object.entries({ platform: '/openapi.json', control: '/_emulator/openapi.json' })) {
    documents[name] = await (await fetch(url + path)).json();
    ajv.addSchema(documents[name], name);
  }
  const validators = new Map<string, ValidateFunction>();

  return (target, shot, { status, headers, text }) => {
    const name = target.id.startsWith('control.') ? 'control' : 'platform';
    const path = pathsOf(target as Endpoint).find((one) => one === shot.path) ?? target.path;
    const method = target.method.toLowerCase();
    const declared = documents[name].paths[path]?.[method]?.responses[status];
    if (declared === undefined) return `status ${status} is not declared`;
    const type = (headers['content-type'] ?? '').split(';')[0] ?? '';
    const content = declared.content ?? {};
    if (text === '' && Object.keys(content).length === 0) return undefined;
    if (content[type] === undefined) return `status ${status} has content type ${type || 'none'}`;
    if (type !== 'application/json') return undefined;
    const parts = ['paths', path, method, 'responses', String(status), 'content', type, 'schema'];
    const pointer = `${name}#/${parts.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
    // A reference is a URI: the braces of a path are not.
    const ref = pointer.replaceAll('{', '%7B').replaceAll('}', '%7D');
    const validate = validators.get(ref) ?? ajv.compile({ $ref: ref });
    validators.set(ref, validate);
    if (validate(JSON.parse(text))) return undefined;
    const [error] = validate.errors ?? [];
    const what = JSON.stringify(error?.params);
    return `status ${status} breaks its schema: ${error?.instancePath} ${error?.message} ${what}`;
  };
}
