import type { z } from 'zod';
import type { Db } from '../../db/connect.ts';
import { readSettings } from '../../orgs/service.ts';
import { isPeriod } from '../../reports/periods.rules.ts';
import { reportRangeOf } from '../../reports/range.ts';
import { getSlaBreakdown, getSlaTrend } from '../../sla/analytics/service.ts';
import { countAi } from './ai.queries.ts';
import { countRuns } from './automations.queries.ts';
import { openTimes } from './calendars.service.ts';
import { countConversations } from './conversations.queries.ts';
import { countScores } from './csat.queries.ts';
import { countDeliveries } from './deliveries.queries.ts';
import { figuresOf } from './figures.service.ts';
import type {
  AiQuery,
  AiReport,
  AutomationQuery,
  AutomationReport,
  ConversationQuery,
  ConversationReport,
  CsatQuery,
  CsatReport,
  DeliveryQuery,
  DeliveryReport,
  SlaQuery,
  SlaReport,
} from './schema.ts';
import type { ReportScope } from './scope.ts';
import type { Groups } from './shared.queries.ts';
import { slaFiguresOf } from './sla.rules.ts';

type Totals<Report extends z.ZodType> = z.infer<Report> extends { totals: infer Figures } ? Figures : never;

/**
 * Reports sessions, their messages and times. Throws invalid for a range that ends before it begins, is too long, or has too
 * many office hours.
 */
export async function reportConversations(db: Db, orgId: string, query: ConversationQuery) {
  const scope = await scopeOf(db, orgId, query);
  const times = await openTimes(db, orgId, scope);
  return answerOf<typeof ConversationReport>(scope, await countConversations(db, { ...scope, times }));
}

/** Reports the scores of customers. Throws as reportRangeOf. */
export async function reportCsat(db: Db, orgId: string, query: CsatQuery) {
  const scope = await scopeOf(db, orgId, query);
  return answerOf<typeof CsatReport>(scope, await countScores(db, scope));
}

/** Reports deliveries by their status. Throws as reportRangeOf. */
export async function reportDeliveries(db: Db, orgId: string, query: DeliveryQuery) {
  const scope = await scopeOf(db, orgId, query);
  return answerOf<typeof DeliveryReport>(scope, await countDeliveries(db, scope));
}

/** Reports the runs of workflows. Throws as reportRangeOf. */
export async function reportAutomations(db: Db, orgId: string, query: AutomationQuery) {
  const scope = await scopeOf(db, orgId, query);
  return answerOf<typeof AutomationReport>(scope, await countRuns(db, scope));
}

/** Reports what the AI did. Throws as reportRangeOf. */
export async function reportAi(db: Db, orgId: string, query: AiQuery) {
  const scope = await scopeOf(db, orgId, query);
  return answerOf<typeof AiReport>(scope, await countAi(db, scope));
}

/** Reports how SLA targets were met: the counts of /sla/analytics. Throws as reportRangeOf. */
export async function reportSla(db: Db, orgId: string, query: SlaQuery): Promise<z.infer<typeof SlaReport>> {
  const { group_by, ...rest } = query;
  const range = reportRangeOf(rest);
  const narrowed = { ...rest, from: range.from.toISOString(), to: range.to.toISOString() };
  return { ...range, group_by, ...(await countSla(db, orgId, { ...narrowed, group_by })) };
}

async function countSla(db: Db, orgId: string, { group_by, ...query }: SlaQuery) {
  if (isPeriod(group_by)) {
    const { timezone } = await readSettings(db, orgId);
    const { items, totals } = await getSlaTrend(db, orgId, { ...query, granularity: group_by });
    const dayOf = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone ?? 'UTC' });
    const periods = items.map(({ period_start, metrics }) => ({
      key: dayOf.format(period_start),
      name: null,
      ...slaFiguresOf(metrics),
    }));
    return { items: periods, totals: slaFiguresOf(totals) };
  }
  const { items, totals } = await getSlaBreakdown(db, orgId, { ...query, group_by });
  return {
    items: items.map(({ key, name, metrics }) => ({ key, name, ...slaFiguresOf(metrics) })),
    totals: slaFiguresOf(totals),
  };
}

async function scopeOf<Query extends { group_by: string; from?: string | undefined; to?: string | undefined }>(
  db: Db,
  orgId: string,
  query: Query,
): Promise<ReportScope<Query>> {
  const { timezone } = await readSettings(db, orgId);
  return { ...query, ...reportRangeOf(query), orgId, timeZone: timezone ?? 'UTC' };
}

const answerOf = async <Report extends z.ZodType>(
  { from, to, group_by }: { from: Date; to: Date; group_by: string },
  groups: Groups,
) => ({ from, to, group_by, ...(await figuresOf<Totals<Report>>(groups)) });
