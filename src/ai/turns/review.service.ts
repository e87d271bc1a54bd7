import { getAutopilot } from '../../agents/autopilot/service.ts';
import { isContactBlocked } from '../../contacts/blocklist/service.ts';
import {
  type ConversationMessage,
  getConversation,
  isReopenedSince,
  setAiState,
  showTurn,
} from '../../conversations/messages/ai-messages.service.ts';
import { lockSession, type SessionRow } from '../../conversations/sessions/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { newId } from '../../ids.ts';
import { listUnreported } from '../calls/service.ts';
import { type AiSettings, debounceOf, getPublishedAiSettings } from '../settings/service.ts';
import type { NextTurn, SessionRef, TurnRef } from './contract.ts';
import type { TurnEffects } from './effects.port.ts';
import { labelOfState } from './news.rules.ts';
import {
  findLastTurn,
  findOpenTurn,
  finishTurn,
  getAnsweredSeq,
  insertTurn,
  notifyTurn,
  type TurnRow,
  updateTurn,
} from './queries.ts';
import { dueInMs, isSuperseded, refusalOf } from './review.rules.ts';

/** A turn answers at most this many messages. Those before them are part of the conversation all the same. */
const MAX_MESSAGES = 50;

/** What a turn is decided from. The session is locked. */
export interface TurnContext {
  session: SessionRow;
  settings: AiSettings & { version: number };
  /** The messages that the AI knows, oldest first. */
  messages: ConversationMessage[];
  /** The contact's messages that no turn has dealt with yet. */
  unanswered: ConversationMessage[];
  /** Why the AI may not answer. Undefined if it may. */
  refusal: 'off' | 'blocked' | 'people_have_it' | undefined;
}

/** What a decision knows of its session. */
export type DecidedSession = Pick<
  SessionRow,
  'channel' | 'status' | 'language' | 'contact_id' | 'verified' | 'ai_state' | 'assist_mode' | 'relayed_side'
>;

/** What a decision is made from, for a session's turn or for a preview. */
export interface DecisionContext extends Omit<TurnContext, 'session' | 'settings'> {
  session: DecidedSession;
  settings: AiSettings;
  effects: TurnEffects;
}

/** Locks a session and returns what its next turn is decided from. Throws notFound. */
export async function loadContext(trx: Trx, { orgId, sessionId }: SessionRef): Promise<TurnContext> {
  const session = await lockSession(trx, orgId, sessionId);
  const settings = await getPublishedAiSettings(trx, orgId);
  const isAutopilotOn = (await getAutopilot(trx, orgId)).versionOn(session.channel) !== undefined;
  const answered = await getAnsweredSeq(trx, orgId, sessionId);
  const messages = await getConversation(trx, orgId, sessionId, { after: session.ai_context_seq, limit: MAX_MESSAGES });
  const asked = messages.findLast(({ sender }) => sender === 'contact')?.seq ?? 0;
  const replied = messages.findLast(({ sender }) => sender === 'human_agent')?.seq ?? 0;
  const state = await stateOf(trx, orgId, { session, settings, isAutopilotOn });
  await setAiState(trx, orgId, session, state);
  const refusal = refusalOf({
    isAutopilotOn,
    isPaused: state === 'paused',
    isAssisting: session.assist_mode,
    isOpen: session.status === 'open',
    isBlocked: await isContactBlocked(trx, orgId, session.contact_id),
    isReplied: replied > asked,
  });
  const after = refusal === undefined ? Math.max(replied, answered.final) : answered.any;
  const unanswered = messages.filter(({ sender, seq }) => sender === 'contact' && seq > after);
  return { session: { ...session, ai_state: state }, settings, messages, unanswered, refusal };
}

/**
 * Returns whether the AI may speak: as the channel's autopilot says, unless people have the session. A session that was
 * reopened goes to people where the org wants that.
 */
async function stateOf(
  trx: Trx,
  orgId: string,
  {
    session,
    settings,
    isAutopilotOn,
  }: { session: SessionRow; settings: Pick<AiSettings, 'reopen_goes_to'>; isAutopilotOn: boolean },
) {
  if (session.ai_state === 'paused') return 'paused';
  if (settings.reopen_goes_to === 'people' && session.ai_state === 'off') {
    const last = await findLastTurn(trx, orgId, session.id);
    if (await isReopenedSince(trx, orgId, session.id, last?.last_seq ?? 0)) return 'paused';
  }
  return isAutopilotOn ? 'on' : 'off';
}

/**
 * Returns the turn to do next in a session, with the time until it is due. Begins one for messages that no turn has dealt
 * with, adds new messages to one that waits, and ends one that people have taken over or that a newer message makes
 * useless. Returns null if there is nothing to answer. Repeated, it returns the same turn.
 */
export function reviewTurns(db: Db, ref: SessionRef): Promise<NextTurn | null> {
  return inTransaction(db, async (trx) => {
    const context = await loadContext(trx, ref);
    const open = await findOpenTurn(trx, ref.orgId, ref.sessionId);
    if (open === undefined) {
      const last = await findLastTurn(trx, ref.orgId, ref.sessionId);
      return beginTurn(trx, ref, context, last?.state === 'superseded' ? last.supersedes + 1 : 0);
    }
    const lastSeq = context.unanswered.at(-1)?.seq ?? open.last_seq;
    if (context.refusal !== undefined) {
      await endTurn(trx, ref, open, { state: open.has_effects ? 'canceled' : 'skipped', reason: context.refusal });
      return null;
    }
    if (open.state === 'waiting') return extendTurn(trx, ref.orgId, open, context);
    if (!isSuperseded(open, lastSeq)) return { turnId: open.id, number: open.number, dueInMs: 0 };
    await endTurn(trx, ref, open, { state: 'superseded', reason: null });
    return beginTurn(trx, ref, context, open.supersedes + 1);
  });
}

/** Ends a turn, and tells those who wait for it. */
export async function endTurn(
  trx: Trx,
  { orgId, sessionId }: SessionRef,
  turn: Pick<TurnRow, 'id'>,
  end: { state: TurnRow['state']; reason: string | null; agent?: string; score?: number | null; has_message?: boolean },
): Promise<void> {
  await finishTurn(trx, orgId, turn.id, end);
  await showState(trx, { orgId, sessionId, turnId: turn.id }, end.state);
  notifyTurn(trx, sessionId);
}

/** Shows the state of a turn live. The session is locked. */
export const showState = (trx: Trx, { orgId, sessionId, turnId }: TurnRef, state: TurnRow['state']): Promise<void> =>
  showTurn(trx, orgId, sessionId, { turnId, state, label: labelOfState(state), key: state });

async function beginTurn(
  trx: Trx,
  { orgId, sessionId }: SessionRef,
  { session, settings, messages, unanswered, refusal }: TurnContext,
  supersedes: number,
): Promise<NextTurn | null> {
  const [first] = unanswered;
  const last = unanswered.at(-1);
  if (first === undefined || last === undefined)
    return refusal === undefined ? beginReport(trx, { orgId, sessionId }, { messages, settings }) : null;
  const waitMs = dueOf(unanswered, settings, session);
  const id = newId();
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
    ...(refusal === undefined ? {} : { ended: { state: 'skipped', reason: refusal } }),
  });
  if (refusal === undefined) return { turnId: id, number, dueInMs: waitMs };
  await showState(trx, { orgId, sessionId, turnId: id }, 'skipped');
  notifyTurn(trx, sessionId);
  return null;
}

/** Begins a turn for calls of actions that people have decided about. It answers no message. */
async function beginReport(
  trx: Trx,
  { orgId, sessionId }: SessionRef,
  { messages, settings }: Pick<TurnContext, 'messages' | 'settings'>,
): Promise<NextTurn | null> {
  if ((await listUnreported(trx, orgId, sessionId)).length === 0) return null;
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
  return { turnId: id, number, dueInMs: 0 };
}

async function extendTurn(
  trx: Trx,
  orgId: string,
  turn: TurnRow,
  { session, settings, unanswered }: TurnContext,
): Promise<NextTurn> {
  const last = unanswered.at(-1);
  const waitMs = last === undefined ? 0 : dueOf(unanswered, settings, session);
  if (last !== undefined)
    await updateTurn(trx, orgId, turn.id, {
      last_seq: last.seq,
      answers: unanswered.map((message) => message.id),
      due_at: new Date(last.created_at.getTime() + last.age_ms + waitMs),
    });
  return { turnId: turn.id, number: turn.number, dueInMs: waitMs };
}

const dueOf = (unanswered: ConversationMessage[], settings: AiSettings, { channel }: SessionRow): number =>
  dueInMs(
    { firstAgeMs: unanswered[0]?.age_ms ?? 0, lastAgeMs: unanswered.at(-1)?.age_ms ?? 0 },
    debounceOf(settings, channel),
  );
