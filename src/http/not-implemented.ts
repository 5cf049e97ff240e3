// Operations that the platform has and the emulator does not (fixtures/not-implemented.json): they answer 501, so that nobody looks for a wrong path.

import operations from '../../fixtures/not-implemented.json' with { type: 'json' };
import { ApiError } from '../core/errors.js';

/** An operation of the platform that the emulator does not have. */
export interface MissingOperation {
  method: string;
  /** With `{name}` for parameters. */
  path: string;
  /** What it belongs to: the first words of its path, such as `apps`. */
  family: string;
  /** The parameter at its end takes all further segments, too. */
  takesRest: boolean;
}

/** For each beginning of a path, what follows it there, with its methods. */
const families: Record<string, readonly string[]> = operations;

// Their names say that they are paths themselves.
const takesRest = /\{(path|key)\}$/;

/** All of them, by their paths. */
export const notImplemented: readonly MissingOperation[] = Object.entries(families).flatMap(([base, lines]) =>
  lines.flatMap((line) => {
    const [rest = '', ...methods] = line.split(' ');
    const path = rest === '/' ? base : base + rest;
    const family = base.replace(/^\/(api\/)?(v1\/)?/, '');
    return methods.map((method) => ({ method, path, family, takesRest: takesRest.test(path) }));
  }),
);

/** The error for a request of one. Credentials make no difference to it: with a 401 one would look for a key first. */
export function refusalOf({ method, path, family }: MissingOperation): ApiError {
  return new ApiError('NOT_IMPLEMENTED', {
    message: `The platform has ${method} ${path} (${family}), and this emulator does not implement it`,
    details: { method, path, family },
  });
}
