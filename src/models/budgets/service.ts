import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { announce } from '../../outbox/announcing.ts';
import {
  type BudgetNotice,
  deleteOldCalls,
  deleteOldNotices,
  getSpent,
  insertCall,
  insertNotice,
  listUsage,
  lockBudgets,
  settleLostCalls,
} from './queries.ts';
import { type Amount, reachedLevel } from './rules.ts';
import type { Budgets, ListUsage } from './schema.ts';

export { settleCall } from './queries.ts';

/** A call of a model that is about to be sent. */
export interface PlannedCall {
  id: string;
  sessionId: string | null;
  turnId: string | null;
  purpose: string;
  model: string;
  tokens: number;
  cost: number;
}

export type BudgetName = keyof Budgets;

const BUDGET_NAMES = ['turn', 'session', 'day', 'month'] as const satisfies BudgetName[];
/** A call takes at most two minutes. */
const LOST_AFTER_MS = 10 * 60_000;
const CALLS_PER_SWEEP = 500;
/** The sums by day stay. */
const RETENTION_DAYS = 90;

/**
 * Reserves the tokens and the cost of a call in all budgets, or returns the first budget that it does not fit. Calls under
 * way count with what they have reserved, so that no number of them at once spends more than there is.
 */
export function reserveCall(
  db: Db,
  orgId: string,
  { id, sessionId, turnId, purpose, model, tokens, cost }: PlannedCall,
  budgets: Budgets,
): Promise<BudgetName | undefined> {
  const row = { org_id: orgId, id, session_id: sessionId, turn_id: turnId, purpose, model };
  const limited = BUDGET_NAMES.filter((name) => budgets[name] !== undefined);
  return inTransaction(db, async (trx) => {
    if (limited.length > 0) {
      await lockBudgets(trx, orgId);
      const spent = await getSpent(trx, orgId, { turnId, sessionId });
      const exceeded = limited.find(
        (name) =>
          spent[name].tokens + tokens > (budgets[name]?.tokens ?? Infinity) ||
          spent[name].cost + cost > (budgets[name]?.cost ?? Infinity),
      );
      const reached = limited.flatMap((name) =>
        name === 'day' || name === 'month' ? reachedLevel(name, spent[name], { tokens, cost }, budgets[name]) : [],
      );
      for (const notice of reached) await announceLevel(trx, orgId, notice, spent[notice.budget]);
      if (exceeded !== undefined) return exceeded;
    }
    await insertCall(trx, { ...row, reserved_tokens: tokens, reserved_cost: cost });
    return undefined;
  });
}

/** Announces a level of a budget, once in its period. */
async function announceLevel(trx: Trx, orgId: string, notice: BudgetNotice, spent: Amount): Promise<void> {
  const period = await insertNotice(trx, orgId, notice);
  if (period === undefined) return;
  const payload = { ...notice, period, spent };
  await announce(trx, orgId, [{ type: 'ai-budget-reached', subject_id: orgId, payload }]);
}

/** Settles some calls whose process has ended, and returns their number. */
export const settleAbandonedCalls = (db: Db): Promise<number> =>
  settleLostCalls(db, { olderThanMs: LOST_AFTER_MS, limit: CALLS_PER_SWEEP });

/** Deletes some calls of models after 90 days, and returns their number. The sums by day stay. */
export const deleteOldModelCalls = async (db: Db): Promise<number> =>
  (await deleteOldNotices(db, { olderThanDays: RETENTION_DAYS, limit: CALLS_PER_SWEEP })) +
  (await deleteOldCalls(db, { olderThanDays: RETENTION_DAYS, limit: CALLS_PER_SWEEP }));

const MS_PER_DAY = 86_400_000;
const DEFAULT_DAYS = 30;

/** Returns what models have cost on some days, by default the last 30 days. */
export async function getUsage(db: Db, orgId: string, query: ListUsage) {
  const to = query.to ?? dayOf(Date.now());
  const from = query.from ?? dayOf(Date.parse(to) - (DEFAULT_DAYS - 1) * MS_PER_DAY);
  return { from, to, items: await listUsage(db, orgId, { from, to, groupBy: query.group_by }) };
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
