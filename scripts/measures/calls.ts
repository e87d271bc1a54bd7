import ts from 'typescript';
import type { NamedFunction } from './functions.ts';
import { type Source, targetOf } from './sources.ts';

/** The functions at the top of files, and which of them each one calls. */
export interface CallGraph {
  /** Returns the function of a name in a domain of src. Throws if there is none, or more than one. */
  find(domain: string, name: string): NamedFunction;
  /** Returns the functions that one calls, or passes on, in the order of its source. Calls through parameters are not seen. */
  callsOf(one: NamedFunction): NamedFunction[];
}

export function callGraphOf(sources: Source[], functions: NamedFunction[]): CallGraph {
  const files = new Map(sources.map((source) => [source.path, source]));
  const tops = functions.filter(({ isTop }) => isTop);
  const byName = new Map(tops.map((one) => [`${one.source.path}#${one.name}`, one]));
  const resolve = (path: string, name: string): NamedFunction | undefined =>
    byName.get(`${path}#${name}`) ?? resolveExport(path, name);
  const resolveExport = (path: string, name: string) => {
    const origin = originOf(files.get(path), name);
    return origin === undefined ? undefined : resolve(origin.path, origin.name);
  };
  return {
    find(domain, name) {
      const [found, ...others] = tops.filter(
        (one) => one.name === name && one.source.path.startsWith(`src/${domain}/`),
      );
      if (found === undefined || others.length > 0)
        throw new Error(
          `src/${domain} has ${others.length + (found ? 1 : 0)} functions ${name}: correct scripts/measures/walks.ts`,
        );
      return found;
    },
    callsOf: (one) =>
      namesCalledIn(one.body).flatMap((name) => {
        const called = resolve(one.source.path, name);
        return called === undefined ? [] : [called];
      }),
  };
}

/** Returns where a name comes from that a file imports, or exports again. */
function originOf(source: Source | undefined, name: string): { path: string; name: string } | undefined {
  for (const statement of source?.tree.statements ?? []) {
    const elements = namedElementsOf(statement);
    const element = elements?.find((one) => one.name.text === name);
    if (source === undefined || element === undefined) continue;
    const path = targetOf(source.path, (statement as ts.ImportDeclaration).moduleSpecifier);
    if (path !== undefined) return { path, name: (element.propertyName ?? element.name).text };
  }
  return undefined;
}

function namedElementsOf(statement: ts.Statement): readonly (ts.ImportSpecifier | ts.ExportSpecifier)[] | undefined {
  if (ts.isImportDeclaration(statement)) {
    const bindings = statement.importClause?.namedBindings;
    return bindings && ts.isNamedImports(bindings) ? bindings.elements : undefined;
  }
  if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier === undefined) return undefined;
  const { exportClause } = statement;
  return exportClause && ts.isNamedExports(exportClause) ? exportClause.elements : undefined;
}

/** Returns the names of the functions that are called, or passed to a call. What a call needs is evaluated before it. */
function namesCalledIn(body: ts.Node): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    if (!ts.isCallExpression(node)) return;
    for (const part of [node.expression, ...node.arguments]) if (ts.isIdentifier(part)) names.push(part.text);
  };
  visit(body);
  return names;
}
