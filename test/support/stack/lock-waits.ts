import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../src/db/connect.ts';
import { eventually } from './stack.ts';

/** Waits until a transaction waits for a lock: any, or one of which the condition on pg_stat_activity is true. */
export const untilOneWaits = (db: Db, condition: RawBuilder<unknown> = sql`true`) =>
  eventually('a transaction that waits for a lock', async () => {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and ${condition}
    `.execute(db);
    return rows.length > 0;
  });
