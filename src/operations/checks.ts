import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { onlyRow } from '../db/rows.ts';
import type { TemporalHealth } from '../temporal/client.ts';
import { type Check, PartAway } from './health.ts';

/** Checks that Postgres answers and takes writes: a standby, or a disk that is full, makes it read-only. */
export const databaseCheck =
  (db: Db): Check =>
  async () => {
    const asked = await sql<{ is_read_only: boolean }>`
      select current_setting('transaction_read_only')::boolean as is_read_only
    `.execute(db);
    if (onlyRow(asked).is_read_only) throw new PartAway('It takes no writes: the server or the database is read-only');
  };

/** Checks that Temporal has the namespace and reaches its own database. */
export const temporalCheck =
  (temporal: TemporalHealth): Check =>
  async () => {
    const state = await temporal.check();
    if (state === 'no-namespace')
      throw new PartAway('It has no such namespace: correct TEMPORAL_NAMESPACE, or create it there');
  };
