import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { InvalidDocument } from '../../documents/openapi.ts';
import type { DocumentFormat, DocumentReader } from '../../documents/reader.ts';
import { conflict, type Issue, invalid } from '../../errors.ts';
import { newId } from '../../ids.ts';
import type { CreateAction } from '../definitions/schema.ts';
import { assertActionLimit, lockActions, upsertActions } from '../definitions/service.ts';
import { type ImportedDocument, readActions } from './document.ts';

const FORMAT: DocumentFormat<ImportedDocument> = {
  module: new URL('./document.ts', import.meta.url),
  name: 'readActions' satisfies keyof typeof import('./document.ts'),
  read: readActions,
};

/**
 * Creates an action for each operation of an OpenAPI document. An existing action with the same operation id gets the
 * document's name, description and operation; its other fields stay. Operations that cannot be called are skipped and
 * reported. Throws invalid if none can be called, and conflict for more than the maximum number of actions.
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
    assertAllImported(actions, rows);
    await assertActionLimit(trx, orgId);
    return rows;
  });
  const created = imported.filter(({ is_new }) => is_new).length;
  return { created, updated: imported.length - created, skipped, actions: imported, problems };
}

/** Throws conflict if operation ids belong to actions of connections. */
function assertAllImported(actions: CreateAction[], rows: { operation_id: string }[]): void {
  const imported = new Set(rows.map(({ operation_id }) => operation_id));
  const taken = actions.find(({ operation_id = '' }) => !imported.has(operation_id));
  if (taken !== undefined)
    throw conflict(`operationId: ${taken.operation_id} is an action of a connection: choose another one`);
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
