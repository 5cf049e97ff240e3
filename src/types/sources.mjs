// The sources as the published types are made from them: what is inferred there is written out here.

import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import ts from 'typescript';
import { bareText, typeText } from './schema-text.mjs';

/**
 * Reads source files in which types that are inferred from schemas or from what a function returns are plain ones.
 *
 * @param schemas what each file exports, at run time
 * @param names what a schema is called whose type is written elsewhere: `{ name, file }`, or undefined
 * @param replaced declarations that replace those in a file, by name
 */
export function createReader({ root, schemas, names, replaced }) {
  return (file) => {
    const text = readFileSync(file, 'utf8');
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const edits = [];
    const imported = new Map();
    const nameOf = (schema, io) => {
      const found = names(schema, io);
      if (found !== undefined && found.file !== file) imported.set(found.name, found.file);
      return found?.name;
    };
    const instead = replaced.get(file) ?? new Map();
    for (const statement of source.statements) {
      const by = instead.get(statement.name?.text);
      if (by !== undefined) edits.push({ start: statement.getStart(), end: statement.end, text: by });
      else if (!writeOutReturned(statement) && !writeOutList(statement)) visit(statement);
    }
    const imports = [...imported].map(([name, from]) => `import type { ${name} } from '${moduleName(file, from)}';\n`);
    return imports.join('') + apply(text, edits);

    // `export type Controls = ReturnType<typeof createControls>`
    function writeOutReturned(statement) {
      if (!ts.isTypeAliasDeclaration(statement)) return false;
      const [, name] = /^ReturnType<typeof (\w+)>$/.exec(statement.type.getText()) ?? [];
      const made = source.statements.find((one) => ts.isFunctionDeclaration(one) && one.name?.text === name);
      if (made === undefined) return false;
      const members = returnedMembers(made, `${relative(root, file)}: ${name}`);
      const head = `export interface ${statement.name.text} `;
      edits.push({ start: statement.getStart(), end: statement.end, text: head + members });
      return true;
    }

    // `export const all = ['one', ...others] as const`
    function writeOutList(statement) {
      if (!ts.isVariableStatement(statement)) return false;
      const [{ name, initializer }] = statement.declarationList.declarations;
      const list = initializer && ts.isAsExpression(initializer) ? initializer.expression : undefined;
      if (list === undefined || !ts.isArrayLiteralExpression(list) || !list.elements.some(ts.isSpreadElement))
        return false;
      const types = list.elements.map((one) =>
        ts.isSpreadElement(one) ? `...typeof ${one.expression.getText()}` : one.getText(),
      );
      const written = `export declare const ${name.text}: readonly [${types.join(', ')}];`;
      edits.push({ start: statement.getStart(), end: statement.end, text: written });
      return true;
    }

    // `z.input<typeof schema>`
    function visit(node) {
      const [, io, name] = ts.isTypeReferenceNode(node)
        ? (/^z\.(input|output|infer)<typeof (\w+)>$/.exec(node.getText()) ?? [])
        : [];
      const schema = name === undefined ? undefined : schemaNamed(name);
      if (schema === undefined) return ts.forEachChild(node, visit);
      const context = { io: io === 'input' ? 'input' : 'output', nameOf };
      const isItself = ts.isTypeAliasDeclaration(node.parent);
      const written = isItself ? bareText(schema, context) : typeText(schema, context);
      edits.push({ start: node.getStart(), end: node.end, text: written });
    }

    function schemaNamed(name) {
      return schemas.get(file)?.[name];
    }
  };
}

function moduleName(from, to) {
  const path = relative(from.slice(0, from.lastIndexOf('/')), to).replace(/\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}

function apply(text, edits) {
  const sorted = edits.toSorted((a, b) => b.start - a.start);
  return sorted.reduce((result, { start, end, text: by }) => result.slice(0, start) + by + result.slice(end), text);
}

/** The members of the object that a function returns, with their comments, as those of an interface. */
function returnedMembers(made, where) {
  const returned = made.body.statements.findLast(ts.isReturnStatement)?.expression;
  if (returned === undefined || !ts.isObjectLiteralExpression(returned))
    throw new Error(`${where} must end by returning an object, for its type to be written out`);
  return membersOf(returned);

  function membersOf(literal) {
    const members = literal.properties.map((property) => {
      const comments = ts
        .getJSDocCommentsAndTags(property)
        .filter(ts.isJSDoc)
        .map((doc) => `${doc.getText().replace(/\n\s*\*/g, '\n *')}\n`);
      return comments.join('') + memberOf(property);
    });
    return `{\n${members.join('\n')}\n}`;
  }

  function memberOf(property) {
    const name = property.name?.getText();
    if (ts.isMethodDeclaration(property)) return signature(name, property);
    const value = ts.isShorthandPropertyAssignment(property) ? localNamed(name) : property.initializer;
    if (value !== undefined && ts.isArrowFunction(value)) return signature(name, value);
    if (value !== undefined && ts.isObjectLiteralExpression(value)) return `${name}: ${membersOf(value)};`;
    throw new Error(`${where}: ${name ?? property.getText()} must be a method or an object of methods`);
  }

  function signature(name, method) {
    if (method.type === undefined) throw new Error(`${where}: ${name} must say what it returns`);
    const types = method.typeParameters?.map((parameter) => parameter.getText()).join(', ');
    const parameters = method.parameters.map((parameter, index) => {
      if (parameter.type === undefined) throw new Error(`${where}: ${name} must say what its parameters are`);
      const called = ts.isIdentifier(parameter.name) ? parameter.name.text : index === 0 ? 'options' : 'more';
      const isOptional = parameter.questionToken !== undefined || parameter.initializer !== undefined;
      return `${called}${isOptional ? '?' : ''}: ${parameter.type.getText()}`;
    });
    return `${name}${types === undefined ? '' : `<${types}>`}(${parameters.join(', ')}): ${method.type.getText()};`;
  }

  function localNamed(name) {
    return made.body.statements
      .filter(ts.isVariableStatement)
      .flatMap(({ declarationList }) => [...declarationList.declarations])
      .find((declaration) => declaration.name.getText() === name)?.initializer;
  }
}
