import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { onlyRow } from '../../db/rows.ts';
import { deletePause, findPause, insertPause } from './queries.ts';

/** Whether messages and webhooks go out, and what waits until they do. */
export interface SendingState {
  state: 'running' | 'paused';
  reason: string | null;
  paused_at: Date | null;
  /** Deliveries outside of sequences that are due or become due later. */
  queued_messages: number;
  pending_webhooks: number;
  active_sequences: number;
  /** Deliveries of which nobody knows whether they went out. */
  unknown_deliveries: number;
}

export const isSendingPaused = async (db: Db): Promise<boolean> => (await findPause(db)) !== undefined;

/**
 * Pauses all messages to contacts and all webhooks of the installation. Every process looks before it begins a batch: what
 * has begun ends first. Nothing fails meanwhile, and nothing is lost.
 */
export async function pauseSending(db: Db, reason: string | undefined): Promise<SendingState> {
  await insertPause(db, reason ?? null);
  return readSendingState(db);
}

/** Has everything sent again. Workers see it within a minute. */
export async function resumeSending(db: Db): Promise<SendingState> {
  await deletePause(db);
  return readSendingState(db);
}

/** Returns whether sending is paused, with what waits. */
export async function readSendingState(db: Db): Promise<SendingState> {
  const pause = await findPause(db);
  const waiting = onlyRow(
    await sql<Omit<SendingState, 'state' | 'reason' | 'paused_at'>>`
      select
        (select count(*) from deliveries where sequence_id is null and status = 'queued') as queued_messages,
        (select count(*) from webhook_deliveries where status <> 'delivered' and status in ('pending', 'retrying')) as pending_webhooks,
        (select count(*) from sequences where status = 'active' and deleted_at is null) as active_sequences,
        (select count(*) from orgs cross join lateral (
          select from deliveries where org_id = orgs.id and status = 'unknown') as unknown) as unknown_deliveries
    `.execute(db),
  );
  return {
    state: pause === undefined ? 'running' : 'paused',
    reason: pause?.reason ?? null,
    paused_at: pause?.paused_at ?? null,
    ...waiting,
  };
}
