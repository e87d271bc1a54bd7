import type { Answer, ReceivedRequest } from '../faulty-server.ts';
import { hubspotError } from './objects.ts';

export interface FakeParty {
  actorId?: string;
  name?: string;
  recipientField?: string;
  senderField?: string;
  deliveryIdentifier?: { type: string; value: string };
}

export interface FakeMessage {
  id: string;
  conversationsThreadId: string;
  type: string;
  archived: boolean;
  text?: string;
  richText?: string;
  subject?: string;
  direction?: 'INCOMING' | 'OUTGOING';
  createdAt: string;
  createdBy: string;
  senders: FakeParty[];
  recipients: FakeParty[];
  client: { clientType: string; integrationAppId?: number };
  channelId?: string;
  channelAccountId?: string;
  truncationStatus: string;
  attachments: object[];
  /** Under original-content. */
  wholeText?: string;
}

export const APP_ID = 29_001;
export const EMAIL_CHANNEL = '1002';
const CHAT_CHANNEL = '1000';
const PAGE_SIZE = 100;
const THREAD_PATH = /^\/conversations\/v3\/conversations\/threads\/([^/]+)$/;
const MESSAGE_PATH =
  /^\/conversations\/v3\/conversations\/threads\/([^/]+)\/messages(?:\/([^/]+)(\/original-content)?)?$/;

export type NewMessage = Partial<Omit<FakeMessage, 'id' | 'conversationsThreadId'>>;

/** The Conversations API of a fake HubSpot. Ids of messages are unique over all threads. */
export function createFakeThreads(newId: () => string) {
  const threads = new Map<string, FakeMessage[]>();
  /** The contact that each thread is with. */
  const contacts = new Map<string, string>();
  /** The actor that each thread is assigned to. */
  const assignees = new Map<string, string>();

  /** An incoming chat message unless said otherwise. */
  const add = (threadId: string, given: NewMessage = {}): FakeMessage => {
    const message: FakeMessage = {
      id: `msg${newId()}`,
      conversationsThreadId: threadId,
      type: 'MESSAGE',
      archived: false,
      direction: 'INCOMING',
      createdAt: new Date().toISOString(),
      createdBy: 'V-51',
      senders: [{ actorId: 'V-51', name: 'Ann Visitor' }],
      recipients: [],
      client: { clientType: 'HUBSPOT' },
      channelId: CHAT_CHANNEL,
      channelAccountId: '77',
      truncationStatus: 'NOT_TRUNCATED',
      attachments: [],
      ...given,
    };
    const messages = threads.get(threadId) ?? [];
    threads.set(threadId, [...messages, message]);
    return message;
  };

  /** One page, newest first only where that is asked for. */
  const list = (messages: FakeMessage[], query: URLSearchParams): Answer => {
    const limit = Number(query.get('limit') ?? PAGE_SIZE);
    const from = Number(query.get('after') ?? 0);
    const inOrder = query.get('sort') === '-createdAt' ? messages.toReversed() : messages;
    const next = from + limit < inOrder.length ? { next: { after: String(from + limit), link: '?' } } : undefined;
    return { status: 200, body: { results: inOrder.slice(from, from + limit).map(shownMessage), paging: next } };
  };

  const handle = ({ method, url, body }: ReceivedRequest): Answer | undefined => {
    const [, shownId] = THREAD_PATH.exec(url.pathname) ?? [];
    if (shownId !== undefined) return show(decodeURIComponent(shownId));
    const [isIt, encodedId = '', messageId, original] = MESSAGE_PATH.exec(url.pathname) ?? [];
    if (isIt === undefined) return undefined;
    const threadId = decodeURIComponent(encodedId);
    const messages = threads.get(threadId);
    if (messages === undefined) return hubspotError(404, `Thread ${threadId} not found`);
    if (method === 'POST' && messageId === undefined) return post(threadId, JSON.parse(body));
    if (method !== 'GET') return hubspotError(405, 'Method not allowed');
    if (messageId === undefined) return list(messages, url.searchParams);
    const message = messages.find(({ id }) => String(id) === messageId);
    if (message === undefined) return hubspotError(404, `Message ${messageId} not found`);
    if (original !== undefined) return { status: 200, body: { text: message.wholeText ?? message.text } };
    return { status: 200, body: shownMessage(message) };
  };

  const show = (id: string): Answer => {
    if (!threads.has(id)) return hubspotError(404, `Thread ${id} not found`);
    return {
      status: 200,
      body: { id, status: 'OPEN', associatedContactId: contacts.get(id), assignedTo: assignees.get(id) },
    };
  };

  const post = (threadId: string, body: Record<string, unknown>): Answer => {
    const refusal = refusalOf(body);
    if (refusal !== undefined) return hubspotError(400, refusal, { category: 'VALIDATION_ERROR' });
    const { type, text, richText, subject, senderActorId = `I-${APP_ID}`, channelId, channelAccountId } = body;
    const message = add(threadId, {
      ...({ type, text, richText, subject, channelId, channelAccountId } as NewMessage),
      direction: type === 'MESSAGE' ? 'OUTGOING' : undefined,
      createdBy: senderActorId as string,
      senders: [{ actorId: senderActorId as string }],
      recipients: (body.recipients as FakeParty[] | undefined) ?? [],
      client: { clientType: 'INTEGRATION', integrationAppId: APP_ID },
    });
    return { status: 201, body: shownMessage(message) };
  };

  return { threads, contacts, assignees, add, handle };
}

const isText = (value: unknown) => typeof value === 'string' && value !== '';

/** What HubSpot says to a message that it does not take. */
function refusalOf(body: Record<string, unknown>): string | undefined {
  if (body.type !== 'MESSAGE' && body.type !== 'COMMENT') return 'type is MESSAGE or COMMENT';
  if (!isText(body.text) || !isText(body.richText)) return 'text and richText are required';
  if (!Array.isArray(body.attachments)) return 'attachments is required';
  if (body.type === 'COMMENT') return undefined;
  if (!/^A-\d+$/.test(String(body.senderActorId))) return 'senderActorId must be an agent';
  if (!isText(body.channelId) || !isText(body.channelAccountId)) return 'channelId and channelAccountId are required';
  return refusalOfRecipients(body.recipients);
}

function refusalOfRecipients(recipients: unknown): string | undefined {
  if (!Array.isArray(recipients)) return 'recipients is required';
  const isRecipient = ({ recipientField, deliveryIdentifiers }: Record<string, unknown>) =>
    ['TO', 'CC', 'BCC'].includes(recipientField as string) &&
    Array.isArray(deliveryIdentifiers) &&
    deliveryIdentifiers.every(({ type, value }) => isText(type) && isText(value));
  return recipients.every(isRecipient) ? undefined : 'recipients must have recipientField and deliveryIdentifiers';
}

function shownMessage({ wholeText: _, ...message }: FakeMessage) {
  return message;
}
