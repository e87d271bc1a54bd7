import { sql } from 'kysely';
import { type AnnouncedRow, announcementOf } from '../../outbox/announcing.ts';

/** SQL: the columns returned as `moved` by statements advancing enrollments. */
export const MOVED_COLUMNS = sql`enrollment.org_id, enrollment.id, enrollment.sequence_id, enrollment.contact_id, enrollment.status`;

/**
 * An event is handled in one transaction: each of its contacts may start workflows and wake many runs. No more than
 * MAX_UNMETERED_EVENTS of automations: an event cannot be divided when it is claimed.
 */
const CONTACTS_PER_EVENT = 10;

/**
 * SQL: announces the enrollments in `moved` that are complete now, up to ten of a sequence in each event, where a workflow
 * or an endpoint waits for that. Executed by `announcing`.
 */
export const ANNOUNCE_COMPLETED = announcementOf(
  sql<AnnouncedRow>`
    select completed.org_id, 'sequence-completed' as type, sequence_id as subject_id,
      jsonb_build_object('enrollments', jsonb_agg(jsonb_build_object('id', id, 'contact_id', contact_id))) as payload
    from (
      select *, (row_number() over (partition by org_id, sequence_id) - 1) / ${sql.lit(CONTACTS_PER_EVENT)} as part
      from moved where status = 'complete'
    ) as completed
    join (
      select org_id, is_awaited(org_id, 'sequence-completed') as is_awaited
      from (select distinct org_id from moved where status = 'complete' offset 0) as org offset 0
    ) as org on org.org_id = completed.org_id and org.is_awaited
    group by completed.org_id, sequence_id, part`,
);
