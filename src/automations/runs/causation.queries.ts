import { sql } from 'kysely';
import type { Trx } from '../../db/connect.ts';

interface CausingRun {
  runId: string;
  /** Length of the chain of runs causing it. */
  depth: number;
}

/** Sets the causing run, and a depth one greater than its own, on all events announced until the transaction ends. */
export async function setCausingRun(trx: Trx, { runId, depth }: CausingRun): Promise<void> {
  await sql`
    select set_config('switchboard.causation', ${runId}, true), set_config('switchboard.depth', ${String(depth + 1)}, true)
  `.execute(trx);
}
