import ts from 'typescript';
import type { CallGraph } from './calls.ts';
import type { NamedFunction } from './functions.ts';
import type { Source } from './sources.ts';

/**
 * Returns the exported functions that only call one other function of the product, with their own parameters and no more
 * of them.
 */
export const forwardersOf = (functions: NamedFunction[], { callsOf }: CallGraph): NamedFunction[] =>
  functions.filter((one) => one.isExported && isForwarder(one) && callsOf(one).length > 0);

function isForwarder({ node }: NamedFunction): boolean {
  const call = onlyCallOf(node);
  if (call === undefined || !ts.isIdentifier(call.expression)) return false;
  const names = new Set(node.parameters.map(({ name }) => name.getText()));
  const given = call.arguments.map((argument) => (ts.isSpreadElement(argument) ? argument.expression : argument));
  return given.length <= names.size && given.every((argument) => names.has(argument.getText()));
}

/** Returns the call that is the whole of a function. */
function onlyCallOf({ body }: NamedFunction['node']): ts.CallExpression | undefined {
  if (body === undefined) return undefined;
  if (!ts.isBlock(body)) return callIn(body);
  const [statement, ...others] = body.statements;
  if (statement === undefined || others.length > 0) return undefined;
  if (!ts.isReturnStatement(statement) && !ts.isExpressionStatement(statement)) return undefined;
  return statement.expression && callIn(statement.expression);
}

function callIn(expression: ts.Expression): ts.CallExpression | undefined {
  const inner =
    ts.isAwaitExpression(expression) || ts.isVoidExpression(expression) || ts.isParenthesizedExpression(expression)
      ? expression.expression
      : expression;
  return ts.isCallExpression(inner) ? inner : undefined;
}

/** Returns the files that have nothing of their own: they only export what others have. */
export const reexportingFilesOf = (sources: Source[]): Source[] =>
  sources.filter(
    ({ tree }) =>
      tree.statements.some(ts.isExportDeclaration) &&
      tree.statements.every((one) => ts.isExportDeclaration(one) || ts.isImportDeclaration(one)),
  );
