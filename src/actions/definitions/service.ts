import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { alreadyExists, conflict, invalid, notFound, refused } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { problemOfLogic } from '../../json-logic/json-logic.ts';
import { operationIdOf } from './operation-ids.rules.ts';
import { type Operation, problemsOf } from './operations.rules.ts';
import {
  type ActionRow,
  countActions,
  deleteAction,
  findAction,
  findIdOfOperation,
  insertAction,
  listActions,
  listActionsById,
  listOperationIds,
  lockAction,
  lockActions,
  updateAction,
} from './queries.ts';
import type { CreateAction, UpdateAction } from './schema.ts';

export {
  deleteActions,
  findIdOfOperation,
  listActionAddresses,
  listDescriptions,
  listKnownActions,
  listOperationIds,
  lockActions,
  upsertActions,
} from './queries.ts';

const MAX_ACTIONS = 500;

/**
 * Creates an action. Throws invalid for an operation that cannot be called, already_exists for a taken operation id, and
 * conflict for one action too many.
 */
export async function createAction(db: Db, orgId: string, action: CreateAction) {
  assertCallable(action);
  assertLogic(action.limits);
  return inTransaction(db, async (trx) => {
    await lockActions(trx, orgId);
    const operation_id = action.operation_id ?? (await findFreeOperationId(trx, orgId, action.name));
    const row = await insertAction(trx, orgId, newId(), { ...action, operation_id });
    if (row === undefined) throw operationIdTaken(await findIdOfOperation(trx, orgId, operation_id), operation_id);
    await assertActionLimit(trx, orgId);
    return toAnswer(row);
  });
}

/** Updates the given fields only. Throws notFound, and the same errors as createAction. */
export function changeAction(db: Db, orgId: string, id: string, changes: UpdateAction) {
  return inTransaction(db, async (trx) => {
    await lockActions(trx, orgId);
    const before = await lockAction(trx, orgId, id);
    if (before === undefined) throw notFound('action');
    if (before.connection_name !== null) assertOwnFields(before.connection_name, changes);
    assertCallable({ ...before, ...changes });
    assertLogic(changes.limits);
    const { operation_id } = changes;
    if (operation_id !== undefined) await assertOperationIdFree(trx, orgId, operation_id, id);
    return toAnswer(await updateAction(trx, orgId, id, changes));
  });
}

/** Deletes an action: workflows and phone agents naming it can no longer call it. Throws notFound. */
export async function removeAction(db: Db, orgId: string, id: string): Promise<void> {
  if (!(await deleteAction(db, orgId, id))) throw notFound('action');
}

export async function getAction(db: Db, orgId: string, id: string) {
  const row = await findAction(db, orgId, id);
  if (row === undefined) throw notFound('action');
  return toAnswer(row);
}

/** Returns all actions of the org, oldest first. */
export const readActions = async (db: Db, orgId: string) => (await listActions(db, orgId)).map(toAnswer);

/** Returns the actions with these ids, oldest first. */
export const readActionsById = async (db: Db, orgId: string, ids: string[]) =>
  ids.length === 0 ? [] : (await listActionsById(db, orgId, ids)).map(toAnswer);

/** An action of an org. */
export type StoredAction = Awaited<ReturnType<typeof getAction>>;

/** Throws conflict if the org has more than the maximum number of actions. */
export async function assertActionLimit(trx: Trx, orgId: string): Promise<void> {
  if ((await countActions(trx, orgId)) > MAX_ACTIONS)
    throw conflict(`An org has at most ${MAX_ACTIONS} actions: delete some that are not in use`);
}

function assertCallable(operation: Operation): void {
  const issues = problemsOf(operation).map(({ path, message }) => ({ path: `body.${path}`, message }));
  if (issues.length === 0) return;
  const summary = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
  throw invalid(`The request is not valid: ${summary.slice(0, 500)}`, issues);
}

/** Throws invalid for a change of what is called: it would send the connection's keys to another address. */
function assertOwnFields(connection: string, changes: UpdateAction): void {
  const field = (['api_endpoint', 'request_type', 'operation_id', 'payload'] as const).find((name) => name in changes);
  if (field !== undefined) throw refused(field, `comes from the connection "${connection}" and changes with it alone`);
}

function assertLogic(limits: unknown): void {
  const problem = problemOfLogic(limits);
  if (problem !== undefined) throw refused('limits', problem);
}

async function findFreeOperationId(trx: Trx, orgId: string, name: string): Promise<string> {
  const wanted = operationIdOf(name);
  const taken = new Set(await listOperationIds(trx, orgId, wanted));
  for (let n = 1; ; n++) {
    const operationId = n === 1 ? wanted : `${wanted}_${n}`;
    if (!taken.has(operationId)) return operationId;
  }
}

/** Throws already_exists if another action has the operation id. The org's actions are locked. */
async function assertOperationIdFree(trx: Trx, orgId: string, operationId: string, id: string): Promise<void> {
  const owner = await findIdOfOperation(trx, orgId, operationId);
  if (owner !== undefined && owner !== id) throw operationIdTaken(owner, operationId);
}

/** Returns an error that names the action with the operation id. */
function operationIdTaken(id: string | undefined, operationId: string) {
  const message = `operation_id: another action has ${operationId}: choose another one`;
  return alreadyExists(message, { type: 'action', id, field: 'operation_id' });
}

const toAnswer = ({ channels, connection_kind: kind, connection_name: name, ...row }: ActionRow) => ({
  ...row,
  enabled_on_channel: { channels },
  connection: kind === null || name === null ? null : { kind, name },
});
