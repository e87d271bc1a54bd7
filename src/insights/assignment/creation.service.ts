import type { Trx } from '../../db/connect.ts';
import { newId } from '../../ids.ts';
import { insertInsights, type NumberedInsight, takeNumbers } from './queries.ts';

/** An insight with the statement it is named after. */
export type NewInsight = Omit<NumberedInsight, 'number'>;

/** Creates insights with the org's next numbers. */
export async function createInsights(trx: Trx, orgId: string, insights: NewInsight[]): Promise<void> {
  if (insights.length === 0) return;
  const first = await takeNumbers(trx, orgId, insights.length);
  await insertInsights(
    trx,
    orgId,
    insights.map((insight, nth) => ({ ...insight, number: first + nth })),
  );
}

/** Creates an insight with the org's next number, and returns its id. */
export async function createInsight(trx: Trx, orgId: string, insight: Omit<NewInsight, 'id'>): Promise<string> {
  const id = newId();
  await createInsights(trx, orgId, [{ id, ...insight }]);
  return id;
}
