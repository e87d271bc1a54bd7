import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { DividedRange } from '../../db/periods.ts';

export interface BucketCounts {
  at: Date;
  waiting: number;
  sent: number;
  delivered: number;
  failed: number;
  skipped: number;
  unknown: number;
}

/** Counts the deliveries of a sequence by outcome and the hour or day of their creation. Empty ones are left out. */
export async function countByTime(
  db: Db,
  orgId: string,
  sequenceId: string,
  { bucket, from, to, timeZone }: DividedRange & { bucket: 'hour' | 'day' },
): Promise<BucketCounts[]> {
  const { rows } = await sql<BucketCounts>`
    select date_trunc(${bucket}::text, created_at, ${timeZone}::text) as at,
      count(*) filter (where status in ('held', 'queued', 'sending')) as waiting,
      count(*) filter (where status in ('accepted', 'sent', 'delivered', 'read')) as sent,
      count(*) filter (where status in ('delivered', 'read')) as delivered,
      count(*) filter (where status in ('failed', 'bounced')) as failed,
      count(*) filter (where status in ('skipped', 'suppressed', 'canceled')) as skipped,
      count(*) filter (where status = 'unknown') as unknown
    from deliveries
    where org_id = ${orgId} and sequence_id = ${sequenceId}::uuid and created_at >= ${from}::timestamptz and created_at < ${to}::timestamptz
      and step_id is not null
    group by 1 order by 1
  `.execute(db);
  return rows;
}
