import { z } from 'zod';
import { isUuid } from '../../../ids.ts';
import type { CallbackContent, InboundMessage, StatusReport } from '../../sending.ts';
import { MessageId } from '../api.ts';
import { itemsOf } from '../callbacks.ts';
import { DirectMessageContent, describedContent, reactionOf } from './contents.ts';

/** A page, an account or a person. */
const AccountId = z.string().regex(/^\d{1,64}$/);
const List = z.array(z.unknown()).catch([]);
const Callback = z.object({ entry: List });
const Entry = z.object({ id: AccountId, messaging: List });
/** Milliseconds of Unix time. */
const Time = z
  .number()
  .int()
  .min(0)
  .max(8.64e15)
  .transform((ms) => new Date(ms));
const Head = z.object({ sender: z.object({ id: AccountId }), timestamp: Time.optional().catch(undefined) });
type Head = z.infer<typeof Head>;

type Content = Pick<
  InboundMessage,
  'providerId' | 'text' | 'files' | 'isDescription' | 'isReaction' | 'change' | 'raw'
>;

/** What an event says about our messages, or which message of a person it is. */
interface Meaning {
  reports?: StatusReport[];
  content?: Content;
}

const reported = (ids: string[], status: StatusReport['status'], deliveryId?: string): Meaning => ({
  reports: ids.map((providerId) => ({ providerId, deliveryId, status, reason: null, isSuppressing: false })),
});

/** Names an event among others of its person, where it has no id. */
const keyOf = ({ sender, timestamp }: Head) => `${sender.id}/${timestamp?.getTime() ?? 0}`;

/** The repetition of a message of ours. One without our id was written elsewhere. */
const Echo = Head.extend({
  message: z.object({
    is_echo: z.literal(true),
    mid: MessageId,
    metadata: z.string().refine(isUuid).optional().catch(undefined),
  }),
}).transform(({ message: { mid, metadata } }) => (metadata === undefined ? {} : reported([mid], 'sent', metadata)));

const Delivered = Head.extend({ delivery: z.object({ mids: z.array(MessageId) }) }).transform(({ delivery }) =>
  reported(delivery.mids, 'delivered'),
);

const Read = Head.extend({ read: z.object({ mid: MessageId }) }).transform(({ read }) => reported([read.mid], 'read'));

const Deletion = Head.extend({ message: z.object({ is_deleted: z.literal(true), mid: MessageId }) }).transform(
  ({ message: { mid } }): Meaning => ({
    content: { providerId: `deletion/${mid}`, text: '', change: { kind: 'deletion', of: mid } },
  }),
);

const Edit = Head.extend({
  message_edit: z.object({ mid: MessageId, text: z.string(), num_edit: z.number().int().catch(0) }),
}).transform(
  ({ message_edit: { mid, text, num_edit } }): Meaning => ({
    content: {
      providerId: `edit/${mid}/${num_edit}`,
      ...contentOf({ text }),
      change: { kind: 'edit', of: mid },
    },
  }),
);

const Message = Head.extend({ message: z.looseObject({ mid: MessageId }) }).transform(
  ({ message }): Meaning => ({ content: { providerId: message.mid, ...contentOf(message) } }),
);

const Postback = Head.extend({
  postback: z.object({ mid: MessageId.optional().catch(undefined), title: z.string().min(1) }),
}).transform(({ postback: { mid, title }, ...head }): Meaning => {
  const providerId = mid ?? `postback/${keyOf(head)}`;
  return { content: { providerId, ...contentOf({ text: title }) } };
});

const Reaction = Head.extend({
  reaction: z.object({ mid: MessageId, action: z.string(), emoji: z.string().max(64).optional().catch(undefined) }),
}).transform(
  ({ reaction: { mid, action, emoji }, ...head }): Meaning => ({
    content: { providerId: `reaction/${mid}/${keyOf(head)}`, ...reactionOf(action, emoji) },
  }),
);

const MessagingEvent = z.union([Echo, Delivered, Read, Deletion, Edit, Message, Postback, Reaction]);

const contentOf = (message: object) => DirectMessageContent.safeParse(message).data ?? describedContent(message);

/** The content of a callback, and the other page or account that it is about, if there is one. */
export interface DirectCallback extends CallbackContent {
  stranger?: string | undefined;
}

/**
 * Reads a callback of Messenger or Instagram with a verified signature. `account`: the page or account that is connected,
 * or undefined for any. Never throws: what is no message and no report is skipped.
 */
export function readDirectCallback(body: unknown, account: string | undefined): DirectCallback {
  const entries = itemsOf([body], Callback).flatMap(({ entry }) => itemsOf(entry, Entry));
  const isOwn = ({ id }: { id: string }) => account === undefined || id === account;
  const events = entries
    .filter(isOwn)
    .flatMap(({ id: to, messaging }) =>
      messaging.map((event) => ({ to, event, meaning: MessagingEvent.safeParse(event).data })),
    );
  return {
    reports: events.flatMap(({ meaning }) => meaning?.reports ?? []),
    messages: events.flatMap(({ to, event, meaning }) => messageOf(to, event, meaning?.content) ?? []),
    stranger: entries.find((entry) => !isOwn(entry))?.id,
  };
}

function messageOf(to: string, event: unknown, content: Content | undefined): InboundMessage | undefined {
  const head = Head.safeParse(event).data;
  if (head === undefined || content === undefined) return undefined;
  const { sender, timestamp: sentAt } = head;
  return { from: sender.id, userId: sender.id, to, toId: to, sentAt, ...content };
}
