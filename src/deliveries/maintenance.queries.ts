import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { deleteSome } from '../db/deletion.ts';

/** Providers repeat a report for some days at most. */
const DAYS_KEPT = 30;

/** Deletes old reports of providers, some at a time. Their effect stands in the deliveries. Returns their number. */
export const deleteOldCallbacks = (db: Db): Promise<number> =>
  deleteSome(db, 'delivery_callbacks', sql`received_at < now() - ${DAYS_KEPT} * interval '1 day'`);

/** Deletes old messages of the sandbox, some at a time. Returns their number. */
export const deleteOldSandboxMessages = (db: Db): Promise<number> =>
  deleteSome(db, 'sandbox_outbox', sql`created_at < now() - ${DAYS_KEPT} * interval '1 day'`);
