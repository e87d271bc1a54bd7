import { sql } from 'kysely';
import { announcementOf, type EventRow } from '../outbox/announcing.ts';

/** SQL: what a statement that moves enrollments on returns as `moved`. */
export const MOVED_COLUMNS = sql`enrollment.org_id, enrollment.id, enrollment.sequence_id, enrollment.contact_id, enrollment.status`;

/** SQL: announces, by one event for all, those in `moved` whose last step is done now. Executed by executeAnnouncing. */
export const ANNOUNCE_COMPLETED = announcementOf(
  'sequence-completed',
  sql<EventRow<'sequence-completed'>>`
    select org_id, sequence_id as subject_id,
      jsonb_build_object('enrollments', jsonb_agg(jsonb_build_object('id', id, 'contact_id', contact_id))) as payload
    from moved where status = 'complete' group by org_id, sequence_id`,
);
