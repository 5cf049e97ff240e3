// Rolls declarations up: all that the entries reach into one file, from which each entry exports its own.

import ts from 'typescript';

/**
 * @param entries the source file of each entry, by its name
 * @param apart the entry that needs a package: it keeps its own types, because who uses another entry may not have that
 * @param files the source files
 * @param read the text of a source file
 * @param shared the name of the file for what several entries have
 * @returns the text of each file, by its name
 */
export function rollUp({ entries, apart, files, read, shared }) {
  const texts = new Map(files.map((file) => [declarationFile(file), declarationsOf(file, read(file))]));
  const program = programOf(texts);
  const checker = program.getTypeChecker();
  const sourceOf = (entry) => program.getSourceFile(declarationFile(entries[entry]));
  const itself = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
  const reached = new Map();
  const named = new Map();

  const common = Object.keys(entries).filter((entry) => entry !== apart);
  const exported = new Map(
    common.map((entry) => [entry, checker.getExportsOfModule(checker.getSymbolAtLocation(sourceOf(entry)))]),
  );
  const symbols = [...exported.values(), importsOf(sourceOf(apart))].flat();
  for (const symbol of symbols) reach(symbol);
  const statements = program.getSourceFiles().flatMap((file) => file.statements.filter((one) => reached.has(one)));
  const result = {
    [shared]: [...statements.map(withoutExport), exportOf(symbols, '')].join('\n'),
    [apart]: texts.get(declarationFile(entries[apart])).replace(/ from '\.[^']*'/g, ` from './${shared}.js'`),
  };
  for (const [entry, those] of exported) result[entry] = exportOf(those, ` from './${shared}.js'`);
  for (const [name, text] of Object.entries(result)) {
    const [unclear] = /^.*: any\b.*$/m.exec(text.replace(/\/\*.*?\*\//gs, '')) ?? [];
    if (unclear !== undefined) throw new Error(`${name} needs a type written out in the sources: ${unclear}`);
  }
  return result;

  // What a name stands for, and all that this names in its turn.
  function reach(symbol) {
    const { name, declarations = [] } = itself(symbol);
    for (const declaration of declarations) {
      const statement = statementOf(declaration);
      if (reached.has(statement)) continue;
      if (ts.isImportDeclaration(statement)) throw new Error(`the types would need a package: ${statement.getText()}`);
      if (named.has(name) && named.get(name) !== itself(symbol)) throw new Error(`two types are called ${name}`);
      named.set(name, itself(symbol));
      reached.set(statement);
      visit(statement);
    }
  }
  function visit(node) {
    const symbol = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined;
    if (symbol !== undefined) reach(symbol);
    ts.forEachChild(node, visit);
  }

  // What a file has from the others of the sources.
  function importsOf(source) {
    const from = source.statements.filter(({ moduleSpecifier }) => moduleSpecifier?.text.startsWith('.'));
    return from
      .flatMap(({ importClause, exportClause }) => (importClause?.namedBindings ?? exportClause).elements)
      .map(({ name }) => checker.getSymbolAtLocation(name));
  }
}

const declarationFile = (file) => file.replace(/\.ts$/, '.d.ts');

function declarationsOf(file, text) {
  const compilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    isolatedDeclarations: true,
  };
  return ts.transpileDeclaration(text, { fileName: file, compilerOptions }).outputText;
}

// Of these files alone: packages and the types of the platform stay names.
function programOf(texts) {
  const options = {
    noLib: true,
    types: [],
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    module: ts.ModuleKind.ESNext,
  };
  const host = {
    ...ts.createCompilerHost(options),
    fileExists: (file) => texts.has(file),
    directoryExists: undefined,
    readFile: (file) => texts.get(file),
    getSourceFile: (file, version) =>
      texts.has(file) ? ts.createSourceFile(file, texts.get(file), version, true) : undefined,
  };
  return ts.createProgram([...texts.keys()], options, host);
}

function statementOf(node) {
  return ts.isSourceFile(node.parent) ? node : statementOf(node.parent);
}

function withoutExport(statement) {
  const keyword = statement.modifiers?.find(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  const [start, text] = [statement.getStart(undefined, true), statement.getSourceFile().text];
  return keyword === undefined
    ? text.slice(start, statement.end)
    : text.slice(start, keyword.getStart()) + text.slice(keyword.end + 1, statement.end);
}

function exportOf(symbols, from) {
  const names = [...new Set(symbols.map(({ name }) => name))].sort();
  return `export { ${names.join(', ')} }${from};\n`;
}
