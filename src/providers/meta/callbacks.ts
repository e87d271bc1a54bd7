import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { isUuid } from '../../ids.ts';
import { isSameSecret } from '../constant-time.ts';
import type { CallbackContent, StatusReport } from '../sending.ts';
import { storable, truncated } from '../storable.rules.ts';
import { isFileRefusal, MessageId, MetaError, reasonOf } from './api.ts';
import { readMetaMessage, UserId, WhatsAppNumber } from './messages.ts';

const MAX_NAME_LENGTH = 200;
/** The number is not on WhatsApp, or refuses messages of businesses. */
const UNDELIVERABLE_CODE = 131026;

/** Returns X-Hub-Signature-256 of a callback's exact bytes, signed with the app's secret. */
export const metaSignature = (appSecret: string, rawBody: Buffer): string =>
  `sha256=${createHmac('sha256', appSecret).update(rawBody).digest('hex')}`;

/** Whether X-Hub-Signature-256 matches these exact bytes and the app's secret. */
export const isMetaSignature = (appSecret: string, rawBody: Buffer, header: string | undefined): boolean =>
  isSameSecret(header ?? '', metaSignature(appSecret, rawBody));

/**
 * Reads a callback with a verified signature. Never throws: anything but a status or message in Meta's format is
 * skipped.
 */
export function readMetaCallback(body: unknown): CallbackContent {
  const values = itemsOf([body], Callback)
    .flatMap(({ entry }) => itemsOf(entry, Entry))
    .flatMap(({ changes }) => itemsOf(changes, Change))
    .map(({ value }) => value);
  return {
    reports: values.flatMap(({ statuses }) => itemsOf(statuses, Status).map(toReport)),
    messages: values.flatMap(({ messages, metadata, contacts }) => {
      const writers = itemsOf(contacts, Writer);
      return messages.flatMap((message) => readMetaMessage(message, metadata, writers) ?? []);
    }),
  };
}

/** Digits, optionally with a plus and spaces. */
const DisplayNumber = z.string().transform((number) => `+${number.replace(/\D/g, '')}`);
/** Which number of ours a message came to. */
const Metadata = z.object({
  display_phone_number: DisplayNumber.catch(''),
  phone_number_id: z
    .string()
    .regex(/^\d{1,64}$/)
    .optional()
    .catch(undefined),
});
const List = z.array(z.unknown()).catch([]);
const Callback = z.object({ entry: List });
const Entry = z.object({ changes: List });
const Change = z.object({
  value: z.object({
    metadata: Metadata.catch({ display_phone_number: '' }),
    statuses: List,
    messages: List,
    contacts: List,
  }),
});

const Name = z
  .string()
  .transform((name) => truncated(storable(name), MAX_NAME_LENGTH).trim())
  .pipe(z.string().min(1))
  .optional()
  .catch(undefined);
/** Who wrote, by the name that they have given themselves, or else by their username. */
const Writer = z
  .object({
    wa_id: WhatsAppNumber.optional().catch(undefined),
    user_id: UserId.optional().catch(undefined),
    profile: z.object({ name: Name, username: Name }).optional().catch(undefined),
  })
  .transform(({ wa_id, user_id, profile }) => ({ wa_id, user_id, name: profile?.name ?? profile?.username }));

const Status = z.object({
  id: MessageId,
  status: z.enum(['sent', 'delivered', 'read', 'failed']),
  biz_opaque_callback_data: z.string().refine(isUuid).optional().catch(undefined),
  errors: z.array(MetaError).catch([]),
});

/** Returns the items of this form. */
export const itemsOf = <Item extends z.ZodType>(list: unknown[], item: Item): z.infer<Item>[] =>
  list.flatMap((value) => {
    const parsed = item.safeParse(value);
    return parsed.success ? [parsed.data] : [];
  });

function toReport({ id, status, biz_opaque_callback_data, errors }: z.infer<typeof Status>): StatusReport {
  const [error] = errors;
  return {
    providerId: id,
    deliveryId: biz_opaque_callback_data,
    status,
    reason: error === undefined ? null : reasonOf(error),
    isSuppressing: status === 'failed' && errors.some(({ code }) => code === UNDELIVERABLE_CODE),
    isFileRefused: status === 'failed' && errors.some(({ code }) => isFileRefusal(code)),
  };
}
