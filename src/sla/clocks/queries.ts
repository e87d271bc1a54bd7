import { type SqlBool, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { SlaClocksTable } from '../table.ts';

export type ClockRow = Omit<SlaClocksTable, 'org_id' | 'session_id' | 'channel' | 'team_id' | 'assignee_id'>;

/** Selects a session's policy with its office hours and the database's current time. */
export const findSla = (db: Db, orgId: string, sessionId: string) =>
  db
    .selectFrom('session_slas as sla')
    .innerJoin('sla_policies as policy', (join) =>
      join.onRef('policy.org_id', '=', 'sla.org_id').onRef('policy.id', '=', 'sla.policy_id'),
    )
    .leftJoin('office_hours as hours', (join) =>
      join.onRef('hours.org_id', '=', 'policy.org_id').onRef('hours.id', '=', 'policy.office_hours_id'),
    )
    .select(['sla.applied_at', 'sla.is_over', 'sla.next_at', 'policy.id as policy_id', 'policy.name'])
    .select(['policy.first_reply_target_seconds', 'policy.next_reply_target_seconds'])
    .select([
      'policy.resolution_target_seconds',
      'policy.office_hours_id',
      'hours.iana_timezone',
      'hours.shifts',
      'hours.holidays',
    ])
    .select(sql<Date>`now()`.as('now'))
    .where('sla.org_id', '=', orgId)
    .where('sla.session_id', '=', sessionId);

/** Returns the same, and locks the policy and its link to the session against deletion until the transaction ends. */
export const lockSlaShared = (trx: Trx, orgId: string, sessionId: string) =>
  findSla(trx, orgId, sessionId).forKeyShare(['sla', 'policy']).executeTakeFirst();

export const listClocks = (db: Db, orgId: string, sessionId: string): Promise<ClockRow[]> =>
  db
    .selectFrom('sla_clocks')
    .select(['metric', 'cycle', 'policy_id', 'target_seconds', 'elapsed_seconds', 'changes_told'])
    .select(['warned_at', 'breached_at', 'stopped_at', 'outcome', 'decided_at'])
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .execute();

export async function upsertClocks(trx: Trx, orgId: string, sessionId: string, clocks: ClockRow[]): Promise<void> {
  if (clocks.length === 0) return;
  await sql`
    insert into sla_clocks (org_id, session_id, metric, cycle, policy_id, target_seconds, elapsed_seconds, changes_told, warned_at,
      breached_at, stopped_at, outcome, decided_at)
    select ${orgId}::uuid, ${sessionId}::uuid, clock.* from jsonb_to_recordset(${JSON.stringify(clocks)}::jsonb) as clock (
      metric text, cycle integer, policy_id uuid, target_seconds integer, elapsed_seconds float8, changes_told integer,
      warned_at timestamptz, breached_at timestamptz, stopped_at timestamptz, outcome text, decided_at timestamptz)
    on conflict (org_id, session_id, metric, cycle) do update set policy_id = excluded.policy_id,
      target_seconds = excluded.target_seconds, elapsed_seconds = excluded.elapsed_seconds, changes_told = excluded.changes_told,
      warned_at = excluded.warned_at, breached_at = excluded.breached_at, stopped_at = excluded.stopped_at,
      outcome = excluded.outcome, decided_at = excluded.decided_at
  `.execute(trx);
}

/** Deletes undecided clocks, except those of the metrics in `save`. */
export async function deleteUndecidedClocks(trx: Trx, orgId: string, sessionId: string, save: string[]): Promise<void> {
  await trx
    .deleteFrom('sla_clocks')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('outcome', 'is', null)
    .where(sql<SqlBool>`metric <> all(${save}::text[])`)
    .execute();
}

/** What an evaluation of a session's clocks found. */
export interface EvaluatedSla {
  is_over: boolean;
  next_at: Date | null;
}

export async function updateSla(trx: Trx, orgId: string, sessionId: string, evaluated: EvaluatedSla): Promise<void> {
  await trx
    .updateTable('session_slas')
    .set(evaluated)
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .execute();
}
