import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import { deleteSome } from '../../db/deletion.ts';
import { newId } from '../../ids.ts';
import type { OperatorActionsTable } from './table.ts';

export type NewAction = Omit<OperatorActionsTable, 'id' | 'created_at'>;

export const insertAction = (db: Db, action: NewAction) =>
  db
    .insertInto('operator_actions')
    .values({ id: newId(), ...action })
    .execute();

export const listActions = (db: Db, page: PageRequest) =>
  db.selectFrom('operator_actions').selectAll().$call(orderedByCreation(page)).execute();

/** Deletes some acts that are older than this. Returns their number: 0 once none are left. */
export const deleteOldActions = (db: Db, days: number): Promise<number> =>
  deleteSome(db, 'operator_actions', sql`created_at < now() - ${days} * interval '1 day'`);
