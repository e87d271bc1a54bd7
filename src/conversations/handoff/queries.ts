import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { Handoff } from '../table.ts';

/** Lists the handed-off sessions among these, each with the number and the state of its handoff. */
export const listHandoffs = (db: Db, orgId: string, ids: string[]) =>
  db
    .selectFrom('sessions')
    .select(['id', 'handoffs as n', sql<Handoff['state']>`handoff->>'state'`.as('state')])
    .where('org_id', '=', orgId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('handoff', 'is not', null)
    .execute();
