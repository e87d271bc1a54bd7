import type { Db } from '../../db/connect.ts';
import type { CountedTime } from '../../desk/office-hours/counted-time.rules.ts';
import { countedTimes } from '../../desk/office-hours/counted-time.service.ts';
import { refusedQuery } from '../../errors.ts';
import { DAY_MS } from '../../orgs/time-zones.rules.ts';
import type { ReportRange } from '../../reports/range.ts';
import { findFirstOpening } from './sessions.shared.queries.ts';

/** Covers the distance between the clocks of this process and the database. */
const CLOCK_TOLERANCE_MS = DAY_MS;
/** In all calendars. Ten years have 2,600 of Monday to Friday. */
const MAX_INTERVALS = 100_000;

/**
 * Returns the open time of teams, as far as sessions of the range can need it: from the first one on, and until now, as the
 * last one may have been closed a moment ago. Throws invalid if it has too many intervals.
 */
export async function openTimes(
  db: Db,
  orgId: string,
  { from, to, team_id: teamId }: ReportRange & { team_id?: string | undefined },
): Promise<CountedTime[]> {
  const first = await findFirstOpening(db, orgId, { from, to });
  if (first === undefined) return [];
  const begin = new Date(Math.max(from.getTime(), first.created_at.getTime() - CLOCK_TOLERANCE_MS));
  const end = new Date(Date.now() + CLOCK_TOLERANCE_MS);
  const times = await countedTimes(db, orgId, { from: begin, to: end, teamId }, MAX_INTERVALS);
  if (times === undefined)
    throw refusedQuery('from', 'must be later, or `team_id` given: the teams have too many office hours since then');
  return times;
}
