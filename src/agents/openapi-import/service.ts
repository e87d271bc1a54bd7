import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, type Issue, invalid } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { type DocumentObject, InvalidDocument, parseDocument } from '../../openapi-document.ts';
import { problemsOf } from '../actions/operations.rules.ts';
import { CreateAction } from '../actions/schema.ts';
import { assertActionLimit, lockActions, upsertActions } from '../actions/service.ts';
import { type DocumentedOperation, operationsOf } from './operations.ts';

const MAX_OPERATIONS = 500;
const MAX_PROBLEMS = 100;

/**
 * Creates an action for each operation of an OpenAPI document. An existing action with the same operation id gets the
 * document's name, description and operation; its other fields stay. Operations that cannot be called are skipped and
 * reported. Throws invalid if none can be called, and conflict for more than the maximum number of actions.
 */
export async function importActions(db: Db, orgId: string, document: string) {
  const { operations, problems } = operationsOf(readFile(document));
  if (operations.length > MAX_OPERATIONS)
    throw importError([
      { path: 'paths', message: `must have at most ${MAX_OPERATIONS} operations: import them in parts` },
    ]);
  const { actions, issues } = checkOperations(operations);
  const all = [...problems, ...issues];
  if (actions.length === 0)
    throw importError(all.length > 0 ? all : [{ path: 'paths', message: 'must have an operation at least' }]);

  const imported = await inTransaction(db, async (trx) => {
    await lockActions(trx, orgId);
    const rows = await upsertActions(
      trx,
      orgId,
      actions.map((action) => ({ ...action, id: newId() })),
    );
    assertAllImported(actions, rows);
    await assertActionLimit(trx, orgId);
    return rows;
  });
  const created = imported.filter(({ is_new }) => is_new).length;
  return {
    created,
    updated: imported.length - created,
    skipped: problems.length + operations.length - actions.length,
    actions: imported,
    problems: all.slice(0, MAX_PROBLEMS),
  };
}

/** Throws conflict if operation ids belong to actions of connections. */
function assertAllImported(actions: CreateAction[], rows: { operation_id: string }[]): void {
  const imported = new Set(rows.map(({ operation_id }) => operation_id));
  const taken = actions.find(({ operation_id = '' }) => !imported.has(operation_id));
  if (taken !== undefined)
    throw conflict(`operationId: ${taken.operation_id} is an action of a connection: choose another one`);
}

/** Parses the file. Throws invalid with its problem. */
function readFile(text: string): DocumentObject {
  try {
    return parseDocument(text);
  } catch (error) {
    if (!(error instanceof InvalidDocument)) throw error;
    throw invalid(`The file ${error.message}`, [{ path: 'body.file', message: error.message }]);
  }
}

/** Returns the actions to import, and the issues of the others. */
function checkOperations(operations: DocumentedOperation[]): { actions: CreateAction[]; issues: Issue[] } {
  const actions = new Map<string, CreateAction>();
  const issues: Issue[] = [];
  for (const { path, action } of operations) {
    const { success, data, error } = CreateAction.safeParse(action);
    const found = success
      ? problemsOf(data)
      : error.issues.map((one) => ({ path: one.path.join('.'), message: one.message }));
    const id = data?.operation_id ?? '';
    if (actions.has(id)) found.push({ path: 'operationId', message: `${id} stands twice in the document` });
    if (found.length === 0 && success) actions.set(id, data);
    issues.push(...found.map((issue) => ({ path: `${path}.${documentPathOf(issue.path)}`, message: issue.message })));
  }
  return { actions: [...actions.values()], issues };
}

/** Returns the place of an action's field in an operation of a document. */
function documentPathOf(path: string): string {
  if (path === 'api_endpoint') return 'servers';
  return path === 'operation_id' ? 'operationId' : path.replace(/^payload\./, '');
}

function importError(problems: Issue[]) {
  const issues = problems.slice(0, MAX_PROBLEMS).map(({ path, message }) => ({ path: `body.file.${path}`, message }));
  const summary = problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return invalid(`The document cannot be imported: ${summary.slice(0, 500)}`, issues);
}
