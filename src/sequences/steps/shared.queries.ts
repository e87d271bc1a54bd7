import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { StepAction } from './actions.schema.ts';
import type { StoredStep } from './rules.ts';

export interface SequenceStep extends StoredStep {
  action: StepAction;
}

/** Returns all steps of a sequence in order, deleted ones included. */
export const listAllSteps = (db: Db, orgId: string, sequenceId: string): Promise<SequenceStep[]> =>
  listAllStepsOf(db, orgId, [sequenceId]);

/** Returns all steps of several sequences in order, deleted ones included. */
export function listAllStepsOf(
  db: Db,
  orgId: string,
  sequenceIds: string[],
): Promise<(SequenceStep & { sequence_id: string })[]> {
  return db
    .selectFrom('sequence_steps')
    .select(['id', 'sequence_id', 'action', 'delay_in_minutes', sql<boolean>`deleted_at is not null`.as('is_deleted')])
    .where('org_id', '=', orgId)
    .where('sequence_id', '=', sql<string>`any(${sequenceIds}::uuid[])`)
    .orderBy('position')
    .$castTo<SequenceStep & { sequence_id: string }>()
    .execute();
}

/** Returns the present steps of several sequences at once. */
export function listStepsOf(db: Db, orgId: string, sequenceIds: string[]) {
  return db
    .selectFrom('sequence_steps')
    .select(['id', 'sequence_id', 'action', 'delay_in_minutes'])
    .where('org_id', '=', orgId)
    .where('sequence_id', '=', sql<string>`any(${sequenceIds}::uuid[])`)
    .where('deleted_at', 'is', null)
    .orderBy('position')
    .execute();
}

export interface StepToSave {
  id: string;
  position: number;
  action: unknown;
  delay_in_minutes: number;
  is_deleted: boolean;
}

/** Writes steps as given: inserts new ones and updates known ones. */
export async function saveSteps(db: Db, orgId: string, sequenceId: string, steps: StepToSave[]): Promise<void> {
  await sql`
    insert into sequence_steps (org_id, id, sequence_id, position, action, delay_in_minutes, deleted_at)
    select ${orgId}::uuid, id, ${sequenceId}::uuid, position, action, delay_in_minutes, case when is_deleted then now() end
    from jsonb_to_recordset(${JSON.stringify(steps)}::jsonb)
      as step (id uuid, position integer, action jsonb, delay_in_minutes double precision, is_deleted boolean)
    on conflict (org_id, id) do update set
      position = excluded.position, action = excluded.action, delay_in_minutes = excluded.delay_in_minutes,
      deleted_at = case when excluded.deleted_at is null then null else coalesce(sequence_steps.deleted_at, excluded.deleted_at) end
  `.execute(db);
}
