import type { Db } from '../../db/connect.ts';
import { countWaiting, endPause, findPause, insertPause, type WaitingSends } from './queries.ts';

/** Whether messages and webhooks go out, and what waits until they do. */
export interface SendingState extends WaitingSends {
  state: 'running' | 'paused';
  reason: string | null;
  paused_at: Date | null;
}

export { findPause as findSendingPause } from './queries.ts';

export { IS_SENDING_PAUSED } from './shared.queries.ts';

export const isSendingPaused = async (db: Db): Promise<boolean> => (await findPause(db)) !== undefined;

/**
 * Pauses all messages to contacts and all webhooks of the installation. Every process looks before it begins a few messages,
 * or a batch of webhooks: what has begun ends first. Nothing fails meanwhile, and nothing is lost. Returns whether a pause began.
 */
export const pauseSending = (db: Db, reason: string | undefined): Promise<boolean> => insertPause(db, reason ?? null);

/** Has everything sent again. Workers see it within a minute. Returns whether a pause ended. */
export const resumeSending = (db: Db): Promise<boolean> => endPause(db);

/** Returns whether sending is paused. */
export async function readPause(db: Db): Promise<Pick<SendingState, 'state' | 'reason' | 'paused_at'>> {
  const pause = await findPause(db);
  return {
    state: pause === undefined ? 'running' : 'paused',
    reason: pause?.reason ?? null,
    paused_at: pause?.paused_at ?? null,
  };
}

/** Returns whether sending is paused, with what waits. */
export async function readSendingState(db: Db): Promise<SendingState> {
  const pause = await readPause(db);
  return { ...pause, ...(await countWaiting(db)) };
}
