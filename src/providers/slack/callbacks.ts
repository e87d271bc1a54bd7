import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { isSameSecret } from '../constant-time.ts';
import { linesOf } from '../found-text.rules.ts';
import type { CallbackContent, InboundFile, InboundMessage } from '../sending.ts';
import { storable, truncated } from '../storable.rules.ts';
import { Timestamp } from './api.ts';
import { addressOfThread } from './port.ts';
import { fromSlackText } from './text.rules.ts';

const MAX_NAME_LENGTH = 200;
/** An older callback may be somebody's repetition of it. */
const MAX_AGE_SECONDS = 300;

/** Returns X-Slack-Signature of a callback's exact bytes at a time in seconds. */
export const slackSignature = (signingSecret: string, timestamp: string, rawBody: Buffer): string =>
  `v0=${createHmac('sha256', signingSecret).update(`v0:${timestamp}:`).update(rawBody).digest('hex')}`;

/** Whether X-Slack-Signature matches these exact bytes, and was made in the last five minutes. */
export function isSlackSignature(
  signingSecret: string,
  rawBody: Buffer,
  headers: IncomingHttpHeaders,
  now = new Date(),
): boolean {
  const { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature } = headers;
  if (typeof timestamp !== 'string' || typeof signature !== 'string' || !/^\d{1,11}$/.test(timestamp)) return false;
  const isRecent = Math.abs(now.getTime() / 1_000 - Number(timestamp)) <= MAX_AGE_SECONDS;
  return isRecent && isSameSecret(signature, slackSignature(signingSecret, timestamp, rawBody));
}

const Text = z.string().transform(storable);
const ChannelId = z.string().regex(/^[A-Z0-9]{1,64}$/);
const UserId = z.string().regex(/^[UW][A-Z0-9]{1,63}$/);
const Name = Text.transform((name) => truncated(name, MAX_NAME_LENGTH).trim()).pipe(z.string().min(1));

/** Slack keeps files until they are deleted. `id`: by which its address is looked up. */
const AttachedFile = z
  .object({
    id: z.string().regex(/^[A-Z0-9]{1,64}$/),
    name: Name.nullish().catch(undefined),
    mimetype: z.string().catch(''),
  })
  .transform(({ id, name, mimetype }): InboundFile => ({ kind: kindOf(mimetype), source: id, name: name ?? null }));

function kindOf(mimetype: string): InboundFile['kind'] {
  const [kind] = mimetype.split('/');
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document';
}

const Written = z.object({
  user: UserId,
  /** Of what a program has written. */
  bot_id: z.null().optional(),
  text: z.string().catch(''),
  ts: Timestamp,
  thread_ts: Timestamp.optional().catch(undefined),
  files: z.array(z.unknown()).catch([]),
  attachments: z.array(z.unknown()).catch([]),
  user_profile: z
    .object({ real_name: Name.optional().catch(undefined), display_name: Name.optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
type Written = z.infer<typeof Written>;

/** A message of a person: plain, with files, or shown in the channel as well. */
const NewMessage = Written.extend({
  type: z.enum(['message', 'app_mention']),
  subtype: z.enum(['file_share', 'thread_broadcast', 'me_message']).optional(),
  channel: ChannelId,
});

/** Slack reports a change also when it adds a preview of a link. Only a person's edit has `edited`. */
const Edited = z.object({
  type: z.literal('message'),
  subtype: z.literal('message_changed'),
  channel: ChannelId,
  message: Written.extend({ edited: z.object({ ts: Timestamp }) }),
});

const Deleted = z.object({
  type: z.literal('message'),
  subtype: z.literal('message_deleted'),
  channel: ChannelId,
  ts: Timestamp,
  deleted_ts: Timestamp,
  previous_message: Written,
});

/** A deleted message that has replies stays in its thread, as Slack's own words. */
const Replaced = Deleted.omit({ deleted_ts: true })
  .extend({
    subtype: z.literal('message_changed'),
    message: z.object({ subtype: z.literal('tombstone'), ts: Timestamp }),
  })
  .transform(({ message, ...event }) => ({ ...event, deleted_ts: message.ts }));
const Deletion = z.union([Deleted, Replaced]);

/** Whom a callback is for. */
const Authorization = z.object({ user_id: UserId, is_bot: z.boolean().catch(false) });
const Callback = z.object({
  type: z.literal('event_callback'),
  event: z.unknown(),
  authorizations: z.array(Authorization).catch([]),
});
const Challenge = z.object({ type: z.literal('url_verification'), challenge: z.string().max(1_024) });
const Limited = z.object({ type: z.literal('app_rate_limited') });

/** The content of a callback. */
export interface SlackCallback extends CallbackContent {
  /** What Slack wants back, to see that the address is ours. */
  challenge?: string;
  /** What is wrong with the connection. */
  notice?: string;
}

/**
 * Reads a callback with a verified signature. Never throws: what is no message of a person is skipped, and so are our own
 * messages. A repeated callback (X-Slack-Retry-Num) has the same messages with the same ids.
 */
export function readSlackCallback(body: unknown): SlackCallback {
  const nothing = { reports: [], messages: [] };
  const challenge = Challenge.safeParse(body).data?.challenge;
  if (challenge !== undefined) return { ...nothing, challenge };
  if (Limited.safeParse(body).success)
    return { ...nothing, notice: 'Slack sends no more than 30,000 events an hour, and left out some messages' };
  const callback = Callback.safeParse(body).data;
  if (callback === undefined) return nothing;
  const bots = callback.authorizations.flatMap(({ user_id, is_bot }) => (is_bot ? [user_id] : []));
  const message = messageIn(callback.event, bots[0]);
  return { reports: [], messages: message === undefined || bots.includes(message.from) ? [] : [message] };
}

function messageIn(event: unknown, botId: string | undefined): InboundMessage | undefined {
  const written = NewMessage.safeParse(event).data;
  if (written !== undefined) return messageOf(written.channel, written, botId);
  const deleted = Deletion.safeParse(event).data;
  if (deleted !== undefined) {
    const { channel, ts, deleted_ts, previous_message } = deleted;
    const of = addressOfThread({ channel, ts: deleted_ts });
    const change = { kind: 'deletion', of } as const;
    const message = messageOf(channel, previous_message, botId);
    return { ...message, providerId: `deletion/${of}`, sentAt: timeOf(ts), change };
  }
  const edited = Edited.safeParse(event).data;
  if (edited === undefined) return undefined;
  const { channel, message } = edited;
  const { ts } = message.edited;
  const of = addressOfThread({ channel, ts: message.ts });
  const change = { kind: 'edit', of } as const;
  return { ...messageOf(channel, message, botId), providerId: `edit/${of}/${ts}`, sentAt: timeOf(ts), change };
}

const timeOf = (ts: string) => new Date(Number(ts) * 1_000);

function messageOf(channel: string, written: Written, botId: string | undefined): InboundMessage {
  const { user, ts, thread_ts, user_profile: profile } = written;
  return {
    providerId: addressOfThread({ channel, ts }),
    from: user,
    userId: user,
    name: profile?.real_name ?? profile?.display_name,
    to: addressOfThread({ channel, ts: thread_ts ?? ts }),
    sentAt: timeOf(ts),
    ...contentOf(written, botId),
  };
}

/** Returns the text and the files. A message of neither, such as a forwarded one, is described by what is attached. */
function contentOf(
  { text, files, attachments }: Written,
  botId: string | undefined,
): Pick<InboundMessage, 'text' | 'files' | 'isDescription'> {
  const plain = fromSlackText(storable(text), botId);
  const found = files.flatMap((file) => AttachedFile.safeParse(file).data ?? []);
  if (plain.trim() !== '' || found.length > 0) return { text: plain, ...(found.length > 0 && { files: found }) };
  const lines = attachments.length === 0 ? [] : linesOf(attachments);
  return { text: ['[message of an unsupported type]', ...lines].join('\n'), isDescription: true };
}
