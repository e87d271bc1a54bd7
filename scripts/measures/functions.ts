import ts from 'typescript';
import { type Source, walkNodes } from './sources.ts';

type FunctionNode = ts.FunctionDeclaration | ts.MethodDeclaration | ts.ArrowFunction | ts.FunctionExpression;

/** A function with a name: a declaration, a method, or an arrow function that a constant holds. */
export interface NamedFunction {
  name: string;
  source: Source;
  node: FunctionNode;
  body: ts.Node;
  lines: number;
  isExported: boolean;
  /** Whether it is at the top of its file, where others can refer to it. */
  isTop: boolean;
}

export const namedFunctionsOf = (sources: Source[]): NamedFunction[] => sources.flatMap(functionsOf);

function functionsOf(source: Source): NamedFunction[] {
  const found: NamedFunction[] = [];
  walkNodes(source.tree, (node) => {
    const named = namedFunctionAt(node);
    if (named === undefined) return;
    const { statement, name, node: own } = named;
    if (own.body === undefined) return;
    const start = source.tree.getLineAndCharacterOfPosition(statement.getStart()).line;
    const end = source.tree.getLineAndCharacterOfPosition(statement.end).line;
    const isTop = statement.parent === source.tree;
    found.push({
      name,
      source,
      node: own,
      body: own.body,
      lines: end - start + 1,
      isExported: isTop && isExported(statement),
      isTop,
    });
  });
  return found;
}

function namedFunctionAt(node: ts.Node): { statement: ts.Node; name: string; node: FunctionNode } | undefined {
  if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) && node.name !== undefined)
    return { statement: node, name: node.name.getText(), node };
  if (!ts.isVariableDeclaration(node) || node.initializer === undefined) return undefined;
  const { initializer } = node;
  if (!ts.isArrowFunction(initializer) && !ts.isFunctionExpression(initializer)) return undefined;
  return { statement: node.parent.parent, name: node.name.getText(), node: initializer };
}

const isExported = (statement: ts.Node): boolean =>
  ts.canHaveModifiers(statement) &&
  ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;

/** Counts casts: `as X` other than `as const`, and `<X>value`. */
export function countCasts(sources: Source[]): number {
  let casts = 0;
  for (const { tree } of sources)
    walkNodes(tree, (node) => {
      if (ts.isTypeAssertionExpression(node) || (ts.isAsExpression(node) && !ts.isConstTypeReference(node.type)))
        casts += 1;
    });
  return casts;
}
