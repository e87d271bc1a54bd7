import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { SessionRun } from '../contract.ts';

/** SQL: whether the handoff of `session` has parts. */
export const HAS_PARTS = sql`jsonb_array_length(coalesce(session.handoff->'parts', '[]')) > 0`;
/**
 * SQL: whether `session` is handed off now, and not in an external system: such a handoff is done, without any part.
 * `part` is of this handoff.
 */
export const IS_OF_HANDOFF = sql`session.handoff is not null and (session.handoff->>'state' <> 'done' or ${HAS_PARTS})
  and part.handoff_number = session.handoffs`;

/** Returns the current handoffs of an org that are parked, those parked longest first. */
export async function listParkedHandoffs(db: Db, orgId: string, limit: number): Promise<SessionRun[]> {
  const { rows } = await sql<SessionRun>`
    select part.org_id as "orgId", part.session_id as "sessionId", session.handoffs as n from crm_handoff_parts as part
    join sessions as session on session.org_id = part.org_id and session.id = part.session_id
    where part.org_id = ${orgId} and part.state = 'parked' and ${IS_OF_HANDOFF}
    group by 1, 2, 3 order by min(part.updated_at), 2 limit ${limit}
  `.execute(db);
  return rows;
}

/** SQL: whether something else is still to happen before the handoff of `session`. Given by what holds handoffs. */
export type HoldCondition = RawBuilder<SqlBool>;

/** The relay has begun a handoff that is not held long before. */
const BEGINS_WITHIN = sql`interval '10 minutes'`;

/**
 * Returns the current handoffs of all orgs with parts that have not ended, and those that still have to get their parts,
 * behind a session, in a fixed order. Those that are held begin later. The ticket of a session that was not handed off
 * belongs to a customer's workflow.
 */
export async function listUnfinishedHandoffs(
  db: Db,
  after: SessionRun | undefined,
  limit: number,
  isHeld: HoldCondition,
): Promise<SessionRun[]> {
  const isBehind = (org: string, session: string) =>
    after === undefined
      ? sql`true`
      : sql`(${sql.ref(org)}, ${sql.ref(session)}) > (${after.orgId}::uuid, ${after.sessionId}::uuid)`;
  const { rows } = await sql<SessionRun>`
    select part.org_id as "orgId", part.session_id as "sessionId", session.handoffs as n from crm_handoff_parts as part
    join sessions as session on session.org_id = part.org_id and session.id = part.session_id
    where part.state in ('pending', 'running', 'parked') and ${IS_OF_HANDOFF} and ${isBehind('part.org_id', 'part.session_id')}
    union
    select session.org_id, session.id, session.handoffs from sessions as session
    where session.handoff->>'state' = 'pending' and not ${HAS_PARTS} and not ${isHeld}
      and (session.handoff->>'at')::timestamptz < now() - ${BEGINS_WITHIN} and ${isBehind('session.org_id', 'session.id')}
    order by 1, 2 limit ${limit}
  `.execute(db);
  return rows;
}

/** Returns whether the handoff of a session is held. */
export async function isHandoffHeld(db: Db, orgId: string, sessionId: string, isHeld: HoldCondition): Promise<boolean> {
  const { rows } = await sql`
    select from sessions as session where org_id = ${orgId} and id = ${sessionId} and ${isHeld}
  `.execute(db);
  return rows.length > 0;
}
