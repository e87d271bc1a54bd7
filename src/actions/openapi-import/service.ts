import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { InvalidDocument } from '../../documents/openapi.ts';
import type { DocumentFormat, DocumentReader } from '../../documents/reader.ts';
import { alreadyExists, type Issue, invalid } from '../../errors.ts';
import { newId } from '../../ids.ts';
import type { CreateAction } from '../definitions/schema.ts';
import { assertActionLimit, findIdOfOperation, lockActions, upsertActions } from '../definitions/service.ts';
import { type ImportedDocument, readActions } from './document.ts';

const FORMAT: DocumentFormat<ImportedDocument> = {
  module: new URL('./document.ts', import.meta.url),
  name: 'readActions' satisfies keyof typeof import('./document.ts'),
  read: readActions,
};

/**
 * Creates an action for each operation of an OpenAPI document. An existing action with the same operation id gets the
 * document's name, description and operation; its other fields stay. Operations that cannot be called are skipped and
 * reported. Throws invalid if none can be called, already_exists for an operation id in use, and conflict for more than the
 * maximum number of actions.
 */
export async function importActions(db: Db, documents: DocumentReader, orgId: string, document: string) {
  const { actions, skipped, problems } = await readFile(documents, orgId, document);
  if (actions.length === 0)
    throw importError(problems.length > 0 ? problems : [{ path: 'paths', message: 'must have an operation at least' }]);

  const imported = await inTransaction(db, async (trx) => {
    await lockActions(trx, orgId);
    const rows = await upsertActions(
      trx,
      orgId,
      actions.map((action) => ({ ...action, id: newId() })),
    );
    await assertAllImported(trx, orgId, { actions, rows });
    await assertActionLimit(trx, orgId);
    return rows;
  });
  const created = imported.filter(({ is_new }) => is_new).length;
  return { created, updated: imported.length - created, skipped, actions: imported, problems };
}

/** Throws already_exists if an operation id belongs to an action of a connection. */
async function assertAllImported(
  trx: Trx,
  orgId: string,
  { actions, rows }: { actions: CreateAction[]; rows: { operation_id: string }[] },
): Promise<void> {
  const imported = new Set(rows.map(({ operation_id }) => operation_id));
  const taken = actions.find(({ operation_id = '' }) => !imported.has(operation_id))?.operation_id;
  if (taken === undefined) return;
  const id = await findIdOfOperation(trx, orgId, taken);
  const message = `operationId: ${taken} is an action of a connection: choose another one`;
  throw alreadyExists(message, { type: 'action', id, field: 'operation_id' });
}

/** Reads the file. Throws invalid with its problem. */
async function readFile(documents: DocumentReader, orgId: string, text: string): Promise<ImportedDocument> {
  try {
    return await documents.read(orgId, FORMAT, text);
  } catch (error) {
    if (!(error instanceof InvalidDocument)) throw error;
    throw invalid(`The file ${error.message}`, [{ path: 'body.file', message: error.message }]);
  }
}

function importError(problems: Issue[]) {
  const issues = problems.map(({ path, message }) => ({ path: `body.file.${path}`, message }));
  const summary = problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return invalid(`The document cannot be imported: ${summary.slice(0, 500)}`, issues);
}
