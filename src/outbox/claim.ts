import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import type { DispatchedCommand } from '../temporal/dispatch.ts';
import type { EventType } from './events.ts';

export interface ClaimedEvent {
  id: number;
  org_id: string;
  type: EventType;
  subject_id: string;
  payload: Record<string, unknown>;
  created_at: Date;
}

export interface ClaimedCommand extends DispatchedCommand {
  id: number;
}

/**
 * Locks events of one org, of whoever has the oldest that no other relay holds, so that what one org causes is nobody else's transaction.
 * The locks end with the transaction.
 */
export async function claimEvents(trx: Db, limit: number): Promise<ClaimedEvent[]> {
  const waiting = trx
    .selectFrom('outbox')
    .where('kind', '=', 'event')
    .where('available_at', '<=', sql<Date>`now()`)
    .orderBy('id')
    .forUpdate()
    .skipLocked();
  const oldest = await waiting.select('org_id').limit(1).executeTakeFirst();
  if (oldest === undefined) return [];
  return waiting
    .select(['id', 'org_id', 'type', 'subject_id', 'payload', 'created_at'])
    .where('org_id', '=', oldest.org_id)
    .limit(limit)
    .$castTo<ClaimedEvent>()
    .execute();
}

/**
 * Locks commands, oldest first. A workflow's commands stay in order: only the relay that holds a workflow's oldest one
 * takes those behind it.
 */
export async function claimCommands(trx: Db, limit: number): Promise<ClaimedCommand[]> {
  const { rows: heads } = await sql<{ workflow_id: string }>`
    select workflow_id from outbox as head
    where kind <> 'event' and available_at <= now()
      and not exists (select from outbox as earlier where earlier.workflow_id = head.workflow_id and earlier.id < head.id)
    order by id limit ${limit} for update skip locked
  `.execute(trx);
  if (heads.length === 0) return [];
  return trx
    .selectFrom('outbox')
    .select(['id', 'org_id', 'kind', 'type', 'subject_id', 'workflow_id', 'task_queue', 'signal', 'summary', 'payload'])
    .where('workflow_id', '=', sql<string>`any(${heads.map((head) => head.workflow_id)})`)
    .orderBy('id')
    .limit(limit * 5)
    .forUpdate()
    .skipLocked()
    .$castTo<ClaimedCommand>()
    .execute();
}

export async function deleteClaimed(trx: Db, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  await trx.deleteFrom('outbox').where('id', '=', sql<number>`any(${ids})`).execute();
}

/** Keeps rows that could not be moved on for a later try, with the reason, at most a minute away. */
export async function postpone(trx: Db, ids: number[], reason: string): Promise<void> {
  await sql`
    update outbox set attempts = attempts + 1, last_error = ${reason.slice(0, 1000)},
      available_at = now() + least(power(2, attempts), 60) * interval '1 second'
    where id = any(${ids})
  `.execute(trx);
}
