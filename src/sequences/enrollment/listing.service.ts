import type { Db } from '../../db/connect.ts';
import { decodeCursor, pageOf, toPage } from '../../db/cursor.ts';
import type { SequenceRow } from '../definitions/shared.queries.ts';
import type { ListEnrollments } from '../schema.ts';
import { transitionsOf } from '../steps/rules.ts';
import { listAllSteps } from '../steps/shared.queries.ts';
import { type EnrollmentFilters, listDeferredEnrollments, listEnrollments } from './shared.queries.ts';

/** Returns a page of the enrollments of a sequence by creation, or of the deferred ones by the time of their next try. */
export async function pageOfEnrollments(db: Db, orgId: string, sequence: SequenceRow, query: ListEnrollments) {
  const filters: EnrollmentFilters = {
    status: query.status,
    contactId: query.contact_id,
    positions: query.step_id === undefined ? undefined : await positionsBefore(db, orgId, sequence, query.step_id),
    exitReason: query.exit_reason,
  };
  if (query.held === undefined)
    return pageOf(db, query, (page) => listEnrollments(db, orgId, sequence, { ...filters, page }));
  if (sequence.status === 'canceled') return { items: [], next: null };
  const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
  const rows = await listDeferredEnrollments(db, orgId, sequence, { ...filters, after, limit: query.limit });
  return toPage(rows, query.limit, ({ held_until, created_at }) => held_until ?? created_at);
}

/** Returns the positions of enrollments that get a step next. In a canceled sequence, nobody gets anything. */
async function positionsBefore(db: Db, orgId: string, sequence: SequenceRow, stepId: string): Promise<string[]> {
  if (sequence.status === 'canceled') return [];
  const moves = transitionsOf(await listAllSteps(db, orgId, sequence.id));
  return moves.filter(({ next }) => next?.id === stepId).map(({ after }) => after ?? sequence.id);
}
