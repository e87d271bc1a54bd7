import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { SessionRef, SessionRun } from '../contract.ts';
import type { TicketStage } from './table.ts';

/** Records which stage the tickets of these sessions are to be moved to. It is due until deleteDueStage. */
export async function insertDueStages(
  trx: Trx,
  orgId: string,
  sessionIds: string[],
  stage: TicketStage,
): Promise<void> {
  if (sessionIds.length === 0) return;
  await sql`
    insert into crm_due_stages (org_id, session_id, stage)
    select ${orgId}, session_id, ${stage} from unnest(${sessionIds}::uuid[]) as session (session_id) order by session_id
    on conflict (org_id, session_id) do update set stage = excluded.stage, due_since = clock_timestamp()
  `.execute(trx);
}

/** Returns since when the ticket of a session is to be moved to a stage. */
export const findDueSince = async (
  db: Db,
  { orgId, sessionId }: SessionRef,
  stage: TicketStage,
): Promise<Date | undefined> =>
  (
    await db
      .selectFrom('crm_due_stages')
      .select('due_since')
      .where('org_id', '=', orgId)
      .where('session_id', '=', sessionId)
      .where('stage', '=', stage)
      .executeTakeFirst()
  )?.due_since;

/** Records that the ticket of a session need not be moved any more, unless it became due again after `since`. */
export async function deleteDueStage(
  db: Db,
  { orgId, sessionId }: SessionRef,
  { stage, since }: { stage: TicketStage; since: Date },
): Promise<void> {
  await db
    .deleteFrom('crm_due_stages')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('stage', '=', stage)
    .where('due_since', '=', since)
    .execute();
}

/** Returns the sessions of an org whose tickets are to be moved to a stage, each with its number of resolutions. */
export async function listDueStagesOf(db: Db, orgId: string, stage: TicketStage, limit: number): Promise<SessionRun[]> {
  const { rows } = await sql<SessionRun>`
    select due.org_id as "orgId", due.session_id as "sessionId", session.resolutions as n
    from crm_due_stages as due join sessions as session on session.org_id = due.org_id and session.id = due.session_id
    where due.org_id = ${orgId} and due.stage = ${stage}
    order by due.session_id limit ${limit}
  `.execute(db);
  return rows;
}

/**
 * Returns the sessions of all orgs whose tickets are to be moved to a stage, behind a session, in a fixed order, each with
 * its number of resolutions.
 */
export async function listDueStages(
  db: Db,
  stage: TicketStage,
  after: SessionRef | undefined,
  limit: number,
): Promise<SessionRun[]> {
  const isBehind =
    after === undefined
      ? sql`true`
      : sql`(due.org_id, due.session_id) > (${after.orgId}::uuid, ${after.sessionId}::uuid)`;
  const { rows } = await sql<SessionRun>`
    select due.org_id as "orgId", due.session_id as "sessionId", session.resolutions as n
    from crm_due_stages as due join sessions as session on session.org_id = due.org_id and session.id = due.session_id
    where due.stage = ${stage} and ${isBehind}
    order by due.org_id, due.session_id limit ${limit}
  `.execute(db);
  return rows;
}
