import type { Db } from '../../db/connect.ts';
import { countWaiting, endPause, findPause, insertPause, type WaitingSends } from './queries.ts';

/** Whether messages and webhooks go out, and what waits until they do. */
export interface SendingState extends WaitingSends {
  state: 'running' | 'paused';
  reason: string | null;
  paused_at: Date | null;
}

export { findPause as findSendingPause } from './queries.ts';

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
  await endPause(db);
  return readSendingState(db);
}

/** Returns whether sending is paused, with what waits. */
export async function readSendingState(db: Db): Promise<SendingState> {
  const pause = await findPause(db);
  const waiting = await countWaiting(db);
  return {
    state: pause === undefined ? 'running' : 'paused',
    reason: pause?.reason ?? null,
    paused_at: pause?.paused_at ?? null,
    ...waiting,
  };
}
