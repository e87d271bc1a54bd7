import { compileFilter } from '../../contacts/filters/service.ts';
import type { Db } from '../../db/connect.ts';
import type { SequenceRow } from '../definitions/shared.queries.ts';
import { countMatching } from './audience.queries.ts';
import { findOpenRun } from './shared.queries.ts';

/** Counting more would take long in a large org. */
const MAX_COUNTED = 10_000;
const BEFORE =
  'They match already. The sequence enrolls contacts who begin to match. To enroll these too, send them with POST /sequences/{id}/contacts, or create the sequence with enroll_existing';
const NOT_STARTED = 'The sequence has not been started: PUT /sequences/{id}/start';
const UNDER_WAY = 'They are being enrolled';
const LATER = 'They began to match after the sequence had enrolled its contacts';
const ENDED = 'The sequence has ended';

/** The contacts who match a sequence's filter now. */
export interface Audience {
  matching: number;
  /** There are more than were counted. */
  is_at_least: boolean;
  /** Of the counted ones. */
  enrolled: number;
  left_out: number;
  reason: string | null;
}

/** Counts the contacts who match a sequence's filter now, up to 10,000, and says why some are not enrolled. */
export async function audienceOf(db: Db, orgId: string, sequence: SequenceRow): Promise<Audience> {
  const condition = await compileFilter(db, orgId, sequence.filter);
  const { matching, enrolled } = await countMatching(db, orgId, sequence.id, { condition, limit: MAX_COUNTED + 1 });
  const isAtLeast = matching > MAX_COUNTED;
  const counted = Math.min(matching, MAX_COUNTED);
  const leftOut = Math.max(0, counted - enrolled);
  return {
    matching: counted,
    is_at_least: isAtLeast,
    enrolled: Math.min(enrolled, counted),
    left_out: leftOut,
    reason: leftOut === 0 ? null : reasonFor(sequence, await findOpenRun(db, orgId, sequence.id)),
  };
}

function reasonFor({ status, is_continuous }: SequenceRow, openRun: object | undefined): string {
  if (status === 'canceled' || status === 'complete') return ENDED;
  if (status === 'pending') return NOT_STARTED;
  if (openRun !== undefined) return UNDER_WAY;
  return is_continuous ? BEFORE : LATER;
}
