import { sql } from 'kysely';
import type { Trx } from '../db/connect.ts';

/** A run of a customer's workflow that causes what a transaction does. */
export interface CausingRun {
  runId: string;
  /** Length of the chain of runs causing it. */
  depth: number;
}

/**
 * Sets the causing run, and a depth one greater than its own, on all that is announced, opened, reopened and asked to
 * be sent until the transaction ends.
 */
export async function setCausingRun(trx: Trx, { runId, depth }: CausingRun): Promise<void> {
  await sql`
    select set_config('switchboard.causation', ${runId}, true), set_config('switchboard.depth', ${String(depth + 1)}, true)
  `.execute(trx);
}

/**
 * Sets the depth of all that is announced, opened, reopened and asked to be sent until the transaction ends to the depth of
 * its cause: the number of customers' workflow runs in the chain of causes.
 */
export async function setEventDepth(trx: Trx, depth: number): Promise<void> {
  await sql`select set_config('switchboard.depth', ${String(depth)}, true)`.execute(trx);
}

/** Does work of a transaction at the depth of its cause. What the transaction does after it has none. */
export async function atDepth(trx: Trx, depth: number, work: () => Promise<void>): Promise<void> {
  if (depth > 0) await setEventDepth(trx, depth);
  await work();
  if (depth > 0) await setEventDepth(trx, 0);
}
