import type { Db } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { readSettings } from '../../orgs/service.ts';
import { reportRangeOf } from '../../reports/range.ts';
import { handoffFiguresOf } from './figures.rules.ts';
import { countAllHandoffs, countHandoffs, type HandoffEvent, type HandoffScope, listHandoffs } from './queries.ts';
import { explanationOf } from './reasons.rules.ts';
import type { HandoffEventsQuery, HandoffQuery } from './schema.ts';

/** Reports the handoffs of a range by reason, sentiment, channel and day. Throws as reportRangeOf. */
export async function reportHandoffs(db: Db, orgId: string, query: HandoffQuery) {
  const scope = await scopeOf(db, orgId, query);
  const figures = handoffFiguresOf(await countHandoffs(db, scope));
  return { ...figures, start_date: scope.from, end_date: scope.to };
}

/** Returns a page of the handoffs of a range. Throws as reportRangeOf. */
export async function pageOfHandoffs(db: Db, orgId: string, query: HandoffEventsQuery) {
  const scope = await scopeOf(db, orgId, query);
  const { items, next } = await pageOf(db, query, (page) => listHandoffs(db, scope, page));
  return { items: items.map(shown), next, total: await countAllHandoffs(db, scope) };
}

const shown = ({ reason, words, ...event }: HandoffEvent) => ({
  ...event,
  explanation: explanationOf(reason, words),
  reasons: [reason],
});

const RANGE_NAMES = { from: 'start_date', to: 'end_date' };

async function scopeOf(
  db: Db,
  orgId: string,
  { start_date, end_date, ...query }: HandoffQuery & Pick<Partial<HandoffEventsQuery>, 'reason'>,
): Promise<HandoffScope> {
  const { timezone } = await readSettings(db, orgId);
  const range = reportRangeOf({ from: start_date, to: end_date }, RANGE_NAMES);
  return { ...query, ...range, orgId, timeZone: timezone ?? 'UTC' };
}
