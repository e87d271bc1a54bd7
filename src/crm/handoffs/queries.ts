import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { SessionRun } from '../contract.ts';
import type { CrmHandoffPartsTable, PartState } from './table.ts';

const COLUMNS = ['part', 'state', 'external_id', 'error', 'attempts', 'next_try_at', 'updated_at'] as const;

/** Returns the parts of a session's handoff in the order of their execution. */
export const listParts = (db: Db, orgId: string, sessionId: string) =>
  db
    .selectFrom('crm_handoff_parts')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .orderBy('position')
    .execute();

/** Inserts the parts of a handoff, all of them pending. Existing parts stay unchanged. */
export async function insertParts(
  trx: Trx,
  orgId: string,
  { sessionId, n }: Pick<SessionRun, 'sessionId' | 'n'>,
  parts: CrmHandoffPartsTable['part'][],
): Promise<void> {
  const rows = parts.map((part, position) => ({
    part,
    org_id: orgId,
    session_id: sessionId,
    position,
    handoff_number: n,
  }));
  await trx
    .insertInto('crm_handoff_parts')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['org_id', 'session_id', 'part']).doNothing())
    .execute();
}

export interface ClaimedPart {
  /** The number of this attempt. */
  attempts: number;
  /** Whether an earlier attempt may have had its effect. */
  may_exist: boolean;
  first_tried_at: Date;
  /** Of the previous attempt; null if this is the first. */
  last_tried_at: Date | null;
  /** Whether the contact became known after the first attempt. */
  has_new_contact: boolean;
}

/** How long an attempt owns a part, unless it extends this. A killed worker's attempt is repeated after that. */
const LEASE_SECONDS = 15;
const LEASE_END = sql<Date>`clock_timestamp() + ${LEASE_SECONDS}::integer * interval '1 second'`;

/**
 * Claims a part and records the attempt. Returns undefined if the part has already ended, and how long another attempt
 * owns it if one does.
 */
export async function claimPart(
  trx: Trx,
  orgId: string,
  sessionId: string,
  part: string,
): Promise<ClaimedPart | { leasedMs: number } | undefined> {
  const { rows } = await sql<ClaimedPart & { leased_ms: number }>`
    with earlier as (
      select org_id, session_id, part, is_ambiguous, last_tried_at,
        greatest(0, ceil(extract(epoch from coalesce(leased_until - clock_timestamp(), '0')) * 1000))::integer as leased_ms
      from crm_handoff_parts
      where org_id = ${orgId} and session_id = ${sessionId} and part = ${part} and state in ('pending', 'running', 'parked')
      for update
    ), claimed as (
      update crm_handoff_parts as claimed set state = 'running', is_ambiguous = true, attempts = attempts + 1,
        first_tried_at = coalesce(first_tried_at, now()), last_tried_at = now(), next_try_at = null, leased_until = ${LEASE_END},
        updated_at = now()
      from earlier
      where claimed.org_id = earlier.org_id and claimed.session_id = earlier.session_id and claimed.part = earlier.part
        and earlier.leased_ms = 0
      returning claimed.attempts, claimed.first_tried_at
    )
    select earlier.leased_ms, claimed.attempts, earlier.is_ambiguous as may_exist, claimed.first_tried_at, earlier.last_tried_at,
      exists (
        select from crm_handoff_parts as contact
        where contact.org_id = earlier.org_id and contact.session_id = earlier.session_id and contact.part = 'contact'
          and contact.external_id is not null and contact.updated_at > claimed.first_tried_at
      ) as has_new_contact
    from earlier left join claimed on true
  `.execute(trx);
  const [claimed] = rows;
  return claimed !== undefined && claimed.leased_ms > 0 ? { leasedMs: claimed.leased_ms } : claimed;
}

interface AttemptRef {
  sessionId: string;
  part: CrmHandoffPartsTable['part'];
  attempt: number;
}

const leaseOf = (db: Db, orgId: string, { sessionId, part, attempt }: AttemptRef) =>
  db
    .updateTable('crm_handoff_parts')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('part', '=', part)
    .where('attempts', '=', attempt)
    .where('leased_until', 'is not', null);

/** Extends the lease of an attempt, if it still has one. */
export async function extendLease(db: Db, orgId: string, attempt: AttemptRef): Promise<void> {
  await leaseOf(db, orgId, attempt).set({ leased_until: LEASE_END }).execute();
}

/** Ends the lease of an attempt. */
export async function endLease(db: Db, orgId: string, attempt: AttemptRef): Promise<void> {
  await leaseOf(db, orgId, attempt).set({ leased_until: null }).execute();
}

export interface PartChange {
  state: PartState;
  external_id?: string;
  error?: string | null;
  is_ambiguous?: boolean;
  next_try_at?: Date | null;
}

/** Finds the state of a part, and locks the part until the transaction ends. */
export const findPartForUpdate = (
  trx: Trx,
  orgId: string,
  sessionId: string,
  part: CrmHandoffPartsTable['part'],
): Promise<{ state: PartState } | undefined> =>
  trx
    .selectFrom('crm_handoff_parts')
    .select('state')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('part', '=', part)
    .forUpdate()
    .executeTakeFirst();

/** Changes a part. Returns false if it is in none of the states of `from`, or was tried again after `attempt`. */
export async function updatePart(
  trx: Trx,
  orgId: string,
  sessionId: string,
  { part, error, ...change }: PartChange & { part: CrmHandoffPartsTable['part'] },
  held: { attempt?: number; from: PartState[] } | undefined = undefined,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('crm_handoff_parts')
    .set({
      ...change,
      ...(error === undefined ? {} : { error: error?.slice(0, 500) ?? null }),
      updated_at: sql<Date>`now()`,
    })
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('part', '=', part)
    .$call((query) => (held === undefined ? query : query.where('state', 'in', held.from)))
    .$call((query) => (held?.attempt === undefined ? query : query.where('attempts', '=', held.attempt)))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Reopens parked and failed parts. Returns their number. */
export async function reopenParts(trx: Trx, orgId: string, sessionId: string): Promise<number> {
  const reopened = await trx
    .updateTable('crm_handoff_parts')
    .set({ state: 'pending', error: null, next_try_at: null, updated_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('state', 'in', ['parked', 'failed'])
    .executeTakeFirst();
  return Number(reopened.numUpdatedRows);
}

/** Reopens those of these parts of a session that were refused or skipped. */
export async function reopenRefusedParts(
  trx: Trx,
  orgId: string,
  sessionId: string,
  parts: CrmHandoffPartsTable['part'][],
): Promise<void> {
  await trx
    .updateTable('crm_handoff_parts')
    .set({ state: 'pending', error: null, updated_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('part', 'in', parts)
    .where('state', 'in', ['failed', 'skipped'])
    .execute();
}

/** Skips those of these parts of a session that wait or were refused. */
export async function skipParts(
  trx: Trx,
  orgId: string,
  sessionId: string,
  { parts, reason }: { parts: CrmHandoffPartsTable['part'][]; reason: string },
): Promise<void> {
  if (parts.length === 0) return;
  await trx
    .updateTable('crm_handoff_parts')
    .set({ state: 'skipped', error: reason, next_try_at: null, updated_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('part', 'in', parts)
    .where('state', 'in', ['pending', 'parked', 'failed'])
    .execute();
}

/** The parts that every handoff creates anew. The others stay with the session. */
const OF_ONE_HANDOFF: CrmHandoffPartsTable['part'][] = ['comment', 'conversation'];

/**
 * Reopens those of these parts of a session that are of no handoff yet, or of an earlier one: those that every handoff
 * creates anew as if they were never tried, and the others if they do not exist. The numbers of attempts grow on, so
 * that a late outcome of an earlier handoff is of no attempt of this one. Repeated, it changes nothing. Returns whether
 * there was one.
 */
export async function reopenForHandoff(
  trx: Trx,
  orgId: string,
  { sessionId, n }: Pick<SessionRun, 'sessionId' | 'n'>,
  parts: CrmHandoffPartsTable['part'][],
): Promise<boolean> {
  const isNew = sql`part in (${sql.join(OF_ONE_HANDOFF)})`;
  const isReopened = sql`(${isNew} or state in ('parked', 'failed', 'skipped'))`;
  const { numAffectedRows = 0n } = await sql`
    update crm_handoff_parts set handoff_number = ${n},
      updated_at = case when ${isReopened} then now() else updated_at end,
      state = case when ${isReopened} then 'pending' else state end,
      error = case when not ${isReopened} then error end,
      next_try_at = case when not ${isReopened} then next_try_at end,
      is_ambiguous = is_ambiguous and not ${isNew},
      first_tried_at = case when not ${isNew} then first_tried_at end,
      last_tried_at = case when not ${isNew} then last_tried_at end,
      leased_until = case when not ${isNew} then leased_until end,
      external_id = case when part <> 'comment' then external_id end -- a conversation goes on, a comment is another one
    where org_id = ${orgId} and session_id = ${sessionId} and part = any(${parts}::text[]) and handoff_number < ${n}
  `.execute(trx);
  return numAffectedRows > 0n;
}

/** Fails the parts of a handoff that have not ended. Returns their number. */
export async function failUnfinishedParts(
  trx: Trx,
  orgId: string,
  { sessionId, n }: Pick<SessionRun, 'sessionId' | 'n'>,
  error: string,
): Promise<number> {
  const failed = await trx
    .updateTable('crm_handoff_parts')
    .set({ state: 'failed', error, next_try_at: null, updated_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('handoff_number', '=', n)
    .where('state', 'in', ['pending', 'running', 'parked'])
    .executeTakeFirst();
  return Number(failed.numUpdatedRows);
}
