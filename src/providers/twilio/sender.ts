import { z } from 'zod';
import { ProviderError } from '../../errors.ts';
import { joinUrl } from '../../text/urls.rules.ts';
import type { EgressResponse, HttpClient } from '../egress/egress.ts';
import {
  jsonOf,
  outcomeOfStatus,
  outcomeWithoutResponse,
  reasonFrom,
  requestFailure,
} from '../egress/provider-responses.ts';
import type { LostSend, SendOutcome } from '../sending.ts';
import { isFileRefusal, MESSAGE_SID, type SmsMessage, type SmsSender } from './port.ts';

/**
 * Twilio responds within about 100 ms and queues accepted messages. More concurrency sends no faster and causes 429
 * responses.
 */
const CONCURRENCY = 50;
const PAGE_SIZE = 100;
const MAX_PAGES = 10;
/** Fits a page of long messages with every character escaped. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
/** Twilio's dates have no fractions of a second. */
const DATE_PRECISION_MS = 1_000;

/** The settings of an org's SMS integration, with at least one sender. A messaging service chooses its own number. */
export interface TwilioSettings {
  base_url?: string | undefined;
  account_sid: string;
  auth_token: string;
  from?: string | undefined;
  messaging_service_sid?: string | undefined;
}

/**
 * Sends SMS by Twilio's Messages API, version 2010-04-01. Each message's status is reported to `callbackUrl` with our
 * own id in the query. A message whose own `from` the account no longer has is sent from the connection's sender. Files
 * that cannot go as an MMS go as the text with links.
 */
export function createTwilioSender(egress: HttpClient, settings: TwilioSettings, callbackUrl: string): SmsSender {
  const { base_url = 'https://api.twilio.com', account_sid, auth_token } = settings;
  const credentials = Buffer.from(`${account_sid}:${auth_token}`).toString('base64');
  const headers = { accept: 'application/json', authorization: `Basic ${credentials}` };
  const messagesPath = `/2010-04-01/Accounts/${encodeURIComponent(account_sid)}/Messages.json`;
  const reasonOf = (answer: EgressResponse) => reasonFrom(explanationOf(answer), [auth_token, credentials]);

  const mmsByNumber = new Map<string, boolean>();
  /** Whether a number of the account sends MMS. A service chooses its own, and Twilio then refuses what cannot be. */
  const sendsMms = async ({ from = settings.from }: SmsMessage): Promise<boolean> => {
    if (from === undefined || !from.startsWith('+')) return true;
    const known = mmsByNumber.get(from);
    if (known !== undefined) return known;
    const path = `/2010-04-01/Accounts/${encodeURIComponent(account_sid)}/IncomingPhoneNumbers.json`;
    const query = new URLSearchParams({ PhoneNumber: from });
    const answer = await egress.request(joinUrl(base_url, `${path}?${query}`), { headers });
    const [number] = OwnNumbers.safeParse(jsonOf(answer)).data?.incoming_phone_numbers ?? [];
    if (answer.status !== 200) return true;
    mmsByNumber.set(from, number?.capabilities.mms === true);
    return number?.capabilities.mms === true;
  };

  const create = (message: SmsMessage) =>
    egress.request(joinUrl(base_url, messagesPath), {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: toForm(message, settings, callbackUrl),
    });

  const createOrAgain = async (message: SmsMessage) => {
    const answer = await create(message);
    const hasOwnSender = message.from !== undefined && message.from !== settings.from;
    const isRefused = hasOwnSender && REFUSED_SENDER_CODES.has(codeOf(answer));
    return isRefused ? create({ ...message, from: undefined }) : answer;
  };

  const list = async (path: string) => {
    const answer = await egress.request(joinUrl(base_url, path), { headers, maxBytes: MAX_PAGE_BYTES });
    const page = MessagePage.safeParse(jsonOf(answer));
    if (answer.status !== 200 || !page.success)
      throw requestFailure(answer, `Twilio did not list messages: ${reasonOf(answer)}`);
    return page.data;
  };

  return {
    provider: 'twilio',
    concurrency: CONCURRENCY,
    async send(message) {
      const isMms = message.media !== undefined && (await sendsMms(message).catch(() => true));
      try {
        const sent = isMms ? message : withoutMedia(message);
        const answer = await createOrAgain(sent);
        const last = isMms && isFileRefusal(codeOf(answer)) ? await createOrAgain(withoutMedia(sent)) : answer;
        return outcomeOf(last, reasonOf(last));
      } catch (error) {
        return outcomeWithoutResponse(error);
      }
    },
    async findLostSend(lost) {
      const found: Message[] = [];
      let path: string | null = `${messagesPath}?${new URLSearchParams({ To: lost.to, PageSize: String(PAGE_SIZE) })}`;
      for (let pages = 0; path !== null; pages++) {
        if (pages === MAX_PAGES)
          throw ambiguousLookup(`Twilio has more than ${MAX_PAGES * PAGE_SIZE} messages to this number`);
        const page: MessagePage = await list(path);
        found.push(
          ...page.messages.filter((message) => matchesSend(message, lost) && isFromSender(message, lost, settings)),
        );
        path = page.next_page_uri ?? null;
      }
      const [message, ...others] = found;
      if (others.length > 0) throw ambiguousLookup('Twilio has several messages with this text to this number');
      return message === undefined ? undefined : outcomeOfFound(message);
    },
    close: () => {},
  };
}

function toForm(
  { deliveryId, to, body, from: own, media }: SmsMessage,
  { from = '', messaging_service_sid }: TwilioSettings,
  callbackUrl: string,
): string {
  const sender: Record<string, string> =
    own === undefined && messaging_service_sid !== undefined
      ? { MessagingServiceSid: messaging_service_sid }
      : { From: own ?? from };
  const statusCallback = `${callbackUrl}?delivery=${deliveryId}`;
  const form = new URLSearchParams({ To: to, ...sender, Body: body, StatusCallback: statusCallback });
  if (body.trim() === '' && media !== undefined) form.delete('Body');
  for (const url of media?.urls ?? []) form.append('MediaUrl', url);
  return form.toString();
}

const withoutMedia = ({ media, ...message }: SmsMessage): SmsMessage =>
  media === undefined ? message : { ...message, body: media.text };

const OwnNumbers = z.object({
  incoming_phone_numbers: z.array(z.object({ capabilities: z.object({ mms: z.boolean().optional() }) })),
});

const Created = z.object({ sid: z.string().regex(MESSAGE_SID) });
const Refused = z.object({ code: z.number(), message: z.string() });

/** The meaning of Twilio's codes for a message. Any other code is evaluated by its status. */
const REJECTIONS = new Map<number | undefined, 'permanent' | 'suppress' | 'config'>([
  [20003, 'config'], // authentication failed
  [20005, 'config'], // account not active
  [21211, 'permanent'], // invalid To
  [21212, 'config'], // invalid From
  [21606, 'config'], // From cannot send SMS, or is not the account's
  [21608, 'config'], // trial account
  [21610, 'suppress'], // opted out
  [21614, 'permanent'], // To cannot receive SMS
  [21660, 'config'], // From is another account's
  [21705, 'config'], // invalid messaging service
]);
/** Refusals of From: it is invalid, cannot send, or is not the account's. Nothing was sent. */
const REFUSED_SENDER_CODES = new Set<number | undefined>([21212, 21606, 21659, 21660]);
/** The queue of the From number is full: the message was not accepted. */
const QUEUE_FULL_CODE = 21611;
const QUEUE_RETRY_MS = 60_000;
/** Errors about the account, the only object named in the URL. */
const ACCOUNT_ERROR_CODES = new Set([401, 403, 404]);

function outcomeOf(answer: EgressResponse, reason: string): SendOutcome {
  const content = jsonOf(answer);
  const created = Created.safeParse(content);
  if (answer.status < 300 && created.success) return { kind: 'accepted', providerId: created.data.sid };
  const byStatus = outcomeOfStatus(answer, reason);
  if (byStatus !== undefined) return byStatus;
  const code = codeOf(answer);
  if (code === QUEUE_FULL_CODE) return { kind: 'retry', scope: 'provider', reason, retryAfterMs: QUEUE_RETRY_MS };
  const because = REJECTIONS.get(code);
  return {
    kind: 'rejected',
    because: because ?? (ACCOUNT_ERROR_CODES.has(answer.status) ? 'config' : 'permanent'),
    reason,
  };
}

const codeOf = (answer: EgressResponse): number | undefined => Refused.safeParse(jsonOf(answer)).data?.code;

function explanationOf(answer: EgressResponse): string {
  const refused = Refused.safeParse(jsonOf(answer)).data;
  return refused === undefined ? `Twilio answered ${answer.status}` : `${refused.message} (Twilio ${refused.code})`;
}

const Message = z.object({
  sid: z.string().regex(MESSAGE_SID),
  body: z.string().nullable(),
  from: z.string().nullish(),
  messaging_service_sid: z.string().nullish(),
  status: z.string(),
  date_created: z.string().transform(Date.parse).pipe(z.number()),
  error_code: z.number().nullish(),
  error_message: z.string().nullish(),
});
type Message = z.infer<typeof Message>;

const MessagePage = z.object({
  messages: z.array(Message),
  next_page_uri: z.string().startsWith('/').nullish(),
});
type MessagePage = z.infer<typeof MessagePage>;

/** Twilio stores no id of ours with a message. Its own filter uses the date of sending, missing on queued messages. */
const matchesSend = ({ body, date_created }: Message, lost: LostSend) =>
  date_created >= lost.since.getTime() - DATE_PRECISION_MS &&
  (lost.body === undefined || (body ?? '') === lost.body || body === lost.otherBody);

/** Another program may send from the same account. */
const isFromSender = (
  message: Message,
  { from: own }: LostSend,
  { from, messaging_service_sid }: TwilioSettings,
): boolean =>
  (own !== undefined && message.from === own) ||
  (messaging_service_sid === undefined
    ? message.from === from
    : message.messaging_service_sid === messaging_service_sid);

const FINAL_FAILURES = new Set(['failed', 'undelivered', 'canceled']);

function outcomeOfFound({ sid, status, error_code, error_message }: Message): SendOutcome {
  if (!FINAL_FAILURES.has(status)) return { kind: 'accepted', providerId: sid };
  const reason = reasonFrom(`${error_message ?? status} (Twilio ${error_code ?? 'gave no code'})`, []);
  return { kind: 'rejected', because: error_code === 21610 ? 'suppress' : 'permanent', reason, providerId: sid };
}

const ambiguousLookup = (message: string) => new ProviderError(message, { transient: false });
