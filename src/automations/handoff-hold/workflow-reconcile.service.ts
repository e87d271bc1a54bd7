import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { wakeHandoffHold } from '../runs/finish-run.service.ts';
import type { HandoffHoldRef } from './contract.ts';

/** Returns held handoffs of all orgs, behind a hold, in a fixed order. */
export async function listHeldHandoffs(
  db: Db,
  after: HandoffHoldRef | undefined,
  limit: number,
): Promise<HandoffHoldRef[]> {
  const { rows } = await sql<HandoffHoldRef>`
    select org_id as "orgId", session_id as "sessionId", id as "holdId" from automation_gates
    where ${after === undefined ? sql`true` : sql`(org_id, id) > (${after.orgId}::uuid, ${after.holdId}::uuid)`}
    order by org_id, id limit ${limit}
  `.execute(db);
  return rows;
}

/** Returns the command to look at a held handoff again. */
export const wakeHold = ({ orgId, sessionId, holdId }: HandoffHoldRef) => wakeHandoffHold(orgId, sessionId, holdId);
