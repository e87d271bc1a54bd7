import { sql } from 'kysely';

/** SQL: what a statement that moves enrollments on returns as `moved`. */
export const MOVED = sql`enrollment.org_id, enrollment.id, enrollment.sequence_id, enrollment.contact_id, enrollment.status`;

/** SQL: tells, by one event for all, of those in `moved` whose last step is done now. */
export const TELL_COMPLETED = sql`
  insert into outbox (org_id, kind, type, subject_id, payload)
  select org_id, 'event', 'sequence-completed', sequence_id,
    jsonb_build_object('enrollments', jsonb_agg(jsonb_build_object('id', id, 'contact_id', contact_id)))
  from moved where status = 'complete' group by org_id, sequence_id`;
