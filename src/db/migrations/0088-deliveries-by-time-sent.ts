import { type Kysely, sql } from 'kysely';

/** Contacts are searched by the time of the last message to them: those of a range of time are found without all others. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    create index deliveries_by_time_sent on deliveries (org_id, sent_at) include (contact_id) where sent_at is not null
  `.execute(db);
};
