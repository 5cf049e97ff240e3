// Checks documents against protobuf messages, as programs with strict parsers do: no unknown field, right types, one
// field of each oneof, and what the validation rules demand to be there.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installed, requireFrom } from './installed.js';

/** Envoy's messages lie in a package of gRPC's. */
export const protobufPackages = (): NodeJS.Require =>
  requireFrom(installed('protobufjs@7.6.6', '@grpc/grpc-js-xds@1.14.1'));

/** The types of .proto files, which are looked up in several directories. */
export function loadProtos(dirs: readonly string[], files: readonly string[]): any {
  const require = protobufPackages();
  const protobuf = require('protobufjs');
  const own = dirname(require.resolve('protobufjs/package.json'));
  const root = new protobuf.Root();
  root.resolvePath = (_: string, target: string) =>
    [...dirs, own].map((dir) => join(dir, target)).find(existsSync) ?? target;
  root.loadSync([...files], { keepCase: true }).resolveAll();
  return root;
}

const wrapped: Record<string, string> = {
  UInt32Value: 'uint32',
  UInt64Value: 'uint64',
  Int32Value: 'int32',
  Int64Value: 'int64',
  DoubleValue: 'double',
  FloatValue: 'float',
  BoolValue: 'bool',
  StringValue: 'string',
  BytesValue: 'bytes',
};

/** The mistakes of a document, each with its path; none where it is a message of the type. */
export function problemsOf(root: any, typeName: string, document: unknown): string[] {
  const problems: string[] = [];

  function scalar(type: string, value: unknown, path: string): void {
    const isNumber = typeof value === 'number' && (/double|float/.test(type) || Number.isInteger(value));
    const fits =
      type === 'bool' ? typeof value === 'boolean' : /string|bytes/.test(type) ? typeof value === 'string' : isNumber;
    if (!fits || (type.startsWith('u') && (value as number) < 0)) problems.push(`${path} must be ${type}`);
  }

  function message(type: any, value: unknown, path: string): void {
    const name = type.fullName.replace(/^\.google\.protobuf\./, '');
    if (name === 'Duration') {
      if (typeof value !== 'string' || !/^\d+(\.\d{1,9})?s$/.test(value))
        problems.push(`${path} must be a duration as 1.5s`);
      return;
    }
    if (name === 'Struct') return;
    if (wrapped[name] !== undefined) {
      scalar(wrapped[name], value, path);
      return;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      problems.push(`${path} must be an object`);
      return;
    }
    if (name === 'Any') {
      const { '@type': url, ...rest } = value as Record<string, unknown>;
      const named = String(url).replace(/^type\.googleapis\.com\//, '');
      if (named === url) {
        problems.push(`${path} needs an @type`);
        return;
      }
      message(root.lookupType(named), rest, path);
      return;
    }
    const given = value as Record<string, unknown>;
    for (const [field, inside] of Object.entries(given)) {
      const declared = type.fields[field];
      if (declared === undefined) problems.push(`${path}.${field} is unknown to ${type.fullName}`);
      else if (declared.options?.deprecated === true) problems.push(`${path}.${field} is deprecated`);
      else each(declared, inside, `${path}.${field}`);
    }
    for (const declared of type.fieldsArray)
      if (
        declared.partOf === null &&
        declared.options?.['(validate.rules).message.required'] === true &&
        given[declared.name] === undefined
      )
        problems.push(`${path}.${declared.name} is required`);
    for (const { name: oneof, oneof: fields, options } of type.oneofsArray) {
      const set = fields.filter((field: any) => given[field] !== undefined);
      if (set.length > 1) problems.push(`${path} has ${set.join(' and ')}: only one of them can be`);
      if (set.length === 0 && options?.['(validate.required)'] === true) problems.push(`${path} needs a ${oneof}`);
    }
  }

  function each(field: any, value: unknown, path: string): void {
    if (field.map) {
      for (const [key, inside] of Object.entries(value as object)) single(field, inside, `${path}[${key}]`);
    } else if (field.repeated) {
      if (!Array.isArray(value)) {
        problems.push(`${path} must be a list`);
        return;
      }
      for (const [n, inside] of value.entries()) single(field, inside, `${path}[${n}]`);
    } else single(field, value, path);
  }

  function single(field: any, value: unknown, path: string): void {
    const type = field.resolvedType;
    if (type === null) {
      scalar(field.type, value, path);
      return;
    }
    if (type.values === undefined) {
      message(type, value, path);
      return;
    }
    if (typeof value !== 'string' || type.values[value] === undefined)
      problems.push(`${path} must be one of ${Object.keys(type.values).join(', ')}`);
  }

  message(root.lookupType(typeName), document, '');
  return problems;
}
