import { type Kysely, sql } from 'kysely';

/**
 * A session knows by itself whether a policy was assigned to it, so that an event in one without costs no read. The flag is on the row that
 * everyone locks: whoever waited for the lock sees the newest value.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table sessions add column has_sla boolean not null default false;
    update sessions as session set has_sla = true from session_slas as sla
    where sla.org_id = session.org_id and sla.session_id = session.id;
  `.execute(db);
}
