import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { CalibrationReport } from './rules.ts';

export const findCalibration = (db: Db, orgId: string) =>
  db
    .selectFrom('ai_calibrations')
    .select(['threshold', 'report', 'requested_at', 'measured_at'])
    .where('org_id', '=', orgId)
    .executeTakeFirst();

export async function upsertCalibration(
  db: Db,
  orgId: string,
  { threshold, report }: { threshold: number; report: CalibrationReport },
): Promise<void> {
  await sql`
    insert into ai_calibrations (org_id, threshold, report, measured_at)
    values (${orgId}, ${threshold}, ${JSON.stringify(report)}::jsonb, now())
    on conflict (org_id) do update set threshold = excluded.threshold, report = excluded.report, measured_at = now()
  `.execute(db);
}

/** Notes that a calibration was requested. */
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
