import { sql } from 'kysely';
import type { Trx } from '../../db/connect.ts';

interface CausingRun {
  runId: string;
  /** How many runs caused it, one the other. */
  depth: number;
}

/** Has whatever is announced until the transaction ends carry the run that caused it, and be one deeper than it. */
export async function setCausingRun(trx: Trx, { runId, depth }: CausingRun): Promise<void> {
  await sql`
    select set_config('switchboard.causation', ${runId}, true), set_config('switchboard.depth', ${String(depth + 1)}, true)
  `.execute(trx);
}
