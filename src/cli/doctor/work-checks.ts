import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { onlyRow } from '../../db/rows.ts';
import { findSendingPause } from '../../deliveries/pause/service.ts';
import { examine, type Finding, type Judgement, ok, skipped, warning } from './findings.ts';

const OLD_SECONDS = 300;

/** Checks that accepted work reaches Temporal, and that messages go out. */
export const examineWork = async (db: Db | undefined): Promise<Finding[]> => [
  await examine('sending', 'correct DATABASE_URL, or start Postgres', async () =>
    db === undefined ? skipped('Postgres cannot be asked') : judgeSending(db),
  ),
  await examine('outbox', 'correct DATABASE_URL, or start Postgres', async () =>
    db === undefined ? skipped('Postgres cannot be asked') : judgeOutbox(db),
  ),
];

async function judgeOutbox(db: Db): Promise<Judgement> {
  const { oldest, parked } = onlyRow(
    await sql<{ oldest: number | null; parked: number }>`
      select
        (select extract(epoch from clock_timestamp() - created_at)::float8 from outbox
          where available_at <> 'infinity' order by id limit 1) as oldest,
        (select count(*) from outbox where kind = 'event' and interruptions > 0 and available_at = 'infinity') as parked
    `.execute(db),
  );
  if (parked > 0) return warning(`${parked} events are parked`, 'see "Parked events" in docs/operations.md');
  if (oldest === null) return ok('nothing waits');
  const found = `the oldest row has waited for ${Math.max(0, Math.round(oldest))} s`;
  return oldest < OLD_SECONDS
    ? ok(found)
    : warning(found, 'start a worker of the queue interactive, or read last_error of its row in the table outbox');
}

async function judgeSending(db: Db): Promise<Judgement> {
  const pause = await findSendingPause(db);
  if (pause === undefined) return ok('is not paused');
  const why = pause.reason === null ? '' : `: ${pause.reason}`;
  return warning(
    `is paused since ${pause.paused_at.toISOString()}${why}`,
    'no message and no webhook goes out: "npm run cli -- sending resume" once all is in order',
  );
}
