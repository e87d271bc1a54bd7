import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { behindInOrder } from '../../db/cursor.ts';
import type { SnoozeRef } from './contract.ts';

/** Locks a session, and returns the time until the end of its snooze. Undefined if it lasts until the contact writes, or is over. */
export async function lockSnoozeEndMs(trx: Trx, { orgId, sessionId }: SnoozeRef): Promise<number | undefined> {
  const { rows } = await sql<{ ends_in_ms: number }>`
    select (extract(epoch from snoozed_until - clock_timestamp()) * 1000)::double precision as ends_in_ms from sessions
    where org_id = ${orgId} and id = ${sessionId} and snoozed_until is not null
    for no key update
  `.execute(trx);
  return rows[0]?.ends_in_ms;
}

/** Returns sessions of all orgs snoozed until a time. */
export async function listSnoozedSessions(db: Db, after: SnoozeRef | undefined, limit: number): Promise<SnoozeRef[]> {
  const { rows } = await sql<SnoozeRef>`
    select org_id as "orgId", id as "sessionId" from sessions
    where snoozed_until is not null
      and ${behindInOrder(after?.orgId, after?.sessionId, limit)}
  `.execute(db);
  return rows;
}
