import { type Kysely, sql } from 'kysely';

/**
 * A session is inactive since somebody last wrote in it, or since it was opened or reopened: messages of workflows do not
 * count. Null for sessions of earlier versions, and for those that nobody has written in. `active_depth` is the number of
 * runs of customers' workflows in the chain of causes of that moment.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table sessions
      add column active_at timestamptz(3),
      add column active_depth integer not null default coalesce(nullif(current_setting('switchboard.depth', true), '')::integer, 0);
    create index sessions_by_inactivity on sessions (org_id, coalesce(active_at, last_message_at, created_at), id) where status = 'open';
    drop index sessions_by_silence;
  `.execute(db);
}
