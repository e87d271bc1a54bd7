import type { ConversationMessage } from '../../../conversations/ai/service.ts';
import { redactionsOf } from '../../../conversations/redaction/service.ts';
import type { SessionRow } from '../../../conversations/sessions/service.ts';
import type { Db, Trx } from '../../../db/connect.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { newId } from '../../../ids.ts';
import { type AiSettings, debounceOf } from '../../settings/service.ts';
import { loadContext, type OpenTurn, type TurnContext } from '../context.service.ts';
import type { NextTurn, SessionRef } from '../contract.ts';
import { dropUnsentCalls, endTurn, showState } from '../ending.service.ts';
import { insertTurn, notifyTurn, updateTurn } from '../queries.ts';
import { endOfRefused, isSuperseded } from '../states.rules.ts';
import { dueInMs } from './rules.ts';

/** The result of a review. */
export interface ReviewedTurn extends NextTurn {
  /** Whether the turn is new and was begun. */
  isBegun: boolean;
}

/**
 * Returns the turn to do next in a session, with the time until it is due. Begins one for messages not handled by any
 * turn. Adds new messages to a waiting one. Ends one if people have taken over, if it has read a text redacted since,
 * or if a newer message makes it useless. Returns null if there is nothing to answer. Repeated, it returns the same
 * turn.
 */
export const reviewTurns = (db: Db, ref: SessionRef): Promise<NextTurn | null> =>
  inTransaction(db, async (trx) => {
    const turn = await reviewLocked(trx, ref, await loadContext(trx, ref), { beginsDue: false });
    if (turn === null) return null;
    const { isBegun: _, ...next } = turn;
    return next;
  });

/** Reviews a locked session like `reviewTurns`. With `beginsDue`, a new due turn begins at once. */
export async function reviewLocked(
  trx: Trx,
  ref: SessionRef,
  context: TurnContext,
  { beginsDue }: { beginsDue: boolean },
): Promise<ReviewedTurn | null> {
  const { open, last, refusal, unanswered } = context;
  await dropUnsentCalls(trx, ref, context);
  if (open === null) {
    const supersedes = last?.state === 'superseded' ? last.supersedes + 1 : 0;
    return insertNext(trx, ref, context, { supersedes, beginsDue });
  }
  if (refusal !== undefined) {
    await endTurn(trx, ref, open, endOfRefused(open, refusal));
    return null;
  }
  if (open.state === 'waiting') return extendTurn(trx, ref.orgId, open, context);
  const isOutdated = open.is_redacted && !open.has_effects;
  if (!isOutdated && !isSuperseded(open, unanswered.at(-1)?.seq ?? open.last_seq))
    return { turnId: open.id, number: open.number, dueInMs: 0, isBegun: false };
  await endTurn(trx, ref, open, { state: 'superseded', reason: null });
  return insertNext(trx, ref, context, { supersedes: open.supersedes + 1, beginsDue });
}

async function insertNext(
  trx: Trx,
  { orgId, sessionId }: SessionRef,
  { session, settings, messages, unanswered, refusal, hasUnreported }: TurnContext,
  { supersedes, beginsDue }: { supersedes: number; beginsDue: boolean },
): Promise<ReviewedTurn | null> {
  const [first] = unanswered;
  const last = unanswered.at(-1);
  if (first === undefined || last === undefined)
    return refusal === undefined && hasUnreported
      ? insertReport(trx, { orgId, sessionId }, { messages, settings })
      : null;
  const waitMs = dueOf(unanswered, settings, session);
  const id = newId();
  const isBegun = beginsDue && refusal === undefined && waitMs <= 0;
  const number = await insertTurn(trx, {
    org_id: orgId,
    id,
    session_id: sessionId,
    first_seq: first.seq,
    last_seq: last.seq,
    answers: unanswered.map((message) => message.id),
    message_id: newId(),
    config_version: settings.version,
    due_at: new Date(last.created_at.getTime() + last.age_ms + waitMs),
    supersedes,
    isBegun,
    redactions: isBegun ? redactionsOf(orgId, sessionId) : undefined,
    ...(refusal === undefined ? {} : { ended: { state: 'skipped', reason: refusal } }),
  });
  const ref = { orgId, sessionId, turnId: id };
  if (isBegun) await showState(trx, ref, 'running');
  if (refusal === undefined) return { turnId: id, number, dueInMs: waitMs, isBegun };
  await showState(trx, ref, 'skipped');
  notifyTurn(trx, sessionId);
  return null;
}

/** Inserts a turn for calls of actions decided by people. It answers no message. */
async function insertReport(
  trx: Trx,
  { orgId, sessionId }: SessionRef,
  { messages, settings }: Pick<TurnContext, 'messages' | 'settings'>,
): Promise<ReviewedTurn> {
  const last = messages.findLast(({ sender }) => sender === 'contact')?.seq ?? 0;
  const id = newId();
  const number = await insertTurn(trx, {
    org_id: orgId,
    id,
    session_id: sessionId,
    first_seq: last,
    last_seq: last,
    answers: [],
    message_id: newId(),
    config_version: settings.version,
    due_at: new Date(),
  });
  return { turnId: id, number, dueInMs: 0, isBegun: false };
}

async function extendTurn(
  trx: Trx,
  orgId: string,
  turn: OpenTurn,
  { session, settings, unanswered }: TurnContext,
): Promise<ReviewedTurn> {
  const last = unanswered.at(-1);
  const waitMs = last === undefined ? 0 : dueOf(unanswered, settings, session);
  if (last !== undefined)
    await updateTurn(trx, orgId, turn.id, {
      last_seq: last.seq,
      answers: unanswered.map((message) => message.id),
      due_at: new Date(last.created_at.getTime() + last.age_ms + waitMs),
    });
  return { turnId: turn.id, number: turn.number, dueInMs: waitMs, isBegun: false };
}

/** Returns whether the unanswered messages, if any, are to be answered now. */
export const isDue = ({ session, settings, unanswered }: TurnContext): boolean =>
  unanswered.length === 0 || dueOf(unanswered, settings, session) <= 0;

const dueOf = (unanswered: ConversationMessage[], settings: AiSettings, { channel }: SessionRow): number =>
  dueInMs(
    { firstAgeMs: unanswered[0]?.age_ms ?? 0, lastAgeMs: unanswered.at(-1)?.age_ms ?? 0 },
    debounceOf(settings, channel),
  );
