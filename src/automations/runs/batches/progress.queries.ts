import { sql } from 'kysely';
import type { Db } from '../../../db/connect.ts';
import { announcementOf, rowsOf } from '../../../outbox/announcing.ts';
import type { Json } from '../../blocks/schema.ts';
import type { StepPath } from '../../interpreter/step-paths.rules.ts';
import type { StepRecord } from '../shared.queries.ts';

/** What is new about a run whose end nobody waits for. */
export interface PlainProgress {
  runId: string;
  batchId: string;
  redactions: number;
  ended: { path: StepPath; output: Json } | undefined;
  records: StepRecord[];
  isEnd: boolean;
}

export interface SavedProgress {
  /** The ids of the runs whose progress was saved. */
  runIds: Set<string>;
  /** The ids of those that continue. */
  going: string[];
  /** Events were announced. */
  hasAnnounced: boolean;
}

/**
 * Saves the progress of runs that their batches still have to do, and ends those without a next step. Nothing is saved of
 * a run that was redacted or canceled since it was loaded, or whose end a handoff waits for. A run continues unless another
 * attempt has begun its action.
 */
export async function saveInOneStatement(db: Db, orgId: string, items: PlainProgress[]): Promise<SavedProgress> {
  const given = items.map(({ runId, batchId, redactions, ended, isEnd }) => ({
    run_id: runId,
    batch_id: batchId,
    redactions,
    is_end: isEnd,
    ...ended,
  }));
  const records = items.flatMap(({ runId, records }) => records.map((record) => ({ ...record, run_id: runId })));
  const begun = new Map(
    records.flatMap(({ run_id, path, status }) => (status === 'in_progress' ? [[run_id, path] as const] : [])),
  );
  const { rows } = await sql<{ id: string; inserted: StepPath[]; announced: number }>`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
        as given (run_id uuid, batch_id uuid, redactions integer, is_end boolean, path text, output jsonb)
    ), locked as materialized (
      select run.id, given.is_end, given.path, given.output from given
      join automation_runs as run on run.org_id = ${orgId} and run.id = given.run_id
      where run.status = 'in_progress' and run.batch_id = given.batch_id and not run.left_batch
        and run.redactions = given.redactions and not (given.is_end and run.handoff_hold_id is not null)
      order by run.id for update of run
    ), completed as (
      update automation_steps as step set status = 'completed', output = locked.output, error = null, next_try_at = null, ended_at = now()
      from locked
      where step.org_id = ${orgId} and step.run_id = locked.id and step.path = locked.path and step.status = 'in_progress'
    ), inserted as (
      insert into automation_steps (org_id, run_id, path, step_id, type, name, status, input, output, attempts, ended_at)
      select ${orgId}::uuid, run_id, record.path, step_id, type, name, status, input, record.output, 1,
        case when status = 'completed' then now() end
      from jsonb_to_recordset(${JSON.stringify(records)}::jsonb)
        as record (run_id uuid, path text, step_id text, type text, name text, status text, input jsonb, output jsonb)
      join locked on locked.id = record.run_id
      on conflict (org_id, run_id, path) do nothing
      returning run_id, path
    )${endOf(orgId, items)}
    select locked.id, array(select path from inserted where inserted.run_id = locked.id) as inserted,
      (select count(*) from announced) as announced
    from locked
  `.execute(db);
  const going = rows.filter(({ id, inserted }) => {
    const path = begun.get(id);
    return path === undefined || inserted.includes(path);
  });
  return {
    runIds: new Set(rows.map(({ id }) => id)),
    going: going.map(({ id }) => id),
    hasAnnounced: rows.some(({ announced }) => announced > 0),
  };
}

/** SQL: ends those of the runs that have no next step, and announces it. */
function endOf(orgId: string, items: PlainProgress[]) {
  const ends = items.filter(({ isEnd }) => isEnd);
  if (ends.length === 0) return sql`, announced as (select 1 where false)`;
  const rows = rowsOf(
    orgId,
    ends.map(({ runId }) => ({
      type: 'workflow-run-ended' as const,
      subject_id: runId,
      payload: { status: 'completed' as const },
    })),
  );
  return sql`, ended as (
      update automation_runs as run set status = 'completed', error = null, is_waiting = false, waits_for = null, run_ended_at = now()
      from locked where run.org_id = ${orgId} and run.id = locked.id and locked.is_end
      returning run.id
    ), announced as (${announcementOf(sql`select * from (${rows}) as event where subject_id in (select id from ended)`)} returning 1)`;
}
