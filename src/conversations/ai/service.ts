import type { Db, Trx } from '../../db/connect.ts';
import { idOf, newId } from '../../ids.ts';
import { readSettings } from '../../orgs/service.ts';
import { announce } from '../../outbox/announcing.ts';
import { AI } from '../../schemas/actor.ts';
import type { SessionChannel } from '../../schemas/parts.ts';
import { announceWithState } from '../announcements.service.ts';
import type { AnswerCitation } from '../answers.port.ts';
import { changeSession, recordEvents, type SessionEvent } from '../change-session.service.ts';
import type { MessageCall, MessageConfirmation } from '../history/events.schema.ts';
import { deliverToChannel, type SendingDeps } from '../messages/service.ts';
import {
  findMessageWithSources,
  findReopening,
  lastMessagesAsJson,
  listLastMessages,
} from '../messages/shared.queries.ts';
import { type LockedSession, updateSession } from '../queries.ts';
import { closingPayloadOf } from '../sessions/closing.rules.ts';
import type { AiState } from '../sessions/schema.ts';
import { summarizesIf, summaryOfResolution } from '../summary/service.ts';
import { findOpenTurnNews } from './states.queries.ts';

export { listAiStates } from './states.queries.ts';

/** A message of the AI. */
export interface AiMessage {
  id: string;
  text: string;
  /** The answering agent: `extractive-1`, or the name of a model. */
  agent: string;
  turnId: string;
  citations: AnswerCitation[];
  /** The calls of actions made or reported by the turn. */
  calls: MessageCall[];
  /** The message's question for the contact's confirmation. */
  confirmation?: MessageConfirmation | undefined;
  /** The live news shown with the message. */
  news?: TurnNews | undefined;
}

export interface SessionForAi {
  id: string;
  channel: SessionChannel;
  ai_state: AiState;
  assist_mode: boolean;
}

export type ConversationMessage = Awaited<ReturnType<typeof listLastMessages>>[number];
type MessageAsJson = Omit<ConversationMessage, 'created_at'> & { created_at: string };

/** Returns the last messages of a session after a `seq`, oldest first, each with its age in milliseconds. */
export const getConversation = (
  db: Db,
  orgId: string,
  sessionId: string,
  range: { after: number; limit: number },
): Promise<ConversationMessage[]> => listLastMessages(db, orgId, sessionId, range);

/**
 * SQL: the result of `getConversation`, to be read by `readConversation`. For a statement with more to read at once.
 */
export const conversationAsJson = lastMessagesAsJson;

/** Returns the messages of a row of `conversationAsJson`. */
export const readConversation = (rows: MessageAsJson[]): ConversationMessage[] =>
  rows.map((row) => ({ ...row, created_at: new Date(row.created_at) })).reverse();

/** Returns whether the session was reopened after a `seq`. */
export const isReopenedSince = async (db: Db, orgId: string, sessionId: string, seq: number): Promise<boolean> =>
  ((await findReopening(db, orgId, sessionId))?.seq ?? 0) > seq;

/** Returns a message of the AI, or undefined if it said nothing, or its text is redacted. */
export async function findAiMessage(
  db: Db,
  orgId: string,
  id: string,
): Promise<{ text: string; citations: AnswerCitation[] } | undefined> {
  const message = await findMessageWithSources(db, orgId, id);
  return message === undefined || message.content === null
    ? undefined
    : { text: message.content, citations: message.citations };
}

/** Sets whether the AI may speak in a locked session. */
export async function setAiState(trx: Trx, orgId: string, session: LockedSession, state: AiState): Promise<void> {
  if (session.ai_state !== state) await updateSession(trx, orgId, session.id, { ai_state: state });
}

/**
 * Adds a message of the AI to a locked session, and sends it on the session's channel. In Assist Mode it becomes a
 * draft for agents instead. No customer sees it. Throws the same errors as sendMessage.
 */
export async function addAiMessage(
  trx: Trx,
  deps: SendingDeps,
  orgId: string,
  session: LockedSession,
  { id, text, agent, turnId, citations, calls, confirmation, news }: AiMessage,
): Promise<void> {
  const data = {
    agent,
    turn_id: turnId,
    ...(citations.length > 0 && { citations }),
    ...(calls.length > 0 && { action_calls: calls }),
    ...(confirmation && { confirmation }),
  };
  const shown = news === undefined ? [] : [eventOf(orgId, news)];
  if (session.assist_mode) {
    await recordEvents(trx, orgId, session.id, [
      {
        id,
        type: 'human_agent_comment',
        actor: AI,
        content: text,
        data: { ...data, is_draft: true, sender_name: 'AI' },
      },
      ...shown,
    ]);
    await announce(trx, orgId, [{ type: 'ai-draft-created', subject_id: session.id, payload: { message_id: id } }]);
    return;
  }
  await deliverToChannel(trx, deps, orgId, { session, id, text, files: [], isAutoReply: true });
  await changeSession(trx, orgId, session, {
    events: [{ id, type: 'message', sender: 'ai', content: text, data, relayTo: 'customer' }, ...shown],
  });
}

/**
 * Records the closing of a locked session as resolved by the customer, if the AI has it and its answer was the last
 * one.
 */
export async function noteResolutionByCustomer(trx: Trx, orgId: string, session: LockedSession): Promise<void> {
  if (session.status !== 'open' || session.ai_state !== 'on') return;
  const messages = await listLastMessages(trx, orgId, session.id, { after: session.ai_context_seq, limit: 50 });
  if (messages.findLast(({ sender }) => sender !== 'contact')?.sender === 'ai')
    await updateSession(trx, orgId, session.id, { ai_closure_type: 'resolved' });
}

/** The present work of a turn of the AI, or its end. */
export interface TurnNews {
  turnId: string;
  state: string;
  label: string;
  /** The same for the same news of a turn, and different for all others of it. */
  key: string;
}

const eventOf = (orgId: string, { turnId, state, label, key }: TurnNews) => ({
  id: idOf(orgId, 'ai turn', turnId, key),
  type: 'ai_turn' as const,
  data: { id: turnId, state, label },
});

/** Shows the work of a turn of the AI live in a locked session. Shown again, it changes nothing. */
export async function showTurn(trx: Trx, orgId: string, sessionId: string, news: TurnNews): Promise<void> {
  await recordEvents(trx, orgId, sessionId, [eventOf(orgId, news)]);
}

/** Returns the AI's present work in a session, in words. Null while no turn is under way. */
export async function findTurnLabel(db: Db, orgId: string, sessionId: string): Promise<string | null> {
  return (await findOpenTurnNews(db, orgId, sessionId))?.label ?? null;
}

/** Resolves a locked, open session because the customer called the issue solved, or has not written again. */
export async function resolveByAi(
  trx: Trx,
  orgId: string,
  session: LockedSession,
  closure: 'resolved' | 'assumed_resolved',
): Promise<void> {
  const { csat } = await readSettings(trx, orgId);
  const asked: SessionEvent[] = csat ? [{ id: newId(), type: 'csat_requested', actor: AI }] : [];
  const summary = await summaryOfResolution(trx, orgId, session.id);
  const moved = { from: session.status, to: 'closed_resolved', custom_status_id: null };
  const closing = { id: newId(), data: { ...moved, ...closingPayloadOf(session.session_closed_payload) } };
  await changeSession(trx, orgId, session, {
    ...summary,
    status: 'closed_resolved',
    custom_status_id: null,
    isClosed: true,
    isResolution: true,
    reflects_resolution: true,
    ai_closure_type: closure,
    events: [
      { id: newId(), type: 'ai_resolved_issue', actor: AI, data: { closure } },
      { ...closing, type: 'status_changed', actor: AI },
      ...asked,
    ],
  });
  await announceWithState(trx, orgId, [
    {
      type: 'ticket-resolved',
      subject_id: session.id,
      payload: { reflects: true, ...summarizesIf(summary), closing_id: closing.id },
    },
  ]);
}

/**
 * Returns a locked session to the AI: it is no longer handed off, nor anybody's. The AI knows the conversation from the
 * first message waiting for a reply.
 */
export async function returnToAi(trx: Trx, orgId: string, session: LockedSession): Promise<void> {
  const messages = await listLastMessages(trx, orgId, session.id, { after: session.ai_context_seq, limit: 50 });
  const replied = messages.findLast(({ sender }) => sender === 'ai' || sender === 'human_agent');
  const isAnswered =
    replied !== undefined && messages.every(({ sender, seq }) => sender !== 'contact' || seq < replied.seq);
  await changeSession(trx, orgId, session, {
    ai_state: 'on',
    ai_context_seq: replied?.seq ?? session.ai_context_seq,
    handoff: null,
    ai_closure_type: null,
    assignee_id: null,
    queued_at: null,
    events: [{ id: newId(), type: 'returned_to_ai', isAnswered }],
  });
  if (session.assignee_id !== null)
    await announceWithState(trx, orgId, [
      {
        type: 'ticket-reassigned',
        subject_id: session.id,
        payload: {
          assignee_id: null,
          team_id: session.team_id,
          before: { assignee_id: session.assignee_id, team_id: session.team_id },
        },
      },
    ]);
}
