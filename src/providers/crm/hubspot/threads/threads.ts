import { z } from 'zod';
import type { HubspotApi } from '../api.ts';
import { HubspotId, listOf } from '../ids.ts';
import type { ListedMessage, ThreadMessage } from '../port.ts';

const PAGE_SIZE = 100;
const NOT_TRUNCATED = 'NOT_TRUNCATED';

const Identifier = z.object({ type: z.string(), value: z.string() });
const Party = z.object({
  actorId: z.string().nullish(),
  name: z.string().nullish(),
  deliveryIdentifier: Identifier.nullish().catch(null),
  recipientField: z.string().nullish(),
});
export type Party = z.infer<typeof Party>;

const File = z.object({ type: z.literal('FILE'), name: z.string().nullish(), url: z.string() });

/**
 * A message as received. Fields not used by a type of message are missing. Unreadable fields count as missing, so they
 * do not block other messages.
 */
const RawMessage = z.object({
  id: HubspotId,
  type: z.string().catch('UNKNOWN'),
  archived: z.boolean().nullish().catch(null),
  text: z.string().nullish().catch(null),
  subject: z.string().nullish().catch(null),
  direction: z.enum(['INCOMING', 'OUTGOING']).nullish().catch(null),
  createdAt: z.coerce.date().catch(() => new Date(0)),
  senders: z.array(Party).nullish().catch(null),
  recipients: z.array(Party).nullish().catch(null),
  client: z.object({ clientType: z.string().nullish(), integrationAppId: HubspotId.nullish() }).nullish().catch(null),
  channelId: HubspotId.nullish().catch(null),
  channelAccountId: HubspotId.nullish().catch(null),
  truncationStatus: z.string().nullish().catch(null),
  attachments: listOf(File).nullish().catch(null),
});
export type RawMessage = z.infer<typeof RawMessage>;

const Page = z.object({
  results: listOf(RawMessage),
  paging: z.object({ next: z.object({ after: z.string() }).nullish() }).nullish(),
});

const threadPath = (threadId: string) => `/conversations/v3/conversations/threads/${encodeURIComponent(threadId)}`;
export const messagesPath = (threadId: string) => `${threadPath(threadId)}/messages`;

/** Finds the CRM contact of a thread, or undefined if the thread names none. */
export async function findContactId(api: HubspotApi, threadId: string): Promise<string | undefined> {
  const call = { method: 'GET', path: threadPath(threadId), what: 'a thread' } as const;
  const thread = await api.find(call, z.object({ associatedContactId: HubspotId.nullish() }));
  return thread?.associatedContactId ?? undefined;
}

/** Finds the actor that a thread is assigned to, such as A-123. */
export async function findAssignee(api: HubspotApi, threadId: string): Promise<string | undefined> {
  const call = { method: 'GET', path: threadPath(threadId), what: 'a thread' } as const;
  const thread = await api.find(call, z.object({ assignedTo: z.string().nullish().catch(null) }));
  return thread?.assignedTo ?? undefined;
}

/** Finds a message with its full text. Returns undefined if the message or its thread was deleted. */
export async function findMessage(
  api: HubspotApi,
  threadId: string,
  messageId: string,
): Promise<ThreadMessage | undefined> {
  const path = `${messagesPath(threadId)}/${encodeURIComponent(messageId)}`;
  const message = await api.find({ method: 'GET', path, what: 'a message' }, RawMessage);
  if (message === undefined) return undefined;
  return toThreadMessage(threadId, message, isTruncated(message) ? await findFullText(api, path) : undefined);
}

/** Lists the latest messages of a thread, oldest first. */
export async function listMessages(api: HubspotApi, threadId: string): Promise<ListedMessage[]> {
  const page = await listLatestPage(api, threadId);
  const latest = page?.messages.toReversed() ?? [];
  return latest.map((message) => ({
    ...toThreadMessage(threadId, message, undefined),
    isTruncated: isTruncated(message),
  }));
}

const isTruncated = ({ truncationStatus }: RawMessage) => ![null, undefined, NOT_TRUNCATED].includes(truncationStatus);

async function findFullText(api: HubspotApi, path: string): Promise<string | undefined> {
  const call = { method: 'GET', path: `${path}/original-content`, what: "a message's original content" } as const;
  const original = await api.find(call, z.object({ text: z.string().nullish() }));
  return original?.text ?? undefined;
}

function toThreadMessage(threadId: string, message: RawMessage, wholeText: string | undefined): ThreadMessage {
  const sender = message.senders?.[0];
  return {
    id: message.id,
    threadId,
    type: message.type,
    isArchived: message.archived === true,
    text: [wholeText ?? message.text ?? '', ...filesOf(message)].filter((line) => line !== '').join('\n'),
    direction: message.direction ?? null,
    actorId: sender?.actorId ?? null,
    senderName: sender?.name ?? null,
    senderEmail: emailOf(sender)?.toLowerCase() ?? null,
    clientType: message.client?.clientType ?? null,
    integrationAppId: message.client?.integrationAppId ?? null,
    channelId: message.channelId ?? null,
    createdAt: message.createdAt,
  };
}

/** Files are passed on as links. */
const filesOf = ({ attachments }: RawMessage) =>
  (attachments ?? []).map(({ name, url }) => `${name ?? 'File'}: ${url}`);

/**
 * Lists the latest messages of a thread, newest first, one page at a time. Returns undefined if the thread does not
 * exist.
 */
export async function listLatestPage(
  api: HubspotApi,
  threadId: string,
  after?: string,
): Promise<{ messages: RawMessage[]; next: string | undefined } | undefined> {
  const query = new URLSearchParams({
    limit: String(PAGE_SIZE),
    sort: '-createdAt',
    ...(after === undefined ? {} : { after }),
  });
  const path = `${messagesPath(threadId)}?${query}`;
  const page = await api.find({ method: 'GET', path, what: 'messages' }, Page);
  if (page === undefined) return undefined;
  const messages = page.results.toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
  return { messages, next: page.paging?.next?.after };
}

/** The actor is known by its address only. */
const BY_EMAIL = 'E-';

/** Returns a party's e-mail address, from its delivery identifier or its actor id. */
export function emailOf(party: Party | undefined): string | undefined {
  const { type, value } = party?.deliveryIdentifier ?? {};
  if (type === 'HS_EMAIL_ADDRESS') return value;
  const actor = party?.actorId;
  return actor?.startsWith(BY_EMAIL) && actor.includes('@') ? actor.slice(BY_EMAIL.length) : undefined;
}
