// The TypeScript text of a zod schema: plain types whose fields carry their descriptions, and nothing of zod.

const plain = {
  string: 'string',
  number: 'number',
  int: 'number',
  boolean: 'boolean',
  bigint: 'bigint',
  null: 'null',
  undefined: 'undefined',
  unknown: 'unknown',
  any: 'unknown',
  never: 'never',
  void: 'undefined',
  template_literal: 'string',
  custom: 'unknown',
};

/**
 * The values that a schema takes (io `input`), or that come out of it (io `output`).
 *
 * @param nameOf the name of a type that is written elsewhere, or undefined
 * @example typeText(z.strictObject({ port: z.int().optional().describe('0: any') }), { io: 'input', nameOf: () => undefined })
 * // {
 * //   /** 0: any *\/
 * //   port?: number | undefined;
 * // }
 */
export function typeText(schema, context, indent = '') {
  return context.nameOf(schema, context.io) ?? bareText(schema, context, indent);
}

/** The same for a named schema: the type that the name refers to. */
export function bareText(schema, context, indent = '') {
  const { def } = schema._zod;
  const of = (inner) => typeText(inner, context, indent);
  switch (def.type) {
    case 'literal':
      return def.values.map((value) => (typeof value === 'string' ? quoted(value) : String(value))).join(' | ');
    case 'enum':
      return Object.values(def.entries).map(quoted).join(' | ');
    case 'array':
      return `${wrapped(of(def.element))}[]`;
    case 'tuple':
      return `[${[...def.items.map(of), ...(def.rest ? [`...${wrapped(of(def.rest))}[]`] : [])].join(', ')}]`;
    case 'object':
      return objectText(schema, context, indent);
    case 'record':
      return recordText(def, context, indent);
    case 'union':
      return unique(def.options.map(of)).join(' | ');
    case 'intersection':
      return [def.left, def.right].map((side) => wrapped(of(side))).join(' & ');
    case 'nullable':
      return unique([of(def.innerType), 'null']).join(' | ');
    case 'optional':
      if (isExact(schema)) return of(def.innerType);
      return unique([of(def.innerType), 'undefined']).join(' | ');
    case 'nonoptional':
    case 'readonly':
    case 'catch':
    case 'default':
    case 'prefault':
      return of(def.innerType);
    case 'lazy':
      return of(schema._zod.innerType);
    case 'pipe':
      return of(context.io === 'input' ? def.in : def.out);
    case 'transform':
      throw new Error('what comes out of a transform is unknown: say it with .pipe(z.number())');
    default: {
      const text = plain[def.type];
      if (text === undefined) throw new Error(`there is no type for a schema of type ${def.type}`);
      return text === 'unknown' ? jsonSchemaText(schema.meta() ?? {}) : text;
    }
  }
}

// A schema that checks its values by a function says its type as JSON Schema, which the documents show.
function jsonSchemaText({ anyOf, type = 'unknown', items }) {
  if (anyOf !== undefined) return unique(anyOf.map(jsonSchemaText)).join(' | ');
  if (type === 'array') return `${wrapped(jsonSchemaText(items ?? {}))}[]`;
  return type === 'integer' ? 'number' : (plain[type] ?? 'unknown');
}

function objectText(schema, context, indent) {
  const { shape, catchall } = schema._zod.def;
  const inner = `${indent}  `;
  const fields = Object.entries(shape).map(([name, field]) => {
    const isOptional = field._zod[context.io === 'input' ? 'optin' : 'optout'] !== undefined;
    const text = typeText(field, context, inner);
    const type = isOptional && !isExact(field) && !/(^|\| )undefined$/.test(text) ? `${text} | undefined` : text;
    const key = /^[\w$]+$/.test(name) ? name : quoted(name);
    return `${docText(field, context, inner)}${inner}${key}${isOptional ? '?' : ''}: ${type};\n`;
  });
  if (catchall !== undefined && catchall._zod.def.type !== 'never') {
    const text = typeText(catchall, context, inner);
    fields.push(`${inner}[name: string]: ${text};\n`);
  }
  return fields.length === 0 ? 'Record<string, never>' : `{\n${fields.join('')}${indent}}`;
}

// The field may be left out, and is not undefined where it is there.
function isExact(schema) {
  return schema._zod.traits.has('$ZodExactOptional');
}

/** The comment of a field: its description, and its default where one may leave it out. */
export function docText(schema, { io }, indent) {
  const value = io === 'input' ? defaultOf(schema) : undefined;
  const lines = [descriptionOf(schema), value === undefined ? undefined : `@default ${JSON.stringify(value)}`]
    .filter((line) => line !== undefined)
    .map((line) => line.replaceAll('*/', '*\\/'));
  if (lines.length === 0) return '';
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

/** The description of a schema, or of the one that it wraps. */
export function descriptionOf(schema) {
  for (let at = schema; at !== undefined; at = innerOf(at)) if (at.description !== undefined) return at.description;
  return undefined;
}

function defaultOf(schema) {
  for (let at = schema; at !== undefined; at = innerOf(at)) {
    const { type, defaultValue } = at._zod.def;
    if (type === 'default') return defaultValue;
  }
  return undefined;
}

function innerOf(schema) {
  const { def } = schema._zod;
  if (def.type === 'lazy') return schema._zod.innerType;
  return def.innerType ?? def.in;
}

// All names of a list must be there, unless the schema says otherwise or the list is written elsewhere.
function recordText({ keyType, valueType, partial }, context, indent) {
  const key = typeText(keyType, context);
  const text = `Record<${key}, ${typeText(valueType, context, indent)}>`;
  return key === 'string' || (keyType._zod.def.type === 'enum' && partial !== true) ? text : `Partial<${text}>`;
}

function wrapped(text) {
  return / [|&] /.test(text.replace(/\{[\s\S]*\}/g, '{}')) ? `(${text})` : text;
}

function unique(texts) {
  const parts = [...new Set(texts.flatMap((text) => (text.includes('{') ? [text] : text.split(' | '))))];
  return parts.includes('unknown') ? ['unknown'] : parts;
}

function quoted(text) {
  return `'${String(text).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
