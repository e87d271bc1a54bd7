import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { behindInOrder } from '../../db/cursor.ts';
import { CHOOSING_BLOCK_TYPES } from '../blocks/schema.ts';
import type { StepPath } from '../interpreter/step-paths.rules.ts';
import type { RunRef } from './contract.ts';

/** A run in progress, with the batch that does it. */
export interface RunInProgress extends RunRef {
  batchId: string | null;
}

/** Returns runs in progress of all orgs behind a run, in a fixed order. */
export async function listRunsInProgress(db: Db, after: RunRef | undefined, limit: number): Promise<RunInProgress[]> {
  const { rows } = await sql<RunInProgress>`
    select org_id as "orgId", id as "runId", case when not left_batch then batch_id end as "batchId" from automation_runs
    where status = 'in_progress'
      and ${behindInOrder(after?.orgId, after?.runId, limit)}
  `.execute(db);
  return rows;
}

/**
 * Returns runs of all orgs that are in doubt after a restore, in a fixed order: begun or queued before a time, at which the
 * lost database may have had their next steps. A run that waits longer had none.
 */
export async function listRunsInDoubt(
  db: Db,
  { after, limit, lostUntil }: { after: RunRef | undefined; limit: number; lostUntil: Date },
): Promise<RunRef[]> {
  const { rows } = await sql<RunRef>`
    select org_id as "orgId", id as "runId" from automation_runs as run
    where status in ('idle', 'in_progress') and created_at <= ${lostUntil}::timestamptz and not exists (
      select from automation_steps as step where step.org_id = run.org_id and step.run_id = run.id and step.status = 'waiting'
        and (step.input ->> 'until')::timestamptz > ${lostUntil}::timestamptz
    )
      and ${behindInOrder(after?.orgId, after?.runId, limit)}
  `.execute(db);
  return rows;
}

const stepsOf = (trx: Trx, { orgId, runId }: RunRef) =>
  trx.selectFrom('automation_steps').select(['path', 'status']).where('org_id', '=', orgId).where('run_id', '=', runId);

/** Returns the step of a run that is in progress or waiting. */
export const findOpenStep = (trx: Trx, ref: RunRef) =>
  stepsOf(trx, ref)
    .where('status', 'in', ['in_progress', 'waiting'])
    .orderBy('started_at', 'desc')
    .limit(1)
    .executeTakeFirst();

/**
 * Returns the paths of the actions and waits of a run that were begun last, at the same time. Blocks that only choose
 * are left out: that they have is no sign that the chosen steps were begun.
 */
export async function listLastActions(trx: Trx, ref: RunRef): Promise<StepPath[]> {
  const rows = await stepsOf(trx, ref)
    .where('type', 'not in', CHOOSING_BLOCK_TYPES)
    .orderBy('started_at', 'desc')
    .fetch(1, 'with ties')
    .execute();
  return rows.map(({ path }) => path);
}

/** Returns whether a run has begun a step. */
export const hasStep = async (trx: Trx, ref: RunRef): Promise<boolean> =>
  (await stepsOf(trx, ref).limit(1).executeTakeFirst()) !== undefined;
