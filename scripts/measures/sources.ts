import { glob, readFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import ts from 'typescript';

const MIGRATIONS = 'src/db/migrations/';

/** A file of the product, parsed. */
export interface Source {
  /** From the root of the repository. */
  path: string;
  tree: ts.SourceFile;
  lines: number;
}

export const folderOf = ({ path }: Pick<Source, 'path'>): string => dirname(path);

/** Parses all files of the product but migrations, which never change. */
export async function readSources(): Promise<Source[]> {
  const paths: string[] = [];
  for await (const path of glob('{src,workflows,activities,worker}/**/*.ts')) paths.push(path);
  return Promise.all(
    paths
      .toSorted()
      .filter((path) => !path.startsWith(MIGRATIONS))
      .map(async (path) => sourceOf(path, await readFile(path, 'utf8'))),
  );
}

export function sourceOf(path: string, text: string): Source {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  return { path, tree, lines: text.trimEnd().split('\n').length };
}

/** Returns the files that a file imports from or exports again, types included. */
export function importsOf({ path, tree }: Source): string[] {
  return tree.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const target = targetOf(path, statement.moduleSpecifier);
    return target === undefined ? [] : [target];
  });
}

/** Returns the path of an imported file of the product. */
export function targetOf(path: string, specifier: ts.Expression | undefined): string | undefined {
  if (specifier === undefined || !ts.isStringLiteral(specifier) || !specifier.text.startsWith('.')) return undefined;
  return relative('.', resolve(dirname(path), specifier.text));
}

/** Calls `visit` for a node and all within it, in their order. */
export function walkNodes(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walkNodes(child, visit));
}
