import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../../db/cursor.ts';

const isWaiting = sql<boolean>`(state = 'needs_confirmation' and expires_at > clock_timestamp())`;
const isExpired = sql<boolean>`expires_at <= clock_timestamp()`.as('is_expired');

/** SQL: the number of unconfirmed calls in the row of `session`. */
export const waitingInSession = () =>
  sql<number>`(
    select count(*)::integer from ai_calls as asked
    where asked.org_id = session.org_id and asked.session_id = session.id and asked.state = 'needs_confirmation'
      and asked.expires_at > clock_timestamp()
  )`;

const selectCall = (db: Db, orgId: string) =>
  db.selectFrom('ai_calls').selectAll().select(isExpired).where('org_id', '=', orgId);

export const findConfirmation = (db: Db, orgId: string, id: string) =>
  selectCall(db, orgId).where('id', '=', id).where('needs', 'is not', null).executeTakeFirst();

export const lockConfirmation = (trx: Trx, orgId: string, id: string) =>
  selectCall(trx, orgId).where('id', '=', id).where('needs', 'is not', null).forUpdate().executeTakeFirst();

export const findByToken = (db: Db, orgId: string, tokenHash: string) =>
  selectCall(db, orgId).where('token_hash', '=', tokenHash).executeTakeFirst();

/** The `seq` of the message asking a customer to confirm the call. Null if no customer was asked. */
const askedSeq = sql<number | null>`(
  select seq from session_events as question
  where question.org_id = ai_calls.org_id and question.id = asked_message_id and question.type = 'message'
)`;

/** Messages of a contact answered together by one turn. */
export interface AnswerRef {
  sessionId: string;
  /** The `seq` of the first one. */
  firstSeq: number;
  messageIds: string[];
}

/**
 * Finds the call of the newest question before these messages. Considers waiting calls, calls already decided by these
 * messages, and calls with a decision unreported to the contact.
 */
export const findLastAsked = (db: Db, orgId: string, { sessionId, firstSeq, messageIds }: AnswerRef) =>
  selectCall(db, orgId)
    .where('session_id', '=', sessionId)
    .where(askedSeq, '<', firstSeq)
    .where((eb) =>
      eb.or([
        isWaiting,
        eb('decided_message_id', '=', sql<string>`any(${messageIds}::uuid[])`),
        eb.and([eb('decided_at', 'is not', null), eb('reported_at', 'is', null)]),
      ]),
    )
    .orderBy(askedSeq, 'desc')
    .limit(1)
    .executeTakeFirst();

/** Lists the calls waiting for a confirmation, oldest first: the rows of a page, plus one more if there is one. */
export const listWaiting = (
  db: Db,
  orgId: string,
  { sessionId, ...page }: PageRequest & { sessionId: string | undefined },
) =>
  selectCall(db, orgId)
    .where(isWaiting)
    .$if(sessionId !== undefined, (calls) => calls.where('session_id', '=', sessionId ?? ''))
    .$call(orderedByCreation(page))
    .execute();

/** Stores the message of the question, the token of its link and the end of its validity with a waiting call. */
export const setQuestion = (
  trx: Trx,
  orgId: string,
  id: string,
  { messageId, tokenHash, lastsMs }: { messageId: string; tokenHash: string; lastsMs: number },
) =>
  trx
    .updateTable('ai_calls')
    .set({
      asked_message_id: messageId,
      token_hash: tokenHash,
      expires_at: sql<Date>`clock_timestamp() + ${lastsMs} * interval '1 millisecond'`,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('state', '=', 'needs_confirmation')
    .returning('expires_at')
    .executeTakeFirst();

export interface StoredDecision {
  state: 'confirmed' | 'rejected';
  by: 'link' | 'widget' | 'message' | 'agent';
  keyId: string | null;
  messageId: string | null;
}

export const storeDecision = (trx: Trx, orgId: string, id: string, { state, by, keyId, messageId }: StoredDecision) =>
  trx
    .updateTable('ai_calls')
    .set({
      state,
      confirmed_by: by,
      decided_key_id: keyId,
      decided_message_id: messageId,
      decided_at: sql<Date>`clock_timestamp()`,
      ended_at: state === 'rejected' ? sql<Date>`clock_timestamp()` : null,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** Replaces the arguments of a waiting call. `isForAgent` makes it wait for an agent. */
export const setArguments = (
  trx: Trx,
  orgId: string,
  id: string,
  { parameters, fingerprint, isForAgent }: { parameters: string; fingerprint: string; isForAgent: boolean },
) =>
  trx
    .updateTable('ai_calls')
    .set({
      arguments: parameters,
      fingerprint,
      ...(isForAgent && { needs: 'agent' as const, needs_because: 'limits' as const }),
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** Returns whether the session has another call of this fingerprint in a state against repeats. */
export const isCallTaken = async (
  trx: Trx,
  orgId: string,
  { id, session_id, epoch }: { id: string; session_id: string; epoch: number },
  fingerprint: string,
): Promise<boolean> =>
  (await trx
    .selectFrom('ai_calls')
    .select('id')
    .where('org_id', '=', orgId)
    .where('session_id', '=', session_id)
    .where('epoch', '=', epoch)
    .where('fingerprint', '=', fingerprint)
    .where('id', '<>', id)
    .where('state', 'not in', ['rejected', 'expired', 'failed'])
    .executeTakeFirst()) !== undefined;

/** Ends some of the expired confirmations of all orgs. Returns their number. */
export async function expireWaiting(db: Db, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update ai_calls set state = 'expired', ended_at = clock_timestamp() where (org_id, id) in (
      select org_id, id from ai_calls where state = 'needs_confirmation' and expires_at <= clock_timestamp()
      order by expires_at limit ${limit} for update skip locked
    )
  `.execute(db);
  return Number(numAffectedRows);
}
