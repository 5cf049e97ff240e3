// Rolls declarations up: for each entry one file, and one for what several entries share. What nothing reaches is left out.

import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

/**
 * @param entries the source file of each entry, by its name
 * @param read the text of a source file
 * @param packages which packages the declarations of an entry may import
 * @param shared the name of the file for what several entries have
 * @returns the text of each file, by its name
 */
export function rollUp({ entries, read, packages, shared, root }) {
  const modules = new Map();
  const declared = new Map(); // by "file#name"
  const exported = Object.entries(entries).map(([entry, file]) => {
    const names = exportsOf(moduleOf(file));
    for (const { key } of names) reach(key, entry);
    return { entry, names };
  });
  const nameIn = chooseNames();
  return Object.fromEntries([
    ...exported.map(({ entry, names }) => [entry, entryText(entry, names)]),
    [shared, sharedText()],
  ]);

  function moduleOf(file) {
    const known = modules.get(file);
    if (known !== undefined) return known;
    const { outputText, diagnostics } = ts.transpileDeclaration(read(file), {
      fileName: file,
      reportDiagnostics: true,
      compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext, isolatedDeclarations: true },
    });
    const source = ts.createSourceFile(file.replace(/\.ts$/, '.d.ts'), outputText, ts.ScriptTarget.Latest, true);
    const module = { file, source, imports: new Map(), declarations: new Map(), exports: new Map(), globals: [] };
    modules.set(file, module);
    for (const statement of source.statements) readStatement(module, statement);
    module.unclear = diagnostics.map(({ file: at, start }) => nameAt(at, start));
    return module;
  }

  function readStatement(module, statement) {
    const { file, imports, declarations, exports } = module;
    const from = statement.moduleSpecifier?.text;
    const target = from?.startsWith('.') ? join(dirname(file), from.replace(/\.js$/, '.ts')) : from;
    if (ts.isImportDeclaration(statement)) {
      const bindings = statement.importClause?.namedBindings;
      if (bindings !== undefined && ts.isNamedImports(bindings))
        for (const { name, propertyName } of bindings.elements)
          imports.set(name.text, { from: target, name: (propertyName ?? name).text });
      else if (bindings !== undefined) imports.set(bindings.name.text, { from: target, name: '*' });
      else if (statement.importClause?.name)
        imports.set(statement.importClause.name.text, { from: target, name: 'default' });
    } else if (ts.isExportDeclaration(statement)) {
      if (statement.exportClause === undefined) return;
      for (const { name, propertyName } of statement.exportClause.elements) {
        const local = (propertyName ?? name).text;
        exports.set(name.text, target === undefined ? { local } : { from: target, name: local });
      }
    } else if (ts.isModuleDeclaration(statement) && statement.name.text === 'global') {
      module.globals.push(`${file}#global`);
      declarations.set('global', [statement]);
    } else {
      const names = ts.isVariableStatement(statement)
        ? statement.declarationList.declarations.map(({ name }) => name.text)
        : [statement.name?.text].filter((name) => name !== undefined);
      for (const name of names) {
        declarations.set(name, [...(declarations.get(name) ?? []), statement]);
        if (statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
          exports.set(name, { local: name });
      }
    }
  }

  function exportsOf(module) {
    return [...module.exports].map(([name, { local, from, name: theirs }]) => ({
      name,
      key: local === undefined ? resolve(from, theirs) : resolveLocal(module, local),
    }));
  }

  /** The place where a name that a file exports is declared. */
  function resolve(file, name) {
    if (!file.startsWith('/')) return `${file}#${name}`;
    const module = moduleOf(file);
    const found = module.exports.get(name);
    if (found === undefined) throw new Error(`${relative(root, file)} exports no ${name}`);
    return found.local === undefined ? resolve(found.from, found.name) : resolveLocal(module, found.local);
  }

  function resolveLocal(module, name) {
    if (module.declarations.has(name)) return `${module.file}#${name}`;
    const found = module.imports.get(name);
    return found === undefined ? undefined : resolve(found.from, found.name);
  }

  function reach(key, entry, way = []) {
    const known = declared.get(key);
    if (known?.entries.has(entry)) return;
    if (known !== undefined) known.entries.add(entry);
    const [file, name] = key.split('#');
    const here = [...way, name];
    if (!file.startsWith('/')) {
      if (!packages[entry]?.includes(file))
        throw new Error(`the types of ${entry} would need those of ${file}: ${here.join(' -> ')}`);
      declared.set(key, known ?? { package: file, name, entries: new Set([entry]), references: [] });
      return;
    }
    const module = moduleOf(file);
    const entryOf = known ?? { module, name, entries: new Set([entry]), references: [] };
    declared.set(key, entryOf);
    if (known === undefined) {
      if (module.unclear.includes(name))
        throw new Error(
          `the types of ${entry} need that of ${name} in ${relative(root, file)} written out: ${here.join(' -> ')}`,
        );
      for (const statement of module.declarations.get(name)) collect(statement, entryOf);
      for (const key of module.globals) entryOf.references.push({ start: -1, end: -1, key });
    }
    for (const reference of entryOf.references) if (reference.key !== undefined) reach(reference.key, entry, here);
  }

  // Every identifier that names a declaration of the file, or something imported.
  function collect(statement, { module, references }) {
    const own = new Set();
    visit(statement);

    function visit(node) {
      for (const parameter of node.typeParameters ?? []) own.add(parameter.name.text);
      if (ts.isInferTypeNode(node)) own.add(node.typeParameter.name.text);
      if (ts.isMappedTypeNode(node)) own.add(node.typeParameter.name.text);
      const name = namedBy(node);
      if (name !== undefined && !own.has(name.text)) {
        const key = resolveLocal(module, name.text);
        references.push({ start: name.getStart(), end: name.end, key, text: name.text });
      }
      ts.forEachChild(node, visit);
    }
  }

  function namedBy(node) {
    const name = ts.isTypeReferenceNode(node)
      ? node.typeName
      : ts.isTypeQueryNode(node)
        ? node.exprName
        : ts.isExpressionWithTypeArguments(node) || ts.isComputedPropertyName(node)
          ? node.expression
          : undefined;
    return name === undefined ? undefined : leftmost(name);
  }

  function leftmost(name) {
    if (ts.isIdentifier(name)) return name;
    if (ts.isQualifiedName(name)) return leftmost(name.left);
    return ts.isPropertyAccessExpression(name) ? leftmost(name.expression) : undefined;
  }

  // A name may refer to one declaration only, and must not hide a global of the same name that is used.
  function chooseNames() {
    const everywhere = new Set(
      [...declared.values()].flatMap(({ references }) =>
        references.filter(({ key }) => key === undefined).map(({ text }) => text),
      ),
    );
    const chosen = new Map();
    const taken = new Set(everywhere);
    const wanted = new Map(exported.flatMap(({ names }) => names.map(({ key, name }) => [key, name])));
    const order = [...declared].toSorted(([a], [b]) => Number(wanted.has(b)) - Number(wanted.has(a)));
    for (const [key, { name }] of order) {
      const base = wanted.get(key) ?? name;
      let free = base;
      for (let number = 2; taken.has(free); number++) free = `${base}${number}`;
      taken.add(free);
      chosen.set(key, free);
    }
    return (key) => chosen.get(key);
  }

  function isShared({ entries: used }) {
    return used.size > 1;
  }

  function textOf(keys, isExported) {
    return keys
      .flatMap((key) => {
        const { module, name, references } = declared.get(key);
        return module.declarations.get(name).map((statement) => {
          const edits = references
            .filter(({ start, end }) => start >= statement.pos && end <= statement.end)
            .filter((reference) => reference.key !== undefined)
            .map(({ start, end, key: to }) => ({ start, end, text: nameIn(to) }));
          if (statement.name !== undefined && name !== 'global' && !ts.isVariableStatement(statement))
            edits.push({ start: statement.name.getStart(), end: statement.name.end, text: nameIn(key) });
          const from = startOf(statement);
          const text = edits
            .toSorted((a, b) => b.start - a.start)
            .reduce(
              (result, edit) => result.slice(0, edit.start - from) + edit.text + result.slice(edit.end - from),
              statement.getSourceFile().text.slice(from, statement.end),
            );
          return withHead(text, statement, isExported && name !== 'global');
        });
      })
      .join('\n');
  }

  // With its comment, but not with those of the file.
  function startOf(statement) {
    return ts.getJSDocCommentsAndTags(statement).filter(ts.isJSDoc)[0]?.getStart() ?? statement.getStart();
  }

  function withHead(text, statement, isExported) {
    const head = statement.getStart() - startOf(statement);
    const comment = text.slice(0, head);
    const code = text
      .slice(head)
      .replace(/^export /, '')
      .replace(/^declare /, '');
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
    return `${comment}${isExported ? 'export ' : ''}${isType ? '' : 'declare '}${code}`;
  }

  function sharedText() {
    const keys = [...declared].filter(([, one]) => one.module !== undefined && isShared(one)).map(([key]) => key);
    const foreign = [...declared].filter(([, one]) => one.package !== undefined && isShared(one));
    if (foreign.length > 0)
      throw new Error(`several entries need types of a package: ${foreign.map(([key]) => key).join(', ')}`);
    return `${textOf(keys, true)}\nexport {};\n`;
  }

  function entryText(entry, names) {
    const mine = [...declared].filter(([, one]) => one.entries.has(entry));
    const keys = mine.filter(([, one]) => one.module !== undefined && !isShared(one)).map(([key]) => key);
    const foreign = mine.filter(([, one]) => one.package !== undefined);
    const imports = groupBy(foreign);
    const needed = new Set(
      keys
        .flatMap((key) => declared.get(key).references.map((reference) => reference.key))
        .filter((key) => key !== undefined && declared.get(key).module !== undefined && isShared(declared.get(key))),
    );
    const list = (key, as) => (nameIn(key) === as ? as : `${nameIn(key)} as ${as}`);
    const lines = [
      ...imports.map(
        ([from, those]) =>
          `import { ${those.map(([key, { name }]) => (name === nameIn(key) ? name : `${name} as ${nameIn(key)}`)).join(', ')} } from '${from}';`,
      ),
      ...(needed.size === 0
        ? []
        : [`import { ${[...needed].map((key) => nameIn(key)).join(', ')} } from './${shared}.js';`]),
    ];
    const isFar = ({ key }) => declared.get(key).module !== undefined && isShared(declared.get(key));
    const far = names.filter(isFar);
    const near = names.filter((name) => !isFar(name));
    const exportsLine = (those, from) =>
      those.length === 0 ? [] : [`export { ${those.map(({ key, name }) => list(key, name)).join(', ')} }${from};`];
    return [
      ...lines,
      textOf(keys, false),
      ...exportsLine(far, ` from './${shared}.js'`),
      ...exportsLine(near, ''),
      '',
    ].join('\n');
  }

  function groupBy(foreign) {
    const groups = new Map();
    for (const one of foreign) groups.set(one[1].package, [...(groups.get(one[1].package) ?? []), one]);
    return [...groups];
  }
}

function nameAt(source, start) {
  const statement = source?.statements.find(({ pos, end }) => pos <= start && start < end);
  if (statement === undefined) return undefined;
  return ts.isVariableStatement(statement) ? statement.declarationList.declarations[0].name.text : statement.name?.text;
}
