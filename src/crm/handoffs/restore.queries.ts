import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { SessionRun } from '../contract.ts';
import { HAS_PARTS, IS_OF_HANDOFF } from './unfinished.queries.ts';

/**
 * Returns the handoffs of all orgs that are not done and were requested before a time, behind a session, in a fixed order:
 * a database that was lost may have created what they miss.
 */
export async function listHandoffsInDoubt(
  db: Db,
  { after, limit, lostUntil }: { after: SessionRun | undefined; limit: number; lostUntil: Date },
): Promise<SessionRun[]> {
  const isInPage = sql`(session.handoff->>'at')::timestamptz <= ${lostUntil}::timestamptz and ${
    after === undefined
      ? sql`true`
      : sql`(session.org_id, session.id) > (${after.orgId}::uuid, ${after.sessionId}::uuid)`
  }`;
  const { rows } = await sql<SessionRun>`
    select part.org_id as "orgId", part.session_id as "sessionId", session.handoffs as n from crm_handoff_parts as part
    join sessions as session on session.org_id = part.org_id and session.id = part.session_id
    where part.state in ('pending', 'running', 'parked') and ${IS_OF_HANDOFF} and ${isInPage}
    union
    select session.org_id, session.id, session.handoffs from sessions as session
    where session.handoff->>'state' = 'pending' and not ${HAS_PARTS} and ${isInPage}
    order by 1, 2 limit ${limit}
  `.execute(db);
  return rows;
}

/**
 * Fails the parts of a handoff that have not ended. A retry looks in the other system for what may have been created since a
 * time. Returns their number.
 */
export async function failPartsInDoubt(
  trx: Trx,
  { orgId, sessionId, n }: SessionRun,
  { error, since }: { error: string; since: string },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update crm_handoff_parts set state = 'failed', error = ${error}, is_ambiguous = true, next_try_at = null,
      leased_until = null, first_tried_at = coalesce(first_tried_at, ${since}::timestamptz), updated_at = now()
    where org_id = ${orgId} and session_id = ${sessionId} and handoff_number = ${n}
      and state in ('pending', 'running', 'parked')
  `.execute(trx);
  return Number(numAffectedRows);
}
