import { getShownContacts } from '../../contacts/snapshots.service.ts';
import { listHistorySnapshots, listSessionSnapshots } from '../../conversations/sessions/snapshots.service.ts';
import type { ClaimedEvent } from '../../outbox/claim.ts';
import type { EventPayloads, EventType } from '../../outbox/events.ts';
import { headOf, type Place, type Rendered, type Renderer } from './rendering.ts';
import type { FullData, WebhookEventType } from './schema.ts';

type SessionData = FullData<'conversation.started'>;

/** The parts of a webhook about a session. */
export interface AboutSession {
  head: ReturnType<typeof headOf> & { sessionId: string };
  full: SessionData;
  thin: { session_id: string; contact_id: string | null; url: string };
}

/** Returns what webhooks about sessions share, by session. Deleted sessions are left out. */
export async function sessionsOf(
  { trx, orgId, publicUrl }: Place,
  ids: string[],
): Promise<Map<string, { full: SessionData; thin: AboutSession['thin'] }>> {
  const sessions = await listSessionSnapshots(trx, orgId, ids);
  const contactIds = [...sessions.values()].flatMap(({ contactId }) => contactId ?? []);
  const contacts = await getShownContacts(trx, orgId, contactIds);
  return new Map(
    [...sessions].map(([id, { session, contactId }]) => {
      const contact = contactId === null ? undefined : contacts.get(contactId);
      const thin = { session_id: id, contact_id: contactId, url: `${publicUrl}/chat/sessions/${id}` };
      return [id, { full: { session, contact: contact ?? null }, thin }];
    }),
  );
}

/** Returns a renderer of events whose subject is a session. `toWebhook` adds what the event itself tells. */
export const aboutSession = <Type extends EventType>(
  makes: readonly WebhookEventType[],
  toWebhook: (session: AboutSession, event: ClaimedEvent<Type>) => Rendered | undefined,
): Renderer<Type> => ({
  makes,
  async render(place, events) {
    const sessions = await sessionsOf(
      place,
      events.map(({ subject_id }) => subject_id),
    );
    return events.flatMap((event) => {
      const session = sessions.get(event.subject_id);
      if (session === undefined) return [];
      return toWebhook({ ...session, head: { ...headOf(event), sessionId: event.subject_id } }, event) ?? [];
    });
  },
});

const TYPE_OF_SENDER = {
  contact: 'conversation.contact_response',
  ai: 'conversation.ai_response',
  human_agent: 'conversation.agent_response',
} as const;

/** Automatic messages are nobody's response. */
const typeOfSender = (sender: EventPayloads['message-created']['sender']) =>
  sender in TYPE_OF_SENDER ? TYPE_OF_SENDER[sender as keyof typeof TYPE_OF_SENDER] : undefined;

const TYPE_OF_CHANGE = { edited: 'conversation.message_edited', deleted: 'conversation.message_deleted' } as const;

type MessageWebhookType =
  | (typeof TYPE_OF_SENDER)[keyof typeof TYPE_OF_SENDER]
  | (typeof TYPE_OF_CHANGE)['edited' | 'deleted'];

/** Renders events about messages as webhooks of the type that each has, if any. */
async function renderMessages<Type extends 'message-created' | 'message-changed'>(
  place: Place,
  events: ClaimedEvent<Type>[],
  typeOf: (payload: EventPayloads[Type]) => MessageWebhookType | undefined,
): Promise<Rendered[]> {
  const about = events.flatMap((event) => {
    const type = typeOf(event.payload);
    return type === undefined ? [] : [{ event, type, messageId: event.payload.message_id }];
  });
  const sessions = await sessionsOf(
    place,
    about.map(({ event }) => event.subject_id),
  );
  const ids = about.map(({ messageId }) => messageId);
  const messages = await listHistorySnapshots(place.trx, place.mediaLinks, place.orgId, ids);
  return about.flatMap(({ event, type, messageId: message_id }): Rendered[] => {
    const session = sessions.get(event.subject_id);
    if (session === undefined) return [];
    const full = { ...session.full, message: messages.get(message_id) ?? null };
    return [{ ...headOf(event), sessionId: event.subject_id, type, full, thin: { ...session.thin, message_id } }];
  });
}

/** Renders messages of contacts, agents and the AI. */
export const messageCreated: Renderer<'message-created'> = {
  makes: Object.values(TYPE_OF_SENDER),
  render: (place, events) => renderMessages(place, events, ({ sender }) => typeOfSender(sender)),
};

/** Renders a contact's edits and deletions, with the message as it is now. */
export const messageChanged: Renderer<'message-changed'> = {
  makes: Object.values(TYPE_OF_CHANGE),
  render: (place, events) => renderMessages(place, events, ({ change }) => TYPE_OF_CHANGE[change]),
};

export const ticketCreated = aboutSession<'ticket-created'>(['conversation.started'], ({ head, full, thin }) => ({
  ...head,
  type: 'conversation.started',
  full,
  thin,
}));

export const ticketHandoff = aboutSession<'ticket-handoff'>(
  ['conversation.handoff_to_human'],
  ({ head, full, thin }) => ({
    ...head,
    type: 'conversation.handoff_to_human',
    full: { ...full, handoff: full.session.handoff ?? null },
    thin,
  }),
);
