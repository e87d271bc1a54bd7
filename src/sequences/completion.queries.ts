import { sql } from 'kysely';
import { announcementOf, type EventRow } from '../outbox/announcing.ts';

/** SQL: the columns returned as `moved` by statements advancing enrollments. */
export const MOVED_COLUMNS = sql`enrollment.org_id, enrollment.id, enrollment.sequence_id, enrollment.contact_id, enrollment.status`;

/**
 * SQL: announces the enrollments in `moved` that are complete now, in one event for each sequence. Executed by
 * executeAnnouncing.
 */
export const ANNOUNCE_COMPLETED = announcementOf(
  'sequence-completed',
  sql<EventRow<'sequence-completed'>>`
    select org_id, sequence_id as subject_id,
      jsonb_build_object('enrollments', jsonb_agg(jsonb_build_object('id', id, 'contact_id', contact_id))) as payload
    from moved where status = 'complete' group by org_id, sequence_id`,
);
