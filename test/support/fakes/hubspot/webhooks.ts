import { createHash, createHmac } from 'node:crypto';
import { APP_ID, type FakeMessage } from './threads.ts';

export type FakeEvent = Record<string, unknown>;

export interface DeliveryOptions {
  secret: string;
  /** Signs as of another moment. */
  at?: Date;
  /** Signs with another secret. */
  isForged?: boolean;
  /** Is signed instead of the address that is called. */
  signedUrl?: string;
}

export const PORTAL_ID = 62_515;
let latestEventId = 1_000;

const envelope = (subscriptionType: string, objectId: string, extra: FakeEvent): FakeEvent => ({
  eventId: ++latestEventId,
  subscriptionId: 12,
  portalId: PORTAL_ID,
  appId: APP_ID,
  occurredAt: Date.now(),
  attemptNumber: 0,
  changeSource: 'USER',
  subscriptionType,
  objectId: Number(objectId),
  ...extra,
});

/** The event that tells of a new message. */
export const eventOf = ({ id, type, conversationsThreadId, createdAt }: FakeMessage, extra: FakeEvent = {}) =>
  envelope('conversation.newMessage', conversationsThreadId, {
    messageId: id,
    messageType: type,
    changeFlag: 'NEW_MESSAGE',
    occurredAt: Date.parse(createdAt),
    ...extra,
  });

/** The event that tells of another assignee of a thread. */
export const assignmentOf = (threadId: string, propertyValue: string, extra: FakeEvent = {}) =>
  envelope('conversation.propertyChange', threadId, { propertyName: 'assignedTo', propertyValue, ...extra });

/** The event that tells of a changed property of a ticket. */
export const changeOf = (ticketId: string, propertyName: string, propertyValue: string | null, extra: FakeEvent = {}) =>
  envelope('ticket.propertyChange', ticketId, { propertyName, propertyValue, ...extra });

/** The event that tells of a new note. */
export const noteEventOf = (noteId: string, extra: FakeEvent = {}) =>
  envelope('object.creation', noteId, { objectTypeId: '0-46', changeFlag: 'CREATED', ...extra });

/** Posts events at once, signed by version 3 with version 1 beside it, and says what status that answered. */
export async function deliver(
  url: string,
  events: unknown[] | string,
  { secret, at = new Date(), isForged = false, signedUrl = url }: DeliveryOptions,
): Promise<number> {
  const body = typeof events === 'string' ? events : JSON.stringify(events);
  const key = isForged ? 'another secret' : secret;
  const timestamp = String(at.getTime());
  const signed = `POST${signedUrl}${body}${timestamp}`;
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-hubspot-request-timestamp': timestamp,
      'x-hubspot-signature-v3': createHmac('sha256', key).update(signed, 'utf8').digest('base64'),
      'x-hubspot-signature': createHash('sha256').update(`${key}${body}`).digest('hex'),
      'x-hubspot-signature-version': 'v1',
    },
  });
  await response.arrayBuffer();
  return response.status;
}
