import { type Kysely, sql } from 'kysely';

/**
 * How calls to an org's connections ended. Errors about a portal are no errors of calls: successful calls do not end
 * them. A deleted datasource, member or team is
 * invisible while what refers to it is deleted or cleared, which takes a while.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table integrations
      add column last_success_at timestamptz(3),
      add column last_error_at timestamptz(3),
      add column failing_since timestamptz(3),
      add column has_standing_error boolean not null default false;
    update integrations set has_standing_error = true where last_error like 'portal_id: %';

    alter table datasources add column deleted_at timestamptz(3);
    alter table members add column deleted_at timestamptz(3);
    alter table teams add column deleted_at timestamptz(3);
    create index datasources_deleted on datasources (org_id) where deleted_at is not null;
  `.execute(db);
}
