import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { type AnswerFeedback, NO_FEEDBACK } from './feedback.rules.ts';
import type { CalibrationReport } from './rules.ts';

/** The passages of an org's index, and the id of the latest one. */
interface MeasuredSize {
  passages: number;
  last_chunk: number;
}

/** A request not measured within this time is not waited for: the worker is behind, or its workflow is lost. */
const PENDING = sql`interval '1 minute'`;

const selectCalibration = (db: Db, orgId: string) =>
  db
    .selectFrom('ai_calibrations')
    .select(['threshold', 'report', 'requested_at', 'measured_at', 'progress', 'reason', 'passages', 'last_chunk'])
    .select([
      sql<boolean>`coalesce(measured_at < requested_at, true) and requested_at > now() - ${PENDING}`.as('is_pending'),
      sql<boolean>`coalesce(measured_at < requested_at, true) and requested_at <= now() - ${PENDING}`.as(
        'is_requested_long_ago',
      ),
    ])
    .where('org_id', '=', orgId);

export const findCalibration = (db: Db, orgId: string) => selectCalibration(db, orgId).executeTakeFirst();

/** Finds a calibration and locks it, as the end of a measurement does: it sees changes committed before. */
export const lockCalibration = (trx: Trx, orgId: string) =>
  selectCalibration(trx, orgId).forUpdate().executeTakeFirst();

export async function upsertCalibration(
  db: Db,
  orgId: string,
  { threshold, report, size }: { threshold: number; report: CalibrationReport; size: MeasuredSize },
): Promise<void> {
  await sql`
    insert into ai_calibrations (org_id, threshold, report, passages, last_chunk, measured_at)
    values (${orgId}, ${threshold}, ${JSON.stringify(report)}::jsonb, ${size.passages}, ${size.last_chunk}, now())
    on conflict (org_id) do update set threshold = excluded.threshold, report = excluded.report,
      passages = excluded.passages, last_chunk = excluded.last_chunk, measured_at = now(),
      progress = null, reason = null
  `.execute(db);
}

/** Records the progress of a measurement. */
export async function recordProgress(db: Db, orgId: string, progress: number): Promise<void> {
  await db.updateTable('ai_calibrations').set({ progress, reason: null }).where('org_id', '=', orgId).execute();
}

/** Records the reason of another attempt. */
export async function recordFailure(db: Db, orgId: string, reason: string): Promise<void> {
  await db.updateTable('ai_calibrations').set({ progress: null, reason }).where('org_id', '=', orgId).execute();
}

/** Deletes the threshold of an org if it was measured with vectors. */
export async function deleteVectorThreshold(trx: Trx, orgId: string): Promise<void> {
  await sql`
    update ai_calibrations set threshold = null, report = null
    where org_id = ${orgId} and (report ->> 'with_vectors')::boolean
  `.execute(trx);
}

/** Records the request of a calibration. */
export async function upsertRequest(trx: Trx, orgId: string): Promise<void> {
  await sql`
    insert into ai_calibrations (org_id) values (${orgId}) on conflict (org_id) do update set requested_at = now()
  `.execute(trx);
}

/** Lists those of the orgs without a request of the last day, at most `limit`. */
export async function listDueOrgs(db: Db, orgIds: string[], limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select org.id from unnest(${orgIds}::uuid[]) as org (id)
    where not exists (
      select from ai_calibrations as done where done.org_id = org.id and done.requested_at > now() - interval '1 day'
    ) order by org.id limit ${limit}
  `.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Lists the orgs among these with a measurement and no request for an hour, with the size of their index at the
 * measurement.
 */
export async function listMeasuredIndexes(db: Db, orgIds: string[]): Promise<(MeasuredSize & { org_id: string })[]> {
  const { rows } = await sql<MeasuredSize & { org_id: string }>`
    select org_id, passages, last_chunk::float8 as last_chunk from ai_calibrations
    where org_id = any(${orgIds}::uuid[]) and passages is not null and requested_at < now() - interval '1 hour'
  `.execute(db);
  return rows;
}

/** Counts the outcomes of an org's latest answers by quotes, at most `limit` of the last 90 days. */
export async function countFeedback(db: Db, orgId: string, limit: number): Promise<AnswerFeedback> {
  const { rows } = await sql<AnswerFeedback>`
    select count(*)::int as answers, (count(*) filter (where is_helpful))::int as upvotes,
      (count(*) filter (where not is_helpful))::int as downvotes,
      (count(*) filter (where is_helpful is null and is_handed_off))::int as handoffs
    from (
      select session_id, number, is_helpful from ai_turns
      where org_id = ${orgId} and agent = 'extractive-1' and state = 'answered' and reason is null
        and ended_at > now() - interval '90 days'
      order by ended_at desc limit ${limit}
    ) as answer, lateral (
      select coalesce((
        select state = 'handed_off' and reason in ('user_request', 'not_helping') from ai_turns as next
        where next.org_id = ${orgId} and next.session_id = answer.session_id and next.number > answer.number
          and next.state <> 'superseded'
        order by next.number limit 1
      ), false) as is_handed_off
    ) as followed
  `.execute(db);
  return rows[0] ?? NO_FEEDBACK;
}
