import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.ts';
import { inTransaction } from '../../src/db/transaction.ts';

/**
 * Moves all that happened in a session back in time, as its SLA clocks see it. Repeated after a deadlock: evaluations in the
 * background lock the same rows in another order.
 */
export const moveBack = (db: Db, sessionId: string, seconds: number) =>
  inTransaction(db, (trx) =>
    sql`
      with moved as (update sessions set created_at = created_at - ${seconds} * interval '1 second' where id = ${sessionId}),
        applied as (update session_slas set applied_at = applied_at - ${seconds} * interval '1 second' where session_id = ${sessionId})
      update session_events set created_at = created_at - ${seconds} * interval '1 second' where session_id = ${sessionId}
    `.execute(trx),
  );
