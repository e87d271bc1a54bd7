import { type Kysely, sql } from 'kysely';

/** Notes on tickets are among what is posted to CRMs. The rows of before have other targets: they need no check. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table crm_messages drop constraint crm_messages_target_check;
    alter table crm_messages add constraint crm_messages_target_check check (target in ('thread', 'miaw', 'ticket')) not valid
  `.execute(db);
}
