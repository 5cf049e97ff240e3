// The sources as the published types are made from them: what is inferred there is written out here.

import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { bareText, typeText } from './schema-text.mjs';

/**
 * Reads source files in which types that are inferred from schemas or from control operations are plain ones.
 *
 * @param schemas what each file exports, at run time
 * @param names what a schema is called whose type is written elsewhere: `{ name, file }`, or undefined
 * @param replaced declarations that replace those in a file, by name
 */
export function createReader({ schemas, names, replaced }) {
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
      else if (!writeOutControls(statement) && !writeOutList(statement)) visit(statement);
    }
    const imports = [...imported].map(([name, from]) => `import type { ${name} } from '${moduleName(file, from)}';\n`);
    return imports.join('') + apply(text, edits);

    // `export const clockOperations = {…}` is followed by `export interface ClockControls`, and the type
    // `ControlsOf<typeof controlTree>` becomes an interface.
    function writeOutControls(statement) {
      const [group, name, start] = controlsIn(statement);
      if (group === undefined) return false;
      const { bases, members } = controlsText(source, group, (type, from) =>
        imported.set(type, join(dirname(file), from.replace(/\.js$/, '.ts'))),
      );
      const base = bases.length === 0 ? '' : `extends ${bases.join(', ')} `;
      edits.push({ start, end: statement.end, text: `\nexport interface ${name} ${base}${members}` });
      return start < statement.end;
    }

    // The group, what the type of its methods is called, and from where on the text of that type replaces the statement.
    function controlsIn(statement) {
      if (ts.isTypeAliasDeclaration(statement)) {
        const [, group] = /^ControlsOf<typeof (\w+)>$/.exec(statement.type.getText()) ?? [];
        return group === undefined ? [] : [constantNamed(source, group), statement.name.text, statement.getStart()];
      }
      if (!ts.isVariableStatement(statement)) return [];
      const [{ name, type, initializer }] = statement.declarationList.declarations;
      const isGroup =
        type === undefined && /^\w+Operations$/.test(name.getText()) && ts.isObjectLiteralExpression(initializer);
      return isGroup ? [initializer, controlsName(name.getText()), statement.end] : [];
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

// `clockOperations` has the type `ClockControls`.
function controlsName(group) {
  return `${group[0].toUpperCase()}${group.slice(1).replace(/Operations$/, 'Controls')}`;
}

function moduleName(from, to) {
  const path = relative(from.slice(0, from.lastIndexOf('/')), to).replace(/\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}

function apply(text, edits) {
  const sorted = edits.toSorted((a, b) => b.start - a.start);
  return sorted.reduce((result, { start, end, text: by }) => result.slice(0, start) + by + result.slice(end), text);
}

/** The methods of a group of operations, with their comments, as members of an interface; groups in it by their own types. */
function controlsText(source, group, importType) {
  const bases = [];
  const members = group.properties.flatMap((property) => {
    if (ts.isSpreadAssignment(property)) {
      bases.push(typeOfGroup(property.expression.getText()));
      return [];
    }
    const name = property.name.getText();
    const comments = ts
      .getJSDocCommentsAndTags(property)
      .filter(ts.isJSDoc)
      .map((doc) => `${doc.getText().replace(/\n\s*\*/g, '\n *')}\n`);
    const value = unwrapped(property.initializer ?? constantNamed(source, name));
    const member = ts.isCallExpression(value)
      ? signature(name, runOf(value))
      : `${name}: ${typeOfGroup(value.getText())};`;
    return comments.join('') + member;
  });
  return { bases, members: `{\n${members.join('\n')}\n}` };

  // The type of a group of another file is imported from there.
  function typeOfGroup(name) {
    const type = controlsName(name);
    const from = source.statements
      .filter(ts.isImportDeclaration)
      .find(({ importClause }) => importClause?.namedBindings?.elements?.some((element) => element.name.text === name));
    if (from === undefined)
      throw new Error(`${source.fileName}: ${name} must be imported, for its type to be written out`);
    importType(type, from.moduleSpecifier.text);
    return type;
  }

  function runOf(call) {
    const [declaration] = call.arguments;
    const property = declaration.properties.find(({ name }) => name?.getText() === 'run');
    const run = property !== undefined && ts.isMethodDeclaration(property) ? property : property?.initializer;
    if (run === undefined)
      throw new Error(`${source.fileName}: ${call.getText().slice(0, 60)} must have its run written out`);
    return run;
  }

  // The parameters after the context are those of the method.
  function signature(name, run) {
    const where = `${source.fileName}: ${name}`;
    if (run.type === undefined) throw new Error(`${where} must say what it returns`);
    const types = run.typeParameters?.map((parameter) => parameter.getText()).join(', ');
    const parameters = run.parameters.slice(1).map((parameter, index) => {
      if (parameter.type === undefined) throw new Error(`${where} must say what its parameters are`);
      const called = ts.isIdentifier(parameter.name) ? parameter.name.text : index === 0 ? 'options' : 'more';
      const isOptional = parameter.questionToken !== undefined || parameter.initializer !== undefined;
      return `${called}${isOptional ? '?' : ''}: ${parameter.type.getText()}`;
    });
    return `${name}${types === undefined ? '' : `<${types}>`}(${parameters.join(', ')}): ${run.type.getText()};`;
  }
}

function constantNamed(source, name) {
  const found = source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations])
    .find((declaration) => declaration.name.getText() === name);
  if (found === undefined) throw new Error(`${source.fileName} has no ${name}`);
  return unwrapped(found.initializer);
}

// Without `as`, `satisfies` and parentheses.
function unwrapped(node) {
  return ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node)
    ? unwrapped(node.expression)
    : node;
}
