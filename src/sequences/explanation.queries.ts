import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';

/** One of the sequence's enrollments, with where it stands. As in the list, those of a canceled sequence are canceled. */
export function findEnrollment(db: Db, orgId: string, sequence: { id: string; status: string }, enrollmentId: string) {
  return db
    .selectFrom('enrollments')
    .select([
      'id',
      'contact_id',
      'run_id',
      'last_step_id',
      'anchor_at',
      'held_until',
      'exit_reason',
      'created_at',
      'ended_at',
    ])
    .select(
      sql<'active' | 'complete' | 'canceled' | 'exited'>`
        case when status = 'active' and ${sequence.status === 'canceled'}::boolean then 'canceled' else status end`.as(
        'status',
      ),
    )
    .where('org_id', '=', orgId)
    .where('sequence_id', '=', sequence.id)
    .where('id', '=', enrollmentId)
    .executeTakeFirst();
}

/** What was sent, or not sent, to an enrollment: at most one delivery a step. */
export function listDeliveriesOf(db: Db, orgId: string, enrollmentId: string) {
  return db
    .selectFrom('deliveries')
    .select(['id', 'step_id', 'status', 'reason', 'attempts', 'sent_at'])
    .where('org_id', '=', orgId)
    .where('enrollment_id', '=', enrollmentId)
    .execute();
}
