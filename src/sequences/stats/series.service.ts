import type { Db } from '../../db/connect.ts';
import { refusedQuery } from '../../errors.ts';
import { readSettings } from '../../orgs/service.ts';
import { reportRangeOf } from '../../reports/range.ts';
import type { SequenceRow } from '../definitions/shared.queries.ts';
import type { SeriesQuery } from './schema.ts';
import { countByTime } from './series.queries.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS_OF_HOURS = 7;
const MAX_DAYS_OF_HOURS = 31;

/**
 * Returns the deliveries of a sequence over time, by the clocks of the org. Throws invalid for a range that ends before it
 * begins or is too long.
 */
export async function getSeries(db: Db, orgId: string, sequence: SequenceRow, { bucket, ...query }: SeriesQuery) {
  const end = query.to === undefined ? Date.now() : Date.parse(query.to);
  const firstHour = new Date(end - DEFAULT_DAYS_OF_HOURS * DAY_MS).toISOString();
  const { from, to } = reportRangeOf({ ...query, from: query.from ?? (bucket === 'hour' ? firstHour : undefined) });
  if (bucket === 'hour' && to.getTime() - from.getTime() > MAX_DAYS_OF_HOURS * DAY_MS)
    throw refusedQuery('from', `must be at most ${MAX_DAYS_OF_HOURS} days before \`to\` for hours`);
  const timezone = (await readSettings(db, orgId)).timezone ?? 'UTC';
  return {
    from,
    to,
    timezone,
    items: await countByTime(db, orgId, sequence.id, { bucket, from, to, timeZone: timezone }),
  };
}
