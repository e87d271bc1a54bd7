import { type Kysely, sql } from 'kysely';

/** Commands that nobody waits for: the other commands of their org go first. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table outbox add column is_deferrable boolean not null default false;
    create index outbox_commands_in_order on outbox (org_id, is_deferrable, id) where kind <> 'event';
    drop index outbox_commands_by_org
  `.execute(db);
}
