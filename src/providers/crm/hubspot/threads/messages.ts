import { CrmError } from '../../errors.ts';
import type { PriorAttempts, RelayedMessage } from '../../port.ts';
import type { HubspotApi } from '../api.ts';
import { ObjectRef } from '../contacts.ts';
import { type HtmlConversion, htmlOf } from '../html.ts';
import type { HubspotSettings } from '../settings.ts';
import { findEarlierMessage } from './earlier-messages.ts';
import { type Signature, signatureFor } from './email-signatures.ts';
import { normalized, textToPost } from './message-text.rules.ts';
import { listLatestPage, messagesPath, type Party, type RawMessage } from './threads.ts';

const EMAIL_CHANNEL = '1002';

export interface MessageText {
  text: string;
  richText: string;
}

/**
 * Replies to the thread's latest message on its channel, in the name of the AI user. An e-mail ends with the signature
 * of its domain.
 */
export async function postMessage(
  api: HubspotApi,
  { settings, markup }: { settings: HubspotSettings; markup: HtmlConversion },
  { conversationId, text, attachments }: RelayedMessage,
  attempt: PriorAttempts,
): Promise<string> {
  const { ai_user_id: userId, signatures = [] } = settings;
  if (userId === undefined) {
    throw new CrmError(
      'HubSpot takes a message only from one of its users: set ai_user_id in the settings of the CRM integration',
      { transient: false },
    );
  }
  const said = text === '' && attachments.length > 0 ? [] : [htmlOf(markup, text)];
  const content = {
    text: textToPost({ text, attachments }),
    richText: [...said, ...attachments.map(({ name, url }) => linkOf(markup, name, url))].join('<br>'),
  };
  const signed = (signature: Signature | undefined): MessageText => withSignature(markup, content, signature);
  if (attempt.mayExist) {
    const texts = new Set([undefined, ...signatures].map((signature) => normalized(signed(signature).text)));
    const hasText = (text: string) => texts.has(normalized(text));
    const wanted = { type: 'MESSAGE', hasText, appId: settings.app_id } as const;
    const earlierMessage = await findEarlierMessage(api, conversationId, wanted, attempt);
    if (earlierMessage !== undefined) return earlierMessage;
  }
  const origin = await latestDelivered(api, conversationId);
  const isEmail = origin.channelId === EMAIL_CHANNEL;
  const body = {
    type: 'MESSAGE',
    ...signed(isEmail ? signatureFor(signatures, origin) : undefined),
    attachments: [],
    senderActorId: `A-${userId}`,
    channelId: origin.channelId,
    channelAccountId: origin.channelAccountId,
    ...(isEmail && origin.subject ? { subject: origin.subject } : {}),
    recipients: recipientsOf(origin),
  };
  return post(api, conversationId, body);
}

/**
 * Posts an internal comment to the thread. The `marks` in its text identify it among others, if the text has changed since
 * an earlier attempt.
 */
export async function postComment(
  api: HubspotApi,
  threadId: string,
  { marks, appId, ...content }: MessageText & { marks: string[]; appId: string | undefined },
  attempt: PriorAttempts,
): Promise<string> {
  if (attempt.mayExist) {
    const hasText = (text: string) => marks.every((mark) => normalized(text).includes(mark));
    const earlierMessage = await findEarlierMessage(api, threadId, { type: 'COMMENT', hasText, appId }, attempt);
    if (earlierMessage !== undefined) return earlierMessage;
  }
  return post(api, threadId, { type: 'COMMENT', ...content, attachments: [] });
}

/** Posts a reply that the AI proposes as an internal comment, which names our id of it. */
export function postDraft(
  api: HubspotApi,
  { settings, markup }: { settings: HubspotSettings; markup: HtmlConversion },
  { id, conversationId, text }: RelayedMessage,
  attempt: PriorAttempts,
): Promise<string> {
  const whole = `${text}\n\n${draftMarkOf(id)}`;
  const content = { text: whole, richText: htmlOf(markup, whole), marks: [id], appId: settings.app_id };
  return postComment(api, conversationId, content, attempt);
}

const draftMarkOf = (id: string) => `Draft of the AI, not sent to the customer (${id})`;

async function post(api: HubspotApi, threadId: string, body: object): Promise<string> {
  const call = { method: 'POST', path: messagesPath(threadId), body, what: 'a message' } as const;
  return (await api.request(call, ObjectRef)).id;
}

/** Returns the newest message with a channel among the thread's latest messages. */
async function latestDelivered(api: HubspotApi, threadId: string): Promise<RawMessage> {
  const page = await listLatestPage(api, threadId);
  const origin = page?.messages.find(
    ({ type, archived, channelId, channelAccountId }) =>
      type === 'MESSAGE' && archived !== true && channelId != null && channelAccountId != null,
  );
  if (origin !== undefined) return origin;
  const reason = page === undefined ? 'HubSpot has no thread' : 'Nothing says by which channel to answer in thread';
  throw new CrmError(`${reason} ${threadId}`, { transient: false });
}

/** Returns the authors of an incoming message, or the recipients of an outgoing one. */
function recipientsOf({ direction, senders, recipients }: RawMessage): object[] {
  const parties = direction === 'OUTGOING' ? recipients : senders;
  return (parties ?? []).flatMap((party) => {
    const { deliveryIdentifier, recipientField, actorId } = party;
    if (deliveryIdentifier == null) return [];
    return [
      {
        recipientField: fieldOf(direction, recipientField),
        ...(actorId == null ? {} : { actorId }),
        deliveryIdentifier,
        deliveryIdentifiers: [deliveryIdentifier],
      },
    ];
  });
}

const fieldOf = (direction: RawMessage['direction'], field: Party['recipientField']) =>
  direction === 'OUTGOING' ? (field ?? 'TO') : 'TO';

const linkOf = ({ escapeHtml }: HtmlConversion, name: string, url: string) =>
  `<a href="${escapeHtml(url)}">${escapeHtml(name)}</a>`;

function withSignature(
  { textOfHtml }: HtmlConversion,
  { text, richText }: MessageText,
  signature: Signature | undefined,
): MessageText {
  if (signature === undefined) return { text, richText };
  return { text: `${text}\n\n${textOfHtml(signature.html)}`, richText: `${richText}<br><br>${signature.html}` };
}
