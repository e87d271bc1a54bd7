import { type Kysely, sql } from 'kysely';

/**
 * What a relay is about to expand is written down outside of its transaction. A row whose events nobody has locked is
 * of a process that ended meanwhile.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table outbox_claims (
      id bigint generated always as identity primary key,
      org_id uuid not null,
      event_ids bigint[] not null,
      created_at timestamptz(3) not null default now()
    );
    create index outbox_claims_by_org on outbox_claims (org_id);
    alter table outbox add column interruptions integer not null default 0;
  `.execute(db);
}
