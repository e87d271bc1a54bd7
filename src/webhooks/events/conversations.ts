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

/** Renders messages of contacts, agents and the AI. */
export const messageCreated: Renderer<'message-created'> = {
  makes: Object.values(TYPE_OF_SENDER),
  async render(place, events) {
    const said = events.filter(({ payload }) => typeOfSender(payload.sender) !== undefined);
    const sessions = await sessionsOf(
      place,
      said.map(({ subject_id }) => subject_id),
    );
    const ids = said.map(({ payload }) => payload.message_id);
    const messages = await listHistorySnapshots(place.trx, place.mediaLinks, place.orgId, ids);
    return said.flatMap((event): Rendered[] => {
      const { message_id, sender } = event.payload;
      const session = sessions.get(event.subject_id);
      const type = typeOfSender(sender);
      if (session === undefined || type === undefined) return [];
      const full = { ...session.full, message: messages.get(message_id) ?? null };
      return [{ ...headOf(event), sessionId: event.subject_id, type, full, thin: { ...session.thin, message_id } }];
    });
  },
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
