import { type Kysely, sql } from 'kysely';

/**
 * A session knows whether its ticket is to follow its latest resolution, whenever the ticket is made. Until now only a
 * ticket still to be made knew it. Resolutions that nobody has reacted to yet say it in their events.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table sessions add column reflects_resolution boolean not null default false;

    update sessions as session set reflects_resolution = true from crm_handoff_parts as part
    where part.is_to_close and part.external_id is null and part.part = 'ticket'
      and session.org_id = part.org_id and session.id = part.session_id and session.status = 'closed_resolved';

    update sessions as session set reflects_resolution = event.reflects from (
      select distinct on (org_id, subject_id) org_id, subject_id, (payload->>'reflects')::boolean as reflects from outbox
      where kind = 'event' and type = 'ticket-resolved' order by org_id, subject_id, id desc
    ) as event
    where session.org_id = event.org_id and session.id = event.subject_id and session.status = 'closed_resolved';
  `.execute(db);
}
