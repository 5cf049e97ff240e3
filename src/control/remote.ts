// The controls of a world as calls of control operations over HTTP.

import { callOf, documentCallOf, meansDocument } from './arguments.js';
import type { Caller } from './call.js';
import { type ControlOperation, isOperation, type MethodShape } from './operation.js';

/** The shapes of methods, grouped as the methods are. */
export interface Shapes {
  readonly [name: string]: MethodShape | Shapes;
}

/** Methods whose answers are all promises. */
export type Remote<Part> = Part extends (...args: infer Input) => infer Result
  ? Result extends Promise<unknown> | AsyncIterable<unknown>
    ? Part
    : (...args: Input) => Promise<Result>
  : { [Name in keyof Part]: Remote<Part[Name]> };

/** The shapes of a group of operations and of the groups within it. */
export function shapesOf(group: object): Shapes {
  const members = Object.entries(group as Record<string, ControlOperation | object>);
  return Object.fromEntries(
    members.map(([name, member]) => [name, isOperation(member) ? member.shape : shapesOf(member)]),
  );
}

/** The operations among these whose paths have no parameter, as `GET /requests/stream`. */
export function wholeOf(shapes: Shapes): string[] {
  return Object.values(shapes).flatMap((member) => {
    if (!isShape(member)) return wholeOf(member);
    return member.path.includes('{') ? [] : [`${member.method} ${member.path}`];
  });
}

/** The methods of these shapes; each sends a request to its operation. */
export function createRemoteControls<Controls>(shapes: Shapes, caller: Caller): Remote<Controls> {
  const members = Object.entries(shapes).map(([name, member]) => [
    name,
    isShape(member) ? methodOf(member, caller) : createRemoteControls(member, caller),
  ]);
  return Object.fromEntries(members) as Remote<Controls>;
}

function methodOf(shape: MethodShape, { call, events }: Caller): unknown {
  if (shape.streams) return (...args: unknown[]) => events(shape.path, callOf(shape, args));
  return async (...args: unknown[]) => {
    const { document = shape } = shape;
    const [asked, content] = meansDocument(shape, args)
      ? [document, documentCallOf(args)]
      : [shape, callOf(shape, args)];
    return call(asked.method, asked.path, content);
  };
}

function isShape(member: MethodShape | Shapes): member is MethodShape {
  return typeof member.path === 'string';
}
