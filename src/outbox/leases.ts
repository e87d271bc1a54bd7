import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import type { Command } from './outbox.ts';

/** The relay hands a leased command to Temporal so long after the last renewal: its process has ended, or hangs. */
const LEASE_SECONDS = 15;
/** Often enough for two renewals to fail. */
export const RENEWAL_MS = 5_000;

/**
 * SQL: inserts a command whose work this process does itself, one for each row of `source`. The row's `payload` completes
 * that of the command, and its `subject_id` is the subject. The relay sends it if the lease is not renewed or ended.
 */
export const insertOfLease = (orgId: string, command: Omit<Command, 'subject_id'>, source: RawBuilder<unknown>) => sql`
  insert into outbox (org_id, kind, type, subject_id, workflow_id, task_queue, summary, payload, available_at)
  select ${orgId}::uuid, ${command.kind}, ${command.type}, source.subject_id, ${command.workflow_id}, ${command.task_queue},
    ${command.summary}::text, ${JSON.stringify(command.payload)}::jsonb || source.payload, now() + ${LEASE_SECONDS} * interval '1 second'
  from (${source}) as source`;

/** Keeps leased commands from the relay for as long again. */
export async function renewLeases(db: Db, workflowIds: string[]): Promise<void> {
  await sql`
    update outbox set available_at = now() + ${LEASE_SECONDS} * interval '1 second'
    where workflow_id = any(${workflowIds}::text[]) and kind = 'start'
  `.execute(db);
}

/** Deletes leased commands whose work is done. */
export async function endLeases(db: Db, workflowIds: string[]): Promise<void> {
  await sql`delete from outbox where workflow_id = any(${workflowIds}::text[]) and kind = 'start'`.execute(db);
}
