// The texts of the types that list what there is: operations with their bodies, failure modes, scenarios.

import { bareText, typeText } from './schema-text.mjs';

/** The types that replace those in src/config/names.ts, by name. */
export function listNames({ operations, failures, scenarios }) {
  return new Map([
    ['OperationId', `/** The id of an operation of the platform. */\nexport type OperationId = ${list(operations)};`],
    [
      'OperationPattern',
      `/** The id of an operation, or a pattern in which \`*\` is any text: \`containers.*\`. */
export type OperationPattern = OperationId | \`\${string}*\${string}\`;`,
    ],
    [
      'FailureMode',
      `/** How a deployment can fail: \`cloudemu failures\` describes each. */\nexport type FailureMode = ${list(failures)};`,
    ],
    [
      'ScenarioName',
      `/** A scenario that is shipped, one of your own that \`CloudemuScenarios\` names, or none. */
export type ScenarioName = ${list([...scenarios, 'none'])} | keyof CloudemuScenarios;
declare global {
  /**
   * The names of scenarios of your own, which lie in \`scenarios\` or are saved there: name them once in your project.
   *
   * @example
   * declare global {
   *   interface CloudemuScenarios {
   *     'black-friday': unknown;
   *   }
   * }
   */
  interface CloudemuScenarios {}
}`,
    ],
    [
      'ScenarioReference',
      `/** A scenario by its name, or the file of one: a path with a slash, or something that ends in \`.json\`. */
export type ScenarioReference = Exclude<ScenarioName, 'none'> | \`\${string}/\${string}\` | \`\${string}.json\`;`,
    ],
  ]);
}

/** The type that replaces `Operations` in src/app/operation-types.ts. */
export function operationsText(endpoints) {
  const named = new Map();
  // Shapes with a name of their own in the document have it here too.
  const context = (io) => ({
    io,
    nameOf(schema) {
      const id = schema.meta()?.id;
      if (id === undefined) return undefined;
      const known = named.get(id);
      if (known !== undefined) return id;
      named.set(id, '');
      named.set(id, bareText(schema, context(io)));
      return id;
    },
  });
  const inputs = { ...context('input'), nameOf: () => undefined };
  const lines = [...grouped(endpoints)].map(([id, those]) => {
    const of = (part) =>
      either(those.map((one) => textOf(one[part], inputs, part === 'body' && one.bodyOptional === true)));
    const answers = those.flatMap(({ responses }) =>
      Object.entries(responses)
        .filter(([status]) => status < 300)
        .map(([, { schema }]) => textOf(schema, context('output'))),
    );
    const summary = those.map(({ summary: text, method, path }) => `${text}: \`${method} ${path}\`.`);
    return `  /** ${[...new Set(summary)].join(' ')} */
  '${id}': {
    path: ${of('params')};
    query: ${of('query')};
    body: ${of('body')};
    response: ${either(answers)};
  };`;
  });
  const interfaces = [...named].map(([id, text]) => `export interface ${id} ${text}`);
  return `export interface Operations {\n${lines.join('\n')}\n}\n${interfaces.join('\n')}`;
}

function textOf(schema, context, isOptional = false) {
  if (schema === undefined) return 'undefined';
  const text = typeText(schema, context, '    ');
  return isOptional ? `${text} | undefined` : text;
}

function either(texts) {
  const different = [...new Set(texts)];
  return different.length === 0 ? 'undefined' : different.join(' | ');
}

function grouped(endpoints) {
  const groups = new Map();
  for (const one of endpoints) groups.set(one.id, [...(groups.get(one.id) ?? []), one]);
  return groups;
}

function list(names) {
  return names.map((name) => `'${name}'`).join(' | ');
}
