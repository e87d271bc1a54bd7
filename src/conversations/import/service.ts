import type { Trx } from '../../db/connect.ts';
import { newId, newIdAt } from '../../ids.ts';
import { detectLanguage } from '../../languages/detection.ts';
import { currentActor } from '../../processes/current-work.ts';
import { SYSTEM } from '../../schemas/actor.ts';
import { ownWordsIn } from '../own-words/own-words.rules.ts';
import type { SessionStatus } from '../sessions/schema.ts';
import {
  insertPastEvents,
  insertPastSessions,
  insertPastTags,
  listExistingEvents,
  lockPastSessions,
  type NewPastEvent,
  type SessionValues,
  type StoredSession,
  updatePastSessions,
} from './queries.ts';
import { type PastConversation, type PlacedMessage, stateOf } from './rows.rules.ts';

/** A session as it was last imported. */
export interface ImportedSession {
  id: string;
  /** The `seq` of its last event. */
  lastSeq: number;
}

/**
 * Inserts conversations of another system as sessions, with their times. Nothing follows from them: no event is announced,
 * no stream of events has them, no SLA clock runs, and the AI is off in them. Returns them in order.
 */
export async function addPastConversations(
  trx: Trx,
  orgId: string,
  conversations: PastConversation[],
): Promise<ImportedSession[]> {
  const sessions = await Promise.all(
    conversations.map(async (conversation) => {
      const language = await languageOf(conversation);
      const messages = conversation.messages.map((message, nth) => ({ ...message, seq: nth + 1 }));
      const moves = conversation.isClosed ? [{ from: 'open', to: 'closed_resolved' } as const] : [];
      const id = newIdAt(conversation.createdAt);
      return {
        id,
        conversation,
        messages,
        ...partsOf(conversation, { id, language, messages, added: messages, moves, after: 0 }),
      };
    }),
  );
  const rows = sessions.map(({ conversation, values, language }) => ({
    ...values,
    contact_id: conversation.contactId,
    channel: conversation.channel,
    language,
    created_at: conversation.createdAt,
  }));
  await insertPastSessions(trx, orgId, rows, currentActor() ?? SYSTEM);
  await insertPastEvents(
    trx,
    orgId,
    sessions.flatMap(({ events }) => events),
  );
  await addTags(trx, orgId, sessions);
  return rows.map(({ id, last_seq }) => ({ id, lastSeq: last_seq }));
}

const addTags = (trx: Trx, orgId: string, sessions: { id: string; conversation: PastConversation }[]): Promise<void> =>
  insertPastTags(
    trx,
    orgId,
    sessions.flatMap(({ id, conversation }) => conversation.tagKeys.map((tag_key) => ({ session_id: id, tag_key }))),
  );

interface Change {
  id: string;
  language: string | null;
  /** All messages of the conversation, each with its place if it is new. */
  messages: PlacedMessage[];
  added: PlacedMessage[];
  moves: { from: SessionStatus; to: SessionStatus }[];
  /** The `seq` of the last event before. */
  after: number;
}

/** Returns the row of a session, and its new events. */
function partsOf(conversation: PastConversation, { id, language, messages, added, moves, after }: Change) {
  const { isClosed, updatedAt, closedAt = updatedAt, assigneeId, teamId, customData, channel } = conversation;
  const events = added.map(({ seq, at, sender, text, data, actor, id: messageId }): NewPastEvent => {
    const own_words = sender === 'contact' ? (ownWordsIn(channel, text) ?? null) : null;
    const type = sender === null ? 'human_agent_comment' : 'message';
    return {
      session_id: id,
      seq,
      id: messageId,
      type,
      sender,
      content: text,
      own_words,
      data,
      actor,
      language,
      created_at: at,
    };
  });
  const moved = moves.map(
    ({ from, to }, nth): NewPastEvent => ({
      ...{ session_id: id, seq: after + added.length + nth + 1, id: newId(), type: 'status_changed', sender: null },
      ...{ content: null, own_words: null, data: { from, to, custom_status_id: null }, actor: SYSTEM, language: null },
      created_at: to === 'open' ? updatedAt : closedAt,
    }),
  );
  const values: SessionValues = {
    ...stateOf(messages, isClosed),
    id,
    status: isClosed ? 'closed_resolved' : 'open',
    assignee_id: assigneeId,
    team_id: teamId,
    custom_data: customData,
    closed_at: isClosed ? closedAt : null,
    updated_at: updatedAt,
    last_seq: after + added.length + moved.length,
  };
  return { values, language, events: [...events, ...moved] };
}

async function languageOf({ messages, channel }: PastConversation): Promise<string | null> {
  const said = messages
    .filter(({ sender }) => sender === 'contact')
    .map(({ text }) => ownWordsIn(channel, text) ?? text);
  for (const text of said.slice(0, 3)) {
    const language = await detectLanguage(text);
    if (language !== undefined) return language;
  }
  return null;
}

/** The outcome for an already imported session. `continued`: it has new messages, but was continued here. */
export type Extension = { result: 'unchanged' | 'continued' } | { result: 'updated'; lastSeq: number };

/**
 * Adds later messages to imported sessions, if nothing has happened in them here. Returns the outcome of each, in
 * order. Repeated, it changes nothing.
 */
export async function extendPastConversations(
  trx: Trx,
  orgId: string,
  extended: { session: ImportedSession; conversation: PastConversation }[],
): Promise<Extension[]> {
  const stored = await lockPastSessions(
    trx,
    orgId,
    extended.map(({ session }) => session.id),
  );
  const storedById = new Map(stored.map((row) => [row.id, row]));
  const ids = extended.flatMap(({ conversation }) => conversation.messages.map(({ id }) => id));
  const known = new Set(await listExistingEvents(trx, orgId, ids));
  const changes = extended.map(({ session, conversation }) =>
    changeOf(conversation, { row: storedById.get(session.id), lastSeq: session.lastSeq, known }),
  );
  const parts = changes.flatMap((change, nth) => {
    const conversation = extended[nth]?.conversation;
    return typeof change === 'string' || conversation === undefined
      ? []
      : [{ conversation, ...partsOf(conversation, change), id: change.id }];
  });
  await updatePastSessions(
    trx,
    orgId,
    parts.map(({ values }) => values),
  );
  await insertPastEvents(
    trx,
    orgId,
    parts.flatMap(({ events }) => events),
  );
  await addTags(trx, orgId, parts);
  const lastSeqs = new Map(parts.map(({ id, values }) => [id, values.last_seq]));
  return changes.map(
    (change): Extension =>
      typeof change === 'string' ? { result: change } : { result: 'updated', lastSeq: lastSeqs.get(change.id) ?? 0 },
  );
}

interface Known {
  row: StoredSession | undefined;
  lastSeq: number;
  /** The existing messages. */
  known: Set<string>;
}

function changeOf(conversation: PastConversation, { row, lastSeq, known }: Known): Change | 'unchanged' | 'continued' {
  if (row === undefined) return 'unchanged';
  const added = conversation.messages.filter(({ id }) => !known.has(id));
  if (row.last_seq !== lastSeq) return added.length === 0 ? 'unchanged' : 'continued';
  const status = conversation.isClosed ? 'closed_resolved' : 'open';
  const isSame =
    row.status === status && row.assignee_id === conversation.assigneeId && row.team_id === conversation.teamId;
  if (added.length === 0 && isSame) return 'unchanged';
  const places = new Map(added.map(({ id }, nth) => [id, lastSeq + nth + 1]));
  const messages = conversation.messages.map((message) => ({ ...message, seq: places.get(message.id) ?? 0 }));
  return {
    id: row.id,
    language: row.language,
    messages,
    added: messages.filter(({ seq }) => seq > 0),
    moves: row.status === status ? [] : [{ from: row.status, to: status }],
    after: lastSeq,
  };
}
