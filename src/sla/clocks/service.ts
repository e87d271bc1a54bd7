import { keysOf } from '../../collections/checked-access.ts';
import { announceWithState } from '../../conversations/announcements.service.ts';
import { listResponsible } from '../../conversations/assignment/service.ts';
import { lockSession, NO_TARGET, setSlaTarget } from '../../conversations/sessions/service.ts';
import { getSlaFacts, recordSlaEvents } from '../../conversations/sessions/sla-facts.service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { type BusinessCalendar, businessCalendar } from '../../desk/office-hours/business-time.rules.ts';
import { addNotifications } from '../../notifications/service.ts';
import { setEventDepth } from '../../outbox/causation.ts';
import { deleteDueWork } from '../../outbox/due-work.ts';
import type { SlaProgress } from '../contract.ts';
import {
  describeClocks,
  isCountedUnder,
  nextMomentOf,
  outcomeOf,
  type PendingAnnouncements,
  pendingAnnouncementsOf,
} from './announcements.rules.ts';
import {
  type ClockRow,
  deleteUndecidedClocks,
  type EvaluatedSla,
  findSla,
  listClocks,
  lockSlaShared,
  updateSla,
  upsertClocks,
} from './queries.ts';
import { type Clock, clocksOf, type SlaTargets } from './rules.ts';
import { type SlaMetric, timelinesOf } from './timelines.rules.ts';

const METRICS = ['first_reply', 'next_reply', 'resolution'] as const satisfies SlaMetric[];
const EVENT_TYPES = {
  first_reply: { warning: 'sla-first-reply-warning', breach: 'sla-first-reply-breached' },
  next_reply: { warning: 'sla-next-reply-warning', breach: 'sla-next-reply-breached' },
  resolution: { warning: 'sla-resolution-warning', breach: 'sla-resolution-breached' },
} as const;

type Sla = NonNullable<Awaited<ReturnType<typeof lockSlaShared>>>;

/**
 * Evaluates a session's clocks: announces due moments and records changes, each once regardless of the number of calls.
 * Those of a session that a workflow's run has opened or reopened continue its chain, while nobody has written in it. Returns the time of
 * the next evaluation. Throws notFound.
 */
export function evaluateClocks(db: Db, orgId: string, sessionId: string): Promise<SlaProgress> {
  const begunAt = performance.now();
  return inTransaction(db, async (trx) => {
    await lockSession(trx, orgId, sessionId);
    await deleteDueWork(trx, orgId, 'sla', { subjectId: sessionId });
    const sla = await lockSlaShared(trx, orgId, sessionId);
    if (sla === undefined) {
      await deleteUndecidedClocks(trx, orgId, sessionId, []);
      await setSlaTarget(trx, orgId, sessionId, NO_TARGET);
      return { next: null, details: 'under no policy' };
    }
    const { clocks, now, isClosed, depth } = await readClocks(trx, orgId, sessionId, sla);
    if (depth > 0) await setEventDepth(trx, depth);
    const warned = await settleClocks(trx, orgId, sessionId, { sla, clocks, now });
    const next = nextMomentOf(clocks, warned);
    await setSlaTarget(trx, orgId, sessionId, nextTargetOf(clocks));
    const evaluated = { is_over: isClosed, next_at: next?.at ?? null };
    if (!isSameSla(sla, evaluated)) await updateSla(trx, orgId, sessionId, evaluated);
    const inMs = next === null ? 0 : next.at.getTime() - sla.now.getTime() - (performance.now() - begunAt);
    return {
      next: next && { what: next.what, inMs: Math.max(Math.ceil(inMs), 1) },
      details: describeClocks(sla.name, clocks),
    };
  });
}

/** Returns the target that is due next, or was and is still missed. */
function nextTargetOf(clocks: Clock[]) {
  const [next] = clocks
    .filter((clock) => clock.stopped_at === null && clock.due_at !== null)
    .toSorted((a, b) => Number(a.due_at) - Number(b.due_at));
  return next === undefined
    ? NO_TARGET
    : { sla_metric: next.metric, sla_due_at: next.due_at, sla_warning_at: next.warning_at };
}

const isSameSla = (before: EvaluatedSla, after: EvaluatedSla) =>
  before.is_over === after.is_over && before.next_at?.getTime() === after.next_at?.getTime();

/**
 * Returns a session's policy with the current state of its clocks, including clocks not yet started. Throws notFound.
 */
export async function getSessionSla(db: Db, orgId: string, sessionId: string) {
  const sla = await findSla(db, orgId, sessionId).executeTakeFirst();
  if (sla === undefined) {
    await getSlaFacts(db, orgId, sessionId);
    return { policy: null, clocks: [] };
  }
  const { clocks } = await readClocks(db, orgId, sessionId, sla);
  return {
    policy: { id: sla.policy_id, name: sla.name, office_hours_id: sla.office_hours_id },
    clocks: METRICS.flatMap((metric): (Clock | ReturnType<typeof idleClock>)[] => {
      const ofMetric = clocks.filter((clock) => clock.metric === metric);
      return ofMetric.length > 0 ? ofMetric : [idleClock(metric, sla[`${metric}_target_seconds`])];
    }),
  };
}

const idleClock = (metric: SlaMetric, target: number | null) => ({
  metric,
  cycle: 1,
  state: target === null ? ('not_applicable' as const) : ('not_started' as const),
  target_seconds: target,
  elapsed_seconds: 0,
  started_at: null,
  stopped_at: null,
  due_at: null,
  warning_at: null,
  breached_at: null,
  intervals: [],
});

/** A fact may be later than the database's time in this transaction. Then the fact's time is used as now. */
async function readClocks(db: Db, orgId: string, sessionId: string, sla: Sla) {
  const { createdAt, isClosed, depth, facts } = await getSlaFacts(db, orgId, sessionId);
  const now = new Date(Math.max(...[createdAt, sla.now, ...facts.slice(-1).map(({ at }) => at)].map(Number)));
  const turns = timelinesOf(createdAt, facts, sla.applied_at);
  return { clocks: clocksOf(turns, targetsOf(sla), calendarOf(sla), now), now, isClosed, depth };
}

const targetsOf = (sla: Sla): SlaTargets => sla;

function calendarOf({ iana_timezone, shifts, holidays }: Sla): BusinessCalendar | null {
  if (iana_timezone === null || shifts === null || holidays === null) return null;
  return businessCalendar({ iana_timezone, shifts, holidays });
}

interface ClockUpdate {
  clock: Clock;
  news: PendingAnnouncements;
}

/** Announces and records new changes. Returns the clocks that have warned. */
async function settleClocks(
  trx: Trx,
  orgId: string,
  sessionId: string,
  { sla, clocks, now }: { sla: Sla; clocks: Clock[]; now: Date },
) {
  const stored = new Map((await listClocks(trx, orgId, sessionId)).map((row) => [keyOf(row), row]));
  const measured = clocks
    .filter((clock) => isCountedUnder(clock, sla.applied_at))
    .map((clock) => {
      const row = stored.get(keyOf(clock));
      const news = pendingAnnouncementsOf(clock, row, sla.applied_at, now);
      return { clock, row, news, next: rowOf({ clock, row, news }, sla.policy_id, now) };
    });
  const ref = { sessionId, policyId: sla.policy_id };
  await recordHistory(trx, orgId, ref, measured);
  for (const update of measured) await announceClock(trx, orgId, ref, update);
  const changed = measured.filter(({ row, next }) => row === undefined || !isSame(row, next));
  await upsertClocks(
    trx,
    orgId,
    sessionId,
    changed.map(({ next }) => next),
  );
  await deleteUndecidedClocks(
    trx,
    orgId,
    sessionId,
    METRICS.filter((metric) => sla[`${metric}_target_seconds`] !== null),
  );
  return new Set(measured.filter(({ next }) => next.warned_at !== null).map(({ clock }) => clock));
}

const keyOf = ({ metric, cycle }: { metric: SlaMetric; cycle: number }) => `${metric} ${cycle}`;

const rowOf = (
  { clock, row, news }: ClockUpdate & { row: ClockRow | undefined },
  policyId: string,
  now: Date,
): ClockRow => ({
  metric: clock.metric,
  cycle: clock.cycle,
  policy_id: policyId,
  target_seconds: clock.target_seconds,
  elapsed_seconds: clock.stopped_at === null ? (row?.elapsed_seconds ?? 0) : clock.elapsed_seconds,
  changes_told: Math.max(clock.changes.length, row?.changes_told ?? 0),
  warned_at: news.isWarning ? now : (row?.warned_at ?? null),
  breached_at: news.isBreach ? clock.breached_at : (row?.breached_at ?? null),
  stopped_at: clock.stopped_at,
  ...outcomeOf(clock),
});

const isSame = (a: ClockRow, b: ClockRow) =>
  keysOf(b).every((name) => JSON.stringify(a[name]) === JSON.stringify(b[name]));

/** A session and the policy of its clocks. */
interface SessionPolicyRef {
  sessionId: string;
  policyId: string;
}

/** Records changes in order of their occurrence. */
async function recordHistory(
  trx: Trx,
  orgId: string,
  { sessionId, policyId }: SessionPolicyRef,
  measured: ClockUpdate[],
) {
  const events = measured.flatMap(({ clock, news }) => {
    const { metric, cycle, target_seconds, breached_at } = clock;
    const moments = [
      ...news.changes.map(({ type, at }) => ({ type: `sla_${type}` as const, at })),
      ...(news.isBreach && breached_at !== null ? [{ type: 'sla_breached' as const, at: breached_at }] : []),
    ];
    return moments.map(({ type, at }) => ({ type, data: { metric, cycle, policy_id: policyId, target_seconds, at } }));
  });
  await recordSlaEvents(
    trx,
    orgId,
    sessionId,
    events.toSorted((a, b) => a.data.at.getTime() - b.data.at.getTime()),
  );
}

async function announceClock(
  trx: Trx,
  orgId: string,
  { sessionId, policyId }: SessionPolicyRef,
  { clock, news }: ClockUpdate,
) {
  if (!news.isWarning && !news.isBreach) return;
  const { metric, cycle, target_seconds } = clock;
  const dueAt = (clock.breached_at ?? clock.due_at)?.toISOString() ?? null;
  const payload = { policy_id: policyId, metric, cycle, target_seconds, due_at: dueAt };
  await announceWithState(trx, orgId, [
    { type: EVENT_TYPES[metric][news.isBreach ? 'breach' : 'warning'], subject_id: sessionId, payload },
  ]);
  if (!news.isBreach) return;
  const members = await listResponsible(trx, orgId, sessionId);
  await addNotifications(trx, orgId, members, { kind: 'breach', sessionId, data: { metric } });
}
