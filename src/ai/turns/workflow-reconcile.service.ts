import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { SessionRef } from './contract.ts';

/** Returns sessions of all orgs with a turn that has not ended, behind a session, in a fixed order. */
export async function listSessionsInTurn(db: Db, after: SessionRef | undefined, limit: number): Promise<SessionRef[]> {
  const { rows } = await sql<SessionRef>`
    select org_id as "orgId", session_id as "sessionId" from ai_turns
    where ended_at is null
      and ${after === undefined ? sql`true` : sql`(org_id, session_id) > (${after.orgId}::uuid, ${after.sessionId}::uuid)`}
    order by org_id, session_id limit ${limit}
  `.execute(db);
  return rows;
}
